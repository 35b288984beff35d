import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Tool } from '@quartermaster/core';
import { isJsonObject, POLICIES } from '@quartermaster/core/catalog';
import { DEFAULT_SEARCH_LIMITS } from '@quartermaster/core/gate';
import { checkOptionNames, cutText, readWholeNumber } from '@quartermaster/core/internal';
import { type BuiltInTools, createBuiltInTools } from './built-in/index.ts';
import { checkOptions } from './contract/index.ts';
import { AGENT_TOOL, agentTool, checkAgents } from './create-subagents.ts';
import { createRunHooks, type RunHooks } from './hooks/index.ts';
import { invalidSetting } from './invalid-setting.ts';
import { type AgentForm, checkUpstream, readForm, readGateSettings } from './model/index.ts';
import { OPTION_DEFAULTS, type Options } from './options.ts';
import { checkMode, checkToolRules, compileToolRules, type ToolRules } from './permissions/index.ts';
import { readConfig } from './read-config.ts';
import { checkServers, checkSignIn } from './servers/index.ts';
import { checkSessionOptions, type SessionStore, sessionStore } from './session/index.ts';
import {
  createLedger,
  createStructuredOutput,
  type LedgerOptions,
  type StructuredOutput,
  type TurnContext,
} from './turn/index.ts';

/** What the options alone say about a query. */
export interface ReadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly form: AgentForm | 'auto';
  readonly runHooks: RunHooks;
  /** Prices of tokens, and the budget. */
  readonly costs: LedgerOptions;
  readonly output: StructuredOutput | undefined;
  readonly limits: Pick<TurnContext, 'maxTurns' | 'maxOutputTokens' | 'maxResultTokens'>;
  readonly builtIns: BuiltInTools;
  /** Tools that belong to no server. */
  readonly localTools: readonly Tool[];
  readonly allowed: ToolRules;
  readonly disallowed: ToolRules;
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** Reads the options of a query. Throws a `SettingError` for the first invalid one. Starts nothing. */
export function readOptions(options: Options): ReadOptions {
  checkOptions(options);
  checkOptionTypes(options);
  const env = { ...process.env, ...options.env };
  const cwd = resolve(options.cwd ?? process.cwd());
  const agents = options.agents ?? {};
  const builtIns = createBuiltInTools(options, cwd);
  const localTools = [
    ...(Object.keys(agents).length === 0 ? [] : [agentTool(agents)]),
    ...[...builtIns.byName.values()].map(({ tool }) => tool),
  ];
  const known = new Set(localTools.map(({ name }) => name));
  checkAgents(agents, known);
  const entries = options.mcpServers ?? {};
  checkServers(entries);
  checkMode(options.permissionMode ?? OPTION_DEFAULTS.permissionMode);
  // Checked again when the session is opened, with the configuration file.
  readGateSettings({ ...options, processEnv: process.env, config: NO_CONFIG });
  const { contextTokens, startWaitMs, upstream, signIn } = options;
  if (upstream !== undefined) checkUpstream(upstream);
  if (signIn !== undefined) checkSignIn(signIn);
  if (contextTokens !== undefined) readWholeNumber('contextTokens', contextTokens);
  if (startWaitMs !== undefined) readWholeNumber('startWaitMs', startWaitMs, 0);
  const rules = (setting: 'allowedTools' | 'disallowedTools'): ToolRules => {
    // The agent tool's earlier name.
    const named = (options[setting] ?? []).map((rule) =>
      rule === 'Task' && known.has(AGENT_TOOL) ? AGENT_TOOL : rule,
    );
    checkToolRules(setting, named, known);
    return compileToolRules(named, {
      servers: Object.keys(entries),
      forbids: setting === 'disallowedTools',
      subjectOf: (tool, input) => builtIns.byName.get(tool.id)?.subject(input),
    });
  };
  const store = sessionStore(options, cwd);
  checkSessionOptions(options, store);
  return {
    ...{ env, cwd, builtIns, localTools, store },
    form: readForm(options.form),
    runHooks: createRunHooks(options.hooks ?? {}),
    costs: readCosts(options, { env, cwd }),
    output: createStructuredOutput(options.outputFormat),
    limits: readLimits(options, env),
    allowed: rules('allowedTools'),
    disallowed: rules('disallowedTools'),
    sessionId: options.sessionId ?? randomUUID(),
  };
}

/** A budget needs prices: those in the options, else those in quartermaster.yaml, which is read here for that reason. */
function readCosts(options: Options, surroundings: Pick<ReadOptions, 'env' | 'cwd'>): LedgerOptions {
  const { costOf, maxBudgetUsd, upstream } = options;
  const isNeeded = maxBudgetUsd !== undefined && costOf === undefined && options.prices === undefined;
  const { prices } = isNeeded
    ? readConfig({ ...surroundings, needsUpstreams: upstream === undefined })
    : { prices: options.prices };
  const costs = { costOf, maxBudgetUsd, prices };
  createLedger(costs);
  return costs;
}

const NO_CONFIG = { rule: undefined, search: DEFAULT_SEARCH_LIMITS, pins: [] };

function readLimits(
  { maxTurns, maxOutputTokens }: Options,
  { MAX_MCP_OUTPUT_TOKENS: most }: Readonly<Record<string, string | undefined>>,
): ReadOptions['limits'] {
  const maxResultTokens = most === undefined || most.trim() === '' ? undefined : numberOrText(most);
  const optional = (setting: string, value: unknown): number | undefined =>
    value === undefined ? undefined : readWholeNumber(setting, value);
  return {
    maxTurns: optional('maxTurns', maxTurns) ?? OPTION_DEFAULTS.maxTurns,
    maxOutputTokens: optional('maxOutputTokens', maxOutputTokens),
    maxResultTokens: optional('MAX_MCP_OUTPUT_TOKENS', maxResultTokens) ?? OPTION_DEFAULTS.maxResultTokens,
  };
}

/** Text that is not a number stays text, so that the error shows it as it was written. */
function numberOrText(text: string): number | string {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** Throws a `SettingError` for the first option of the wrong type. Options not listed here are checked where they are read. */
function checkOptionTypes(options: Options): void {
  for (const [name, kind] of Object.entries(KINDS)) {
    const value = options[name as keyof typeof KINDS];
    if (value !== undefined) check(name, value, kind);
  }
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value !== undefined) check(`env.${name}`, value, TEXT);
  }
  if (options.policies === undefined) return;
  checkOptionNames('policies', options.policies, 'tools patterns servers');
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
  pins: { allowed: 'a list of names and patterns', fits: isTexts },
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
  throw invalidSetting({ setting, value }, `${setting} is ${cutText(shown, 100)}; allowed: ${allowed}`);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function hasField(value: unknown, field: string, fits: (value: unknown) => boolean): boolean {
  return (
    typeof value === 'object' && value !== null && field in value && fits((value as Record<string, unknown>)[field])
  );
}
