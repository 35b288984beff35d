import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { modelWhole } from '@quartermaster/wires/ai-sdk';

export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: readonly LanguageModelV4CallOptions[];
}

export interface ModelTurn {
  readonly parts?: readonly LanguageModelV4StreamPart[];
  /** Thrown before there is a stream. */
  readonly throws?: unknown;
  /** Whether the stream stays open. It ignores the signal. */
  readonly hangs?: boolean;
}

export const USAGE: Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'] = {
  inputTokens: { total: 20, noCache: 20, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 9, text: 9, reasoning: undefined },
};

export function finish(
  unified: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other' = 'stop',
  raw?: string,
): LanguageModelV4StreamPart {
  return { type: 'finish', usage: USAGE, finishReason: { unified, raw } };
}

/** A model that plays streams, one to a call; the last is repeated. */
export function scriptedModel(turns: readonly ModelTurn[], provider = 'scripted.chat'): ScriptedModel {
  const calls: LanguageModelV4CallOptions[] = [];
  const next = (options: LanguageModelV4CallOptions): ModelTurn => {
    const turn = turns[Math.min(calls.length, turns.length - 1)] ?? {};
    calls.push(options);
    if (turn.throws !== undefined) throw turn.throws;
    return turn;
  };
  return {
    specificationVersion: 'v4',
    provider,
    modelId: 'scripted-model',
    supportedUrls: {},
    calls,
    doGenerate: async (options) => modelWhole.fromParts(next(options).parts ?? []),
    doStream: async (options) => {
      const { parts = [], hangs = false } = next(options);
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            if (!hangs) controller.close();
          },
        }),
      };
    },
  };
}
