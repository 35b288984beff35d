import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type Caller,
  createToolbox,
  createTranscriptCache,
  type SearcherSource,
  SettingError,
} from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import { createArgumentChecker } from '@quartermaster/host/schema';
import { chooseEngine, createLazyReranker, createSearcherFor } from '@quartermaster/host/search';
import { createRunHooks } from './hooks/index.ts';
import { planFor, type ResolvedModel, readForm, readGateSettings, resolveModel } from './model/index.ts';
import { OPTION_DEFAULTS, type Options } from './options.ts';
import { checkToolRules, compileToolRules, PERMISSION_MODES, type PermissionMode } from './permissions/index.ts';
import { readConfig } from './read-config.ts';
import type { SDKSystemMessage } from './sdk-message.ts';
import { type AgentServers, isLocal, type McpServerStatus, startHub } from './servers/index.ts';
import { createFileSessionStore, openConversation, type SessionStore } from './session/index.ts';
import { createPlanner, createToolGuard, type TurnContext } from './turn/index.ts';

/** What can be changed while a query runs. */
export interface Controls {
  mode: PermissionMode;
  model: string | undefined;
}

/** The running parts of one query. */
export interface AgentSession {
  readonly context: TurnContext;
  init(): SDKSystemMessage;
  serverStatus(): readonly McpServerStatus[];
  close(): Promise<void>;
}

export interface SessionOpening {
  readonly options: Options;
  readonly controls: Controls;
  readonly signal: AbortSignal;
  /** @default the engine of the settings: `auto`, the reranker where it loads */
  readonly searcher?: SearcherSource;
}

/** Checks the options, finds the model, reads the session to resume, and starts the servers. Nothing is left running where it fails. */
export async function openSession(opening: SessionOpening): Promise<AgentSession> {
  const { options, controls, signal } = opening;
  const env = { ...process.env, ...options.env };
  const cwd = resolve(options.cwd ?? process.cwd());
  const config = readConfig({ env, cwd, needsUpstreams: options.upstream === undefined });
  if (config.warning !== undefined) process.emitWarning(config.warning);
  const gate = readGateSettings({ ...options, processEnv: process.env, config });
  const form = readForm(options.form, gate.source);
  const runHooks = createRunHooks(options.hooks ?? {});
  const maxTurns = wholeNumber('maxTurns', options.maxTurns) ?? OPTION_DEFAULTS.maxTurns;
  const maxOutputTokens = wholeNumber('maxOutputTokens', options.maxOutputTokens);
  const maxResultTokens =
    wholeNumber('MAX_MCP_OUTPUT_TOKENS', variable(env.MAX_MCP_OUTPUT_TOKENS)) ?? OPTION_DEFAULTS.maxResultTokens;
  checkMode(controls.mode);
  const entries = options.mcpServers ?? {};
  checkToolRules('allowedTools', options.allowedTools ?? [], NO_TOOLS);
  checkToolRules('disallowedTools', options.disallowedTools ?? [], NO_TOOLS);
  const allowed = compileToolRules(options.allowedTools ?? [], Object.keys(entries));
  const disallowed = compileToolRules(options.disallowedTools ?? [], Object.keys(entries));
  const model = createModelChoice(
    (name) => resolveModel({ ...options, model: name, env, configured: config.upstreams }),
    controls,
  );
  const first = await model();
  const store = sessionStore(options, cwd);
  const conversation = await openConversation({
    sessionId: options.sessionId ?? randomUUID(),
    store,
    resume: options.resume,
    isFork: options.forkSession === true,
  });
  // Last, since from here on there is something to end.
  const servers: AgentServers = await startHub({
    servers: entries,
    cwd,
    env,
    signal,
    policies: options.policies ?? config.policies,
    limits: config.limits,
  });
  const { hub } = servers;
  // Plans are kept by this function's identity.
  const caller: Caller = { allow: (tool) => !disallowed(tool, hub.snapshot().modelName(tool)) };
  const guard = createToolGuard({
    ...{ runHooks, allowed, disallowed },
    mode: () => controls.mode,
    isLocal: (server) => isLocal(Object.hasOwn(entries, server) ? entries[server] : undefined),
    canUseTool: options.canUseTool,
    about: () => ({
      session_id: conversation.id,
      transcript_path: store.pathOf?.(conversation.id) ?? '',
      cwd,
      permission_mode: controls.mode,
    }),
  });
  const closed = new AbortController();
  const toolbox = createToolbox({
    tools: () => hub.snapshot(),
    execute: (call, context) => hub.call({ tool: call.tool, arguments: call.arguments, signal: context.signal }),
    searcher: opening.searcher ?? searcherUntil(closed.signal, config.engine),
    settings: gate.settings,
    checkArguments: createArgumentChecker(),
    hooks: guard.hooks,
    unavailable: () => hub.unavailable(),
  });
  const planning = { toolbox, caller, form };
  const context: TurnContext = {
    ...{ conversation, toolbox, caller, guard, model, maxTurns, maxOutputTokens, maxResultTokens },
    planner: createPlanner(planning),
    transcript: createTranscriptCache().storeFor(conversation.id),
    system: systemText(options.systemPrompt),
    includesPartial: options.includePartialMessages === true,
    costOf: options.costOf ?? (() => 0),
    now: Date.now,
    createId: randomUUID,
  };
  // Not the planner's: the plan that the conversation keeps to is made when it begins.
  toolbox.prepare(planFor(planning, first));
  return {
    context,
    init: () => ({
      type: 'system',
      subtype: 'init',
      uuid: randomUUID(),
      session_id: conversation.id,
      cwd,
      model: first.model,
      permissionMode: controls.mode,
      apiKeySource: options.upstream === undefined ? 'user' : 'none',
      tools: hub
        .snapshot()
        .tools.filter((tool) => caller.allow?.(tool) !== false)
        .map((tool) => hub.snapshot().modelName(tool)),
      mcp_servers: servers.status(),
      slash_commands: [],
      output_style: 'default',
    }),
    serverStatus: servers.status,
    close() {
      closed.abort();
      return hub.close();
    },
  };
}

/** Every tool belongs to a server. */
const NO_TOOLS: ReadonlySet<string> = new Set();

/** Stops building when the signal aborts, so that it doesn't keep the process alive. The reranker's model is read by the first search. */
function searcherUntil(signal: AbortSignal, engine: SearchSettings['engine']): SearcherSource {
  const isReranking = engine === 'auto' || engine === 'hybrid+reranker';
  const reranker = isReranking ? createLazyReranker(() => chooseEngine({ engine }), { signal }) : undefined;
  return createSearcherFor({ engine, whenNothingFits: 'empty' }, { signal, reranker });
}

/** Resolved once for each choice, so that what is planned for a model can be kept. */
function createModelChoice(
  find: (model: string | undefined) => Promise<ResolvedModel>,
  controls: Controls,
): () => Promise<ResolvedModel> {
  let kept: { readonly name: string | undefined; readonly model: ResolvedModel } | undefined;
  return async () => {
    const name = controls.model;
    if (kept === undefined || kept.name !== name) kept = { name, model: await find(name) };
    return kept.model;
  };
}

export function checkMode(mode: PermissionMode): void {
  if (PERMISSION_MODES.includes(mode)) return;
  throw new SettingError(
    'invalid_setting',
    `permissionMode is ${JSON.stringify(mode)}; allowed: ${PERMISSION_MODES.join(', ')}`,
    { context: { setting: 'permissionMode', value: mode } },
  );
}

function wholeNumber(setting: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return value;
  throw new SettingError('invalid_setting', `${setting} is ${value}; allowed: a whole number above 0`, {
    context: { setting, value },
  });
}

function variable(value: string | undefined): number | undefined {
  return value === undefined || value.trim() === '' ? undefined : Number(value);
}

function sessionStore({ sessions, persistSession }: Options, cwd: string): SessionStore {
  const store = sessions ?? createFileSessionStore(resolve(cwd, '.quartermaster', 'sessions'));
  return persistSession === false ? { read: store.read, append: async () => {} } : store;
}

/** Presets belong to the agent SDK; what is appended to one is the user's own. */
function systemText(prompt: Options['systemPrompt']): string | undefined {
  const text = typeof prompt === 'string' ? prompt : prompt?.append;
  return text === undefined || text === '' ? undefined : text;
}
