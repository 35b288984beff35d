import type { LanguageModelV4, LanguageModelV4Content } from '@ai-sdk/provider';
import { UpstreamError } from '@quartermaster/core/errors';
import { DIALECTS, type DialectName, type DialectUpstream, type PartOf, type RequestOf } from '../dialect.ts';
import { answeringModel } from '../model/answering-model.ts';
import { createModelUpstream } from '../model/create-model-upstream.ts';

/** One turn of a script: its content for any dialect, the dialect's own parts, or a failure. */
export type ScriptedTurn<D extends DialectName> =
  | ScriptedAnswer
  | { readonly parts: readonly PartOf<D>[]; readonly fails?: Error }
  | { readonly fails: Error };

/** What a scripted model says in one turn. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default tool-calls if there are calls, otherwise stop */
  readonly ending?: 'stop' | 'length' | 'tool-calls' | 'content-filter';
}

/** A tool call of a scripted model. */
export interface ScriptedCall {
  /** @default call_1, call_2, … over the whole script */
  readonly id?: string;
  readonly name: string;
  readonly input?: object;
}

/** A model that answers by a script and records its requests. */
export interface ScriptedUpstream<D extends DialectName> extends DialectUpstream<D> {
  /** Every request, in order. */
  readonly requests: readonly RequestOf<D>[];
}

/** Options of `scripted`. */
export interface ScriptedOptions<D extends DialectName> {
  readonly dialect: D;
  readonly turns: readonly ScriptedTurn<D>[];
}

/** Plays turns, one per request, and records the requests. Asserts nothing. A request after the last turn fails. */
export function scripted<D extends DialectName>({ dialect, turns }: ScriptedOptions<D>): ScriptedUpstream<D> {
  const requests: RequestOf<D>[] = [];
  let callCount = 0;
  const nextId = (): string => {
    callCount += 1;
    return `call_${callCount}`;
  };

  async function* play(request: RequestOf<D>, signal: AbortSignal): AsyncGenerator<PartOf<D>, void, undefined> {
    signal.throwIfAborted();
    const turn = turns[requests.length];
    requests.push(request);
    if (turn === undefined) {
      const message = `The script has no turn ${requests.length}`;
      throw new UpstreamError({ code: 'refused', message, shouldRetry: false });
    }
    if (!('parts' in turn) && !('fails' in turn)) {
      const model = answering(turn, nextId);
      yield* createModelUpstream({ dialect, model, createId: () => 'scripted' }).stream(request, signal);
      return;
    }
    for (const part of 'parts' in turn ? turn.parts : []) {
      signal.throwIfAborted();
      yield part;
    }
    if (turn.fails !== undefined) throw turn.fails;
  }

  const upstream: ScriptedUpstream<D> = {
    dialect,
    transport: DIALECTS[dialect].endpoint.transport,
    requests,
    stream: play,
    async whole(request, signal) {
      const parts: PartOf<D>[] = [];
      for await (const part of play(request, signal)) parts.push(part);
      return DIALECTS[dialect].whole.fromParts(parts);
    },
    forClient: () => upstream,
  };
  return upstream;
}

/** A model that gives one answer. */
function answering(answer: ScriptedAnswer, nextId: () => string): LanguageModelV4 {
  const { text, calls = [], ending = calls.length > 0 ? 'tool-calls' : 'stop' } = answer;
  const content: LanguageModelV4Content[] = [
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id = nextId(), name, input = {} }) => {
      return { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input) } as const;
    }),
  ];
  return answeringModel({ provider: 'scripted', modelId: 'scripted' }, () => ({
    content,
    finishReason: { unified: ending, raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
    warnings: [],
  }));
}
