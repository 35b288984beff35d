import { isJsonObject, POLICIES } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { checkOptionNames, cutText, type OptionNames } from '@quartermaster/core/internal';
import type { Options } from './options.ts';

/** Throws a `SettingError` for the first option of the wrong type. Options not listed here are checked where they are read. */
export function checkOptionTypes(options: Options): void {
  for (const [name, kind] of Object.entries(KINDS)) {
    const value = options[name as keyof typeof KINDS];
    if (value !== undefined) check(name, value, kind);
  }
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value !== undefined) check(`env.${name}`, value, TEXT);
  }
  if (options.policies === undefined) return;
  checkOptionNames('policies', options.policies, POLICY_FIELDS);
  for (const [field, rules] of Object.entries(options.policies)) {
    if (rules === undefined) continue;
    check(`policies.${field}`, rules, OBJECT);
    for (const [name, policy] of Object.entries(rules))
      check(`policies.${field}[${JSON.stringify(name)}]`, policy, POLICY);
  }
}

interface Kind {
  /** The allowed types, for the error message. */
  readonly allowed: string;
  readonly fits: (value: unknown) => boolean;
}

const BOOLEAN: Kind = { allowed: 'true or false', fits: (value) => typeof value === 'boolean' };
const TEXT: Kind = { allowed: 'a string', fits: (value) => typeof value === 'string' };
const FUNCTION: Kind = { allowed: 'a function', fits: (value) => typeof value === 'function' };
const OBJECT: Kind = { allowed: 'an object', fits: isJsonObject };
const TEXTS: Kind = { allowed: 'a list of strings', fits: isTexts };
const POLICY: Kind = { allowed: POLICIES.join(', '), fits: (value) => POLICIES.some((policy) => policy === value) };

const POLICY_FIELDS: OptionNames<NonNullable<Options['policies']>> = { tools: true, patterns: true, servers: true };

const KINDS = {
  abortController: {
    allowed: 'an AbortController',
    fits: (value) => hasField(value, 'signal', (signal) => signal instanceof AbortSignal),
  },
  additionalDirectories: TEXTS,
  agents: OBJECT,
  allowedTools: TEXTS,
  canUseTool: FUNCTION,
  capabilities: TEXTS,
  continue: BOOLEAN,
  costOf: FUNCTION,
  cwd: TEXT,
  disallowedTools: TEXTS,
  enableFileCheckpointing: BOOLEAN,
  env: OBJECT,
  forkSession: BOOLEAN,
  forwardSubagentText: BOOLEAN,
  hooks: OBJECT,
  includePartialMessages: BOOLEAN,
  model: TEXT,
  persistSession: BOOLEAN,
  policies: OBJECT,
  prices: OBJECT,
  resume: TEXT,
  searcher: {
    allowed: 'a searcher, or a function that makes one',
    fits: (value) => FUNCTION.fits(value) || hasField(value, 'search', FUNCTION.fits),
  },
  sessionId: TEXT,
  sessions: {
    allowed: 'an object with read and append',
    fits: (value) => hasField(value, 'read', FUNCTION.fits) && hasField(value, 'append', FUNCTION.fits),
  },
  systemPrompt: {
    allowed: "a string, a list of strings, or { type: 'preset', preset: 'claude_code' }",
    fits: (value) =>
      TEXT.fits(value) || isTexts(value) || hasField(value, 'preset', (preset) => preset === 'claude_code'),
  },
} as const satisfies Partial<Record<keyof Options, Kind>>;

function check(setting: string, value: unknown, { allowed, fits }: Kind): void {
  if (fits(value)) return;
  const shown = JSON.stringify(value) ?? typeof value;
  const problem = `${setting} is ${cutText(shown, 100)}; allowed: ${allowed}`;
  throw new SettingError('invalid_setting', problem, { context: { setting, value } });
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function hasField(value: unknown, field: string, fits: (value: unknown) => boolean): boolean {
  return (
    typeof value === 'object' && value !== null && field in value && fits((value as Record<string, unknown>)[field])
  );
}
