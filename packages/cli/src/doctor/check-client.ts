import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Places } from '../clients/index.ts';
import { type Check, ok, problem } from './check.ts';

/** Variables of Claude Code that switch its tool search off, in the environment and in its settings file. */
export function checkClient(places: Places): readonly Check[] {
  const file = join(places.env.CLAUDE_CONFIG_DIR || join(places.home, '.claude'), 'settings.json');
  const { env, unreadable } = readClientEnv(file);
  const version = findVersion(places);
  const checks = [
    ...checkVersion(version),
    ...checkVariables(places.env, 'the environment', version),
    ...checkVariables(env, file, version),
  ];
  if (unreadable !== undefined) checks.push(unreadable);
  if (checks.length > 0) return checks;
  return [ok('client', 'no setting of Claude Code switches tool search off')];
}

type Variables = Readonly<Record<string, string | undefined>>;

function checkVariables(env: Variables, place: string, version: string | undefined): Check[] {
  const checks: Check[] = [];
  const search = env.ENABLE_TOOL_SEARCH?.trim().toLowerCase() ?? '';
  if (search === 'false') {
    const message = `ENABLE_TOOL_SEARCH=false in ${place} switches tool search off: every definition is sent`;
    checks.push(problem('client', message, 'unset it, or set ENABLE_TOOL_SEARCH=true'));
  }
  if (isOn(env.CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS)) {
    const message = `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS in ${place} switches tool search off in Claude Code`;
    checks.push(problem('client', message, 'unset CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS'));
  }
  const host = hostOf(env.ANTHROPIC_BASE_URL);
  const isGated = version === undefined || isBefore(version, ANY_HOST_SINCE);
  if (host !== undefined && host !== FIRST_PARTY && search === '' && isGated) {
    const who =
      version === undefined ? 'older versions of Claude Code then switch' : `Claude Code ${version} may then switch`;
    const message = `ANTHROPIC_BASE_URL in ${place} points to ${host}; ${who} tool search off`;
    checks.push(problem('client', message, 'also set ENABLE_TOOL_SEARCH=true'));
  }
  return checks;
}

/** What the program `claude` says, if it is installed. */
function findVersion({ env }: Places): string | undefined {
  const options = { env: { ...env }, encoding: 'utf8', timeout: VERSION_TIMEOUT_MS } as const;
  const { stdout } = spawnSync('claude', ['--version'], options);
  // Null if there is no such program.
  return /^\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
}

function checkVersion(version: string | undefined): readonly Check[] {
  if (version === undefined || !isBefore(version, ALWAYS_LOAD_SINCE)) return [];
  const message = isBefore(version, SEARCH_SINCE)
    ? `Claude Code ${version} has no tool search of its own; it came with ${SEARCH_SINCE}`
    : `Claude Code ${version} may hide Quartermaster's tools behind its own search: it does not know alwaysLoad, which came with ${ALWAYS_LOAD_SINCE}`;
  return [problem('client', message, 'claude update')];
}

function isBefore(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
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

function readClientEnv(file: string): { readonly env: Variables; readonly unreadable?: Check } {
  // Most people have none.
  if (!existsSync(file)) return { env: {} };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `${file} can't be read: ${error instanceof Error ? error.message : String(error)}`;
    return { env: {}, unreadable: problem('client', message, 'make it readable for this user') };
  }
  try {
    const document: unknown = JSON.parse(text);
    const env = isJsonObject(document) && isJsonObject(document.env) ? document.env : {};
    const texts = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { env: Object.fromEntries(texts) };
  } catch {
    return { env: {}, unreadable: problem('client', `${file} is not valid JSON`, 'correct the file') };
  }
}

const FIRST_PARTY = 'api.anthropic.com';
const VERSION_TIMEOUT_MS = 10_000;
/** From Claude Code's changelog. */
const SEARCH_SINCE = '2.1.7';
const ALWAYS_LOAD_SINCE = '2.1.121';
/** The earliest version that was seen to search tools whatever the host is. */
const ANY_HOST_SINCE = '2.1.325';
