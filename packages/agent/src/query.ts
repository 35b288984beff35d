import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import { checkOptionNames, defined } from '@quartermaster/core/internal';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import { AbortError } from './abort-error.ts';
import { type AgentSession, type Controls, openSession } from './agent-session.ts';
import type { RewindFilesResult } from './built-in/index.ts';
import { type ContextUsage, contextUsage } from './context-usage.ts';
import { refusedMethods } from './contract/index.ts';
import type { AgentDefinition } from './create-subagents.ts';
import { addedContexts, blockReason, runObservers } from './hooks/index.ts';
import { createInputs, type Inputs } from './inputs.ts';
import { invalidSetting } from './invalid-setting.ts';
import { withTexts } from './message-content.ts';
import type { ModelInfo } from './model/index.ts';
import { OPTION_DEFAULTS, type Options } from './options.ts';
import { checkMode, type PermissionMode } from './permissions/index.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import type { SDKMessage, SDKUserMessage } from './sdk-message.ts';
import type { McpServerConfig, McpServerStatus, McpSetServersResult } from './servers/index.ts';
import { runTurn } from './turn/index.ts';

/** What `query` takes: the prompt and the options. */
export interface QueryParameters {
  /** One prompt, or a stream of them: each gets its result before the next one is read. */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/** The messages of a query, and methods to control it while it runs. */
export interface Query extends AsyncGenerator<SDKMessage, void, undefined> {
  /** Ends the current turn, with a result that says so. Further prompts are still read. */
  interrupt(): Promise<void>;
  /** Applies from the next call on. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Applies from the next response on; without a name, the model of the options. */
  setModel(model?: string): Promise<void>;
  /**
   * Adds further prompts after the current ones. They are read while the query's messages are read, and the promise resolves
   * when the stream has ended: don't await it in the loop that reads the messages.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /**
   * Replaces the servers that this method added, and the in-process servers of the options. Other servers of the options
   * stay, unless they are named here. A server whose configuration is the same object keeps running.
   */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  /** Restarts a server. Rejects if it can't be used afterwards. */
  reconnectMcpServer(serverName: string): Promise<void>;
  /** Stops a server, or starts it again. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /** The contents of a resource, as its server sent them. */
  readMcpResource(serverName: string, uri: string): Promise<JsonObject>;
  /** The models that the settings name. Other models of the upstream can be chosen too. */
  supportedModels(): Promise<readonly ModelInfo[]>;
  /** The subagents in the options. */
  supportedAgents(): Promise<readonly AgentInfo[]>;
  /** Always empty: there are no slash commands. */
  supportedCommands(): Promise<readonly never[]>;
  /** How much of the model's context window the next request would take. */
  getContextUsage(): Promise<ContextUsage>;
  /**
   * Restores files that `Write` and `Edit` changed to their content at a message, named by its `uuid`: the `init` message, a
   * `user` message, or a prompt that has one. Needs `enableFileCheckpointing`.
   */
  rewindFiles(userMessageId: string, options?: { readonly dryRun?: boolean }): Promise<RewindFilesResult>;
  /** Ends everything, like leaving the loop. */
  close(): Promise<void>;
}

/** A subagent that the session has. */
export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
}

/**
 * Asks a model that has the tools of any number of MCP servers, and searches them instead of reading them all. Yields `system/init`,
 * then for each prompt `assistant` and `user` messages and a `result`. Nothing starts before the first message is requested.
 * Throws a `SettingError` at once for an option that has no effect here, or a value that is not allowed.
 *
 * @example
 * for await (const message of query({ prompt: 'Close issue 7', options: { model, mcpServers, allowedTools: ['mcp__github__*'] } })) {
 *   if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.errors);
 * }
 */
export function query(parameters: QueryParameters): Query {
  checkOptionNames('query', parameters, 'prompt options');
  const { prompt, options = {} } = parameters;
  checkPrompt(prompt);
  const read = readOptions(options);
  const closing = new AbortController();
  const controls: Controls = { mode: options.permissionMode ?? OPTION_DEFAULTS.permissionMode, model: options.model };
  const running: Running = { session: undefined, turn: undefined };
  const given = options.abortController?.signal;
  const signal = given === undefined ? closing.signal : AbortSignal.any([given, closing.signal]);
  const inputs = createInputs<unknown>(typeof prompt === 'string' ? once(prompt) : prompt);
  const messages = run({ inputs, options, read, controls, running, signal, closing: closing.signal });
  const close = async (): Promise<void> => {
    closing.abort(new AbortError('The query was closed'));
    await messages.return();
  };
  const started = (method: string): AgentSession => {
    if (running.session !== undefined) return running.session;
    throw new RequestError('invalid_request', `${method}() needs a running query: request its first message first`);
  };
  return {
    ...refusedMethods(),
    next: () => messages.next(),
    async return() {
      // Before any wait: a generator's return waits behind its pending step.
      await close();
      return { done: true, value: undefined };
    },
    async throw(error) {
      await close();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    close,
    async interrupt() {
      running.turn?.abort(new AbortError('The turn was interrupted'));
    },
    async setPermissionMode(mode) {
      checkMode(mode);
      controls.mode = mode;
    },
    async setModel(model) {
      controls.model = model ?? options.model;
    },
    streamInput: (stream) => inputs.add(stream),
    async mcpServerStatus() {
      const pending = Object.keys(options.mcpServers ?? {}).map((name) => ({ name, status: 'pending' as const }));
      return running.session?.servers.status() ?? pending;
    },
    setMcpServers: async (servers) => started('setMcpServers').servers.set(servers),
    reconnectMcpServer: async (name) => started('reconnectMcpServer').servers.reconnect(name),
    toggleMcpServer: async (name, enabled) => started('toggleMcpServer').servers.toggle(name, enabled),
    readMcpResource: async (name, uri) => started('readMcpResource').servers.readResource(name, uri),
    supportedModels: async () => started('supportedModels').models(),
    supportedAgents: async () => Object.entries(options.agents ?? {}).map(toAgentInfo),
    supportedCommands: async () => [],
    async rewindFiles(messageId, wish) {
      const { checkpoints } = read.builtIns;
      if (checkpoints !== undefined) return checkpoints.rewind(messageId, wish);
      throw invalidSetting({ setting: 'enableFileCheckpointing' }, NO_CHECKPOINTS);
    },
    async getContextUsage() {
      const { context, search } = started('getContextUsage');
      return contextUsage(context, search);
    },
  };
}

const NO_CHECKPOINTS = 'rewindFiles() needs options.enableFileCheckpointing, and Write or Edit among the tools';

function checkPrompt(prompt: unknown): void {
  if (typeof prompt === 'string' || (typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt)) {
    return;
  }
  const shown = Array.isArray(prompt) ? 'a list' : prompt === null ? 'null' : typeof prompt;
  throw invalidSetting(
    { setting: 'prompt' },
    `prompt is ${shown}; allowed: a string, or an async iterable of messages`,
  );
}

interface Running {
  session: AgentSession | undefined;
  turn: AbortController | undefined;
}

interface Run {
  readonly inputs: Inputs<unknown>;
  readonly options: Options;
  readonly read: ReadOptions;
  readonly controls: Controls;
  readonly running: Running;
  /** Ends the query: aborted by the caller, or closed by its reader. */
  readonly signal: AbortSignal;
  /** Aborts if the reader closes the query, in which case no error is needed. */
  readonly closing: AbortSignal;
}

async function* run(query: Run): AsyncGenerator<SDKMessage, void, undefined> {
  const { inputs, options, read, controls, running, signal, closing } = query;
  try {
    signal.throwIfAborted();
    const session = await openSession({ options, read, controls, signal });
    running.session = session;
    let reason: 'prompt_input_exit' | 'other' = 'other';
    try {
      let added = await startHooks(session, signal);
      const init = session.init();
      session.context.mark(init.uuid);
      yield init;
      for await (const prompt of inputs.items(signal)) {
        const turn = new AbortController();
        running.turn = turn;
        if (isJsonObject(prompt) && typeof prompt.uuid === 'string') session.context.mark(prompt.uuid);
        const signals = { query: signal, turn: AbortSignal.any([signal, turn.signal]) };
        yield* runTurn(session.context, withTexts(toMessage(prompt), added), signals);
        added = [];
        running.turn = undefined;
      }
      reason = 'prompt_input_exit';
    } finally {
      running.session = undefined;
      const { runHooks, about } = session.context;
      // Not the query's signal, which may be what ended it.
      const never = new AbortController().signal;
      await runObservers(runHooks, { ...about(), hook_event_name: 'SessionEnd', reason }, never);
      await session.close();
    }
  } catch (error) {
    if (closing.aborted) return;
    if (signal.aborted) throw new AbortError(undefined, { cause: error });
    throw error;
  } finally {
    inputs.close();
  }
}

/** What hooks add for the model with the first prompt. */
async function startHooks({ context, source }: AgentSession, signal: AbortSignal): Promise<readonly string[]> {
  const { model } = await context.model();
  const answers = await context.runHooks(
    { ...context.about(), hook_event_name: 'SessionStart', source, model },
    signal,
  );
  const refused = blockReason(answers);
  if (refused !== undefined) throw new RequestError('invalid_request', `A hook refused the session: ${refused}`);
  return addedContexts(answers);
}

async function* once(content: string): AsyncGenerator<unknown, void, undefined> {
  yield { type: 'user', message: { role: 'user', content } };
}

function toMessage(value: unknown): AnthropicMessage {
  const message = isJsonObject(value) && value.type === 'user' ? value.message : undefined;
  if (isJsonObject(message) && (message.role === undefined || message.role === 'user')) {
    const { content } = message;
    if (typeof content === 'string' || (Array.isArray(content) && content.length > 0 && content.every(isBlock))) {
      return { role: 'user', content: content as AnthropicMessage['content'] };
    }
  }
  throw new RequestError(
    'invalid_request',
    "A prompt is { type: 'user', message: { role: 'user', content } } with a string or a list of content blocks; this one is not",
  );
}

function isBlock(block: unknown): boolean {
  return (
    isJsonObject(block) && typeof block.type === 'string' && (block.type !== 'text' || typeof block.text === 'string')
  );
}

function toAgentInfo([name, { description, model }]: readonly [string, AgentDefinition]): AgentInfo {
  return { name, description, ...defined({ model }) };
}
