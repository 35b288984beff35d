import { defined } from '@quartermaster/core/internal';
import { counted, oneLine, type Terminal, wrap } from '../terminal/index.ts';

/** The result of one check of the installation. */
export interface Check {
  readonly area: 'engine' | 'deferral' | 'servers' | 'client' | 'store' | 'key' | 'permissions' | 'cache' | 'reach';
  /** `note`: worth knowing, but nothing is wrong. */
  readonly status: 'ok' | 'note' | 'problem';
  readonly message: string;
  /** How to fix a problem. */
  readonly fix?: string;
}

type Area = Check['area'];

export function ok(area: Area, message: string): Check {
  return { area, status: 'ok', message };
}

export function remark(area: Area, message: string, fix?: string): Check {
  return { area, status: 'note', message, ...defined({ fix }) };
}

export function problem(area: Area, message: string, fix: string): Check {
  return { area, status: 'problem', message, fix };
}

/** The count first, then the problems with their fixes, then the rest. */
export function renderChecks(checks: readonly Check[], { paint, width }: Terminal): string {
  const problems = checks.filter(({ status }) => status === 'problem');
  const rest = checks.filter(({ status }) => status !== 'problem');
  const headline = problems.length === 0 ? 'Nothing is wrong.' : `${counted(problems.length, 'problem')} found.`;
  const show = ({ area, status, message, fix }: Check): string => {
    const mark = status === 'problem' ? paint.yellow('✗') : status === 'ok' ? paint.green('✓') : '·';
    const line = wrap(`${mark} ${area}: ${oneLine(message, MOST_CHARACTERS)}`, width, { hanging: 2 });
    return fix === undefined ? line : `${line}\n${wrap(`Fix: ${oneLine(fix, MOST_CHARACTERS)}`, width, { indent: 2 })}`;
  };
  return [
    paint.bold(headline),
    ...[problems, rest].filter((some) => some.length > 0).map((some) => some.map(show).join('\n')),
  ].join('\n\n');
}

const MOST_CHARACTERS = 600;
