import picocolors from 'picocolors';
import type { CommandIo } from '../command-io.ts';
import { columnsOf, startOf } from './columns.ts';

/** How to write text to an output: coloured in a terminal, plain in a pipe. */
export interface Terminal {
  readonly paint: Paint;
  /** The width to stay within, 40 to 160 columns. */
  readonly width: number;
}

type Paint = Pick<ReturnType<typeof picocolors.createColors>, 'bold' | 'dim' | 'cyan' | 'green' | 'yellow'>;

/** Colours if the output is a terminal, unless NO_COLOR is set (https://no-color.org); FORCE_COLOR enables them anyway. */
export function createTerminal({ stdout, env }: Pick<CommandIo, 'stdout' | 'env'>): Terminal {
  const isForced = isSet(env.FORCE_COLOR) && env.FORCE_COLOR !== '0';
  const isColoured = !isSet(env.NO_COLOR) && (isForced || (stdout.isTTY === true && env.TERM !== 'dumb'));
  // A pipe has no width, and a terminal that does not know its own reports 0.
  const columns = stdout.columns === undefined || stdout.columns === 0 ? 80 : stdout.columns;
  return { paint: picocolors.createColors(isColoured), width: Math.min(160, Math.max(40, columns)) };
}

/** A catalog's text for a terminal: on one line, without control characters, which a description could use on the terminal, cut to fit. */
export function oneLine(text: string, width: number): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return columnsOf(plain) <= width ? plain : `${startOf(plain, Math.max(0, width - 1))}…`;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
