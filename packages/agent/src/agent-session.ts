import { randomUUID } from 'node:crypto';
import { createToolbox } from '@quartermaster/core';
import { LISTING_DEFAULTS } from '@quartermaster/core/disclosure';
import type { Caller, HookContext, Resolved } from '@quartermaster/core/dispatch';
import { createTranscriptCache } from '@quartermaster/core/loop';
import { createArgumentChecker } from '@quartermaster/host/schema';
import { type AgentSearcher, createAgentSearcher } from './create-agent-searcher.ts';
import { createSubagents } from './create-subagents.ts';
import type { BaseHookInput } from './hooks/index.ts';
import {
  listModels,
  type ModelInfo,
  planFor,
  type ResolvedModel,
  readGateSettings,
  resolveModel,
} from './model/index.ts';
import type { Options } from './options.ts';
import type { PermissionMode } from './permissions/index.ts';
import { readConfig } from './read-config.ts';
import type { ReadOptions } from './read-options.ts';
import type { SDKSystemMessage } from './sdk-message.ts';
import { type AgentServers, createSignInClient, startServers, waitForServers } from './servers/index.ts';
import { openConversation, resumedSession } from './session/index.ts';
import {
  createLedger,
  createPlanner,
  createSideChannel,
  createToolGuard,
  type GuardOptions,
  type ToolGuard,
  type TurnContext,
} from './turn/index.ts';

/** What can be changed while a query runs. */
export interface Controls {
  mode: PermissionMode;
  model: string | undefined;
}

/** The running parts of one query. */
export interface AgentSession {
  readonly context: TurnContext;
  readonly servers: AgentServers;
  readonly search: AgentSearcher;
  /** How the session began, for hooks. */
  readonly source: 'startup' | 'resume' | 'fork';
  init(): SDKSystemMessage;
  /** The models that the settings name. */
  models(): Promise<readonly ModelInfo[]>;
  close(): Promise<void>;
}

export interface SessionOpening {
  readonly options: Options;
  readonly read: ReadOptions;
  readonly controls: Controls;
  readonly signal: AbortSignal;
}

/** Finds the model, reads the session to resume, and starts the servers. If any of this fails, nothing is left running. */
export async function openSession(opening: SessionOpening): Promise<AgentSession> {
  const { options, read, controls, signal } = opening;
  const { env, cwd, runHooks, costs, output, limits, builtIns, localTools, allowed, disallowed, store } = read;
  const config = readConfig({ env, cwd, needsUpstreams: options.upstream === undefined });
  if (config.warning !== undefined) process.emitWarning(config.warning);
  const ledger = createLedger({ ...costs, prices: costs.prices ?? config.prices });
  const gate = readGateSettings({ ...options, processEnv: process.env, config });
  // Callers with the `tool_search` capability expect stubs.
  const form = read.form === 'auto' && gate.source === 'capabilities' ? 'stub' : read.form;
  const agents = options.agents ?? {};
  const entries = options.mcpServers ?? {};
  const asking = { ...options, env, configured: config.upstreams };
  const findModel: FindModel = (name) => resolveModel({ ...asking, model: name });
  const modelNamed = createModelTable(findModel);
  const model = (): Promise<ResolvedModel> => modelNamed(controls.model);
  const first = await model();
  const closed = new AbortController();
  const search = createAgentSearcher({ given: options.searcher, engine: config.engine, signal: closed.signal });
  const resume = await resumedSession(options, store);
  const isFork = options.forkSession === true;
  const conversation = await openConversation({ sessionId: read.sessionId, store, resume, isFork });
  // Last, because from here on there is something to clean up.
  const servers: AgentServers = await startServers({
    servers: entries,
    localTools,
    cwd,
    env,
    signal,
    policies: options.policies ?? config.policies,
    limits: config.limits,
    waitMs: options.startWaitMs,
    oauth:
      options.signIn === undefined ? undefined : { client: createSignInClient(options.signIn), signIn: options.signIn },
  });
  // Plans are cached by the identity of this function.
  const caller: Caller = { allow: (tool) => !disallowed(tool, servers.snapshot().modelName(tool)) };
  const about = (): BaseHookInput => ({
    session_id: conversation.id,
    transcript_path: store.pathOf?.(conversation.id) ?? '',
    cwd,
    permission_mode: controls.mode,
  });
  const guarding: GuardOptions = {
    ...{ runHooks, allowed, disallowed, about },
    mode: () => controls.mode,
    isLocal: servers.isLocal,
    editsFiles: (tool) => builtIns.byName.get(tool.id)?.editsFiles === true,
    canUseTool: options.canUseTool,
  };
  const guard = createToolGuard(guarding);
  const guards = new WeakMap<Caller, ToolGuard>([[caller, guard]]);
  const guardOf = (context: HookContext): ToolGuard => guards.get(context.caller) ?? guard;
  const searching = createToolbox({
    tools: () => servers.snapshot(),
    execute: (call, context) => execute(call, context.signal),
    searcher: search.searcher,
    settings: gate.settings,
    checkArguments: createArgumentChecker({ repair: true }),
    // A session keeps its plan, and with it the bytes of the listing.
    listingTokens: LISTING_DEFAULTS.budgetTokens,
    hooks: {
      beforeCall: (call, context) => guardOf(context).hooks.beforeCall?.(call, context),
      afterCall: (call, outcome, context) => guardOf(context).hooks.afterCall?.(call, outcome, context),
    },
    unavailable: () => servers.unavailable(),
    findings: (tool) => servers.findings(tool),
  });
  const toolbox = waitForServers(searching, servers);
  const { isStarting } = servers;
  const plannerFor = (who: Caller) => createPlanner({ toolbox, caller: who, form, isStarting });
  const context: TurnContext = {
    ...{ conversation, toolbox, caller, guard, model, ledger, output, runHooks, about, ...limits },
    settle: servers.settle,
    planner: plannerFor(caller),
    transcript: createTranscriptCache().storeFor(conversation.id),
    system: systemText(options.systemPrompt, output?.instruction),
    includesPartial: options.includePartialMessages === true,
    parentToolUseId: null,
    side: createSideChannel(),
    mark: (messageId) => builtIns.checkpoints?.mark(messageId),
    now: Date.now,
    createId: randomUUID,
  };
  const runSubagent = createSubagents({
    definitions: agents,
    parent: () => context,
    snapshot: () => servers.snapshot(),
    servers: Object.keys(entries),
    model: modelNamed,
    planner: plannerFor,
    guard: ({ caller: who, about: aboutAgent, definition }) => {
      const own = createToolGuard({
        ...guarding,
        about: aboutAgent,
        mode: () => definition.permissionMode ?? controls.mode,
      });
      guards.set(who, own);
      return own;
    },
    forwardsText: options.forwardSubagentText === true,
  });
  const execute = async (call: Resolved, calling: AbortSignal): Promise<unknown> => {
    if (call.tool.server !== undefined) return servers.call(call.tool, call.arguments, calling);
    return builtIns.byName.get(call.tool.id)?.run(call.arguments, calling) ?? runSubagent(call, calling);
  };
  // Not the planner's plan: that one is fixed when the conversation begins.
  toolbox.prepare(planFor({ toolbox, caller, form, isStarting }, first));
  return {
    context,
    servers,
    search,
    source: resume === undefined ? 'startup' : isFork ? 'fork' : 'resume',
    init: () => ({
      type: 'system',
      subtype: 'init',
      uuid: randomUUID(),
      session_id: conversation.id,
      cwd,
      model: first.model,
      permissionMode: controls.mode,
      apiKeySource: options.upstream === undefined ? 'user' : 'none',
      tools: servers
        .snapshot()
        .tools.filter((tool) => caller.allow?.(tool) !== false)
        .map((tool) => servers.snapshot().modelName(tool)),
      mcp_servers: servers.status(),
      tool_search: search.engine,
      agents: Object.keys(agents),
      slash_commands: [],
      output_style: 'default',
    }),
    models: () => listModels({ ...asking, model: controls.model }),
    close() {
      closed.abort();
      return servers.close();
    },
  };
}

type FindModel = (name: string | undefined) => Promise<ResolvedModel>;

/** Finds each model once, so that a plan made for it can be cached. */
function createModelTable(find: FindModel): FindModel {
  const kept = new Map<string | undefined, Promise<ResolvedModel>>();
  return (name) => {
    const model = kept.get(name) ?? find(name);
    kept.set(name, model);
    // The next response tries again.
    model.catch(() => kept.delete(name));
    return model;
  };
}

/** Presets belong to the agent SDK; text appended to one is the user's own. */
function systemText(prompt: Options['systemPrompt'], instruction: string | undefined): string | undefined {
  const texts = typeof prompt === 'object' && 'preset' in prompt ? [prompt.append ?? ''] : [prompt ?? ''].flat();
  const text = [...texts, instruction ?? ''].filter((each) => each !== '').join('\n\n');
  return text === '' ? undefined : text;
}
