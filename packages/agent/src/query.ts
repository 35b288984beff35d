import { isJsonObject, RequestError, untilAborted } from '@quartermaster/core';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import { AbortError } from './abort-error.ts';
import { type AgentSession, type Controls, checkMode, openSession } from './agent-session.ts';
import { checkOptions, refusedMethods } from './contract/index.ts';
import { OPTION_DEFAULTS, type Options } from './options.ts';
import type { PermissionMode } from './permissions/index.ts';
import type { SDKMessage, SDKUserMessage } from './sdk-message.ts';
import type { McpServerStatus } from './servers/index.ts';
import { runTurn } from './turn/index.ts';

export interface QueryParameters {
  /** One prompt, or as many as come: each gets its result before the next one is taken. */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/** The messages of a query, and what can be done while it runs. */
export interface Query extends AsyncGenerator<SDKMessage, void, undefined> {
  /** Ends the turn that is running, with a result that says so. Further prompts are still taken. */
  interrupt(): Promise<void>;
  /** From the next call on. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** From the next response on; without a name, what the options say. */
  setModel(model?: string): Promise<void>;
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /** Ends everything, as leaving the loop does. */
  close(): Promise<void>;
}

/**
 * Asks a model that has the tools of any number of MCP servers, and searches them instead of reading them all. Yields `system/init`,
 * then for each prompt `assistant` and `user` messages and a `result`. Nothing is started before the first message is asked for.
 * Throws a `SettingError` at once for an option that has no effect here.
 */
export function query({ prompt, options = {} }: QueryParameters): Query {
  checkOptions(options);
  const closing = new AbortController();
  const controls: Controls = { mode: options.permissionMode ?? OPTION_DEFAULTS.permissionMode, model: options.model };
  const running: Running = { session: undefined, turn: undefined };
  const given = options.abortController?.signal;
  const signal = given === undefined ? closing.signal : AbortSignal.any([given, closing.signal]);
  const messages = run({ prompt, options, controls, running, signal, closing: closing.signal });
  const close = async (): Promise<void> => {
    closing.abort(new AbortError('The query was closed'));
    await messages.return();
  };
  return {
    ...refusedMethods(),
    next: () => messages.next(),
    async return() {
      // Before anything is waited for: a generator's return waits behind its pending step.
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
    async mcpServerStatus() {
      const pending = Object.keys(options.mcpServers ?? {}).map((name) => ({ name, status: 'pending' as const }));
      return running.session?.serverStatus() ?? pending;
    },
  };
}

interface Running {
  session: AgentSession | undefined;
  turn: AbortController | undefined;
}

interface Run extends Required<QueryParameters> {
  readonly controls: Controls;
  readonly running: Running;
  /** Ends the query, by whoever's wish. */
  readonly signal: AbortSignal;
  /** The reader's own wish, about which it need not be told. */
  readonly closing: AbortSignal;
}

async function* run(query: Run): AsyncGenerator<SDKMessage, void, undefined> {
  const { options, controls, running, signal, closing } = query;
  try {
    signal.throwIfAborted();
    const session = await openSession({ options, controls, signal });
    running.session = session;
    try {
      yield session.init();
      for await (const prompt of prompts(query.prompt, signal)) {
        const turn = new AbortController();
        running.turn = turn;
        const signals = { query: signal, turn: AbortSignal.any([signal, turn.signal]) };
        yield* runTurn(session.context, prompt, signals);
        running.turn = undefined;
      }
    } finally {
      await session.close();
    }
  } catch (error) {
    if (closing.aborted) return;
    if (signal.aborted) throw new AbortError(undefined, { cause: error });
    throw error;
  }
}

async function* prompts(
  prompt: QueryParameters['prompt'],
  signal: AbortSignal,
): AsyncGenerator<AnthropicMessage, void, undefined> {
  if (typeof prompt === 'string') {
    yield { role: 'user', content: prompt };
    return;
  }
  const source = prompt[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await untilAborted(source.next(), signal);
      if (done === true) return;
      yield toMessage(value);
    }
  } finally {
    // Not awaited: it may wait behind a step that never ends.
    Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function toMessage(value: unknown): AnthropicMessage {
  const message = isJsonObject(value) && value.type === 'user' ? value.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  if (typeof content === 'string' || Array.isArray(content)) {
    return { role: 'user', content: content as AnthropicMessage['content'] };
  }
  throw new RequestError(
    'invalid_request',
    "A prompt is { type: 'user', message: { role: 'user', content: … } }; what came is none",
  );
}
