import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Places } from '../clients/index.ts';
import type { Check } from './check.ts';

/** Variables of Claude Code that switch its tool search off, in the environment and in its settings file. */
export function checkClient(places: Places): readonly Check[] {
  const file = join(places.env.CLAUDE_CONFIG_DIR || join(places.home, '.claude'), 'settings.json');
  const { env, problem } = readClientEnv(file);
  const checks = [...checkVariables(places.env, 'the environment'), ...checkVariables(env, file)];
  if (problem !== undefined) checks.push(problem);
  if (checks.length > 0) return checks;
  return [{ area: 'client', status: 'ok', message: 'no setting of Claude Code switches tool search off' }];
}

type Variables = Readonly<Record<string, string | undefined>>;

function checkVariables(env: Variables, place: string): Check[] {
  const checks: Check[] = [];
  const search = env.ENABLE_TOOL_SEARCH?.trim().toLowerCase() ?? '';
  if (search === 'false') {
    checks.push({
      ...{ area: 'client', status: 'problem' },
      message: `ENABLE_TOOL_SEARCH=false in ${place} switches tool search off: every definition is sent`,
      fix: 'unset it, or set ENABLE_TOOL_SEARCH=true',
    });
  }
  if (isOn(env.CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS)) {
    checks.push({
      ...{ area: 'client', status: 'problem' },
      message: `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS in ${place} switches tool search off in Claude Code`,
      fix: 'unset CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS',
    });
  }
  const host = hostOf(env.ANTHROPIC_BASE_URL);
  if (host !== undefined && host !== FIRST_PARTY && search === '') {
    checks.push({
      ...{ area: 'client', status: 'problem' },
      message: `ANTHROPIC_BASE_URL in ${place} points to ${host}; older versions of Claude Code then switch tool search off`,
      fix: 'also set ENABLE_TOOL_SEARCH=true',
    });
  }
  return checks;
}

/** Only the host: an address may contain a password. */
function hostOf(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined;
  try {
    return new URL(url).host;
  } catch {
    return 'something that is not a URL';
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.trim().toLowerCase());
}

function readClientEnv(file: string): { readonly env: Variables; readonly problem?: Check } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Most users have none.
    return { env: {} };
  }
  try {
    const document: unknown = JSON.parse(text);
    const env = isJsonObject(document) && isJsonObject(document.env) ? document.env : {};
    const texts = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { env: Object.fromEntries(texts) };
  } catch {
    const message = `${file} is not valid JSON`;
    return { env: {}, problem: { area: 'client', status: 'problem', message, fix: 'correct the file' } };
  }
}

const FIRST_PARTY = 'api.anthropic.com';
