import type { ChatChunk, ChatDelta, ChatToolCallDelta } from './chat-shapes-2026-11.ts';

/** A round of an upstream: what it says, then what it calls. */
export interface ChatScript {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly reason?: string;
}

const FRAME = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5.4' };
export const USAGE = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

/** The chunks that the API sends for it, usage last. */
export function chatRound(script: ChatScript): readonly ChatChunk[] {
  const calls = (script.calls ?? []).flatMap(({ id, name, input }, index): readonly ChatToolCallDelta[] => {
    const json = JSON.stringify(input);
    const middle = Math.floor(json.length / 2);
    return [
      { index, id, type: 'function', function: { name, arguments: '' } },
      { index, function: { arguments: json.slice(0, middle) } },
      { index, function: { arguments: json.slice(middle) } },
    ];
  });
  const deltas: readonly ChatDelta[] = [
    { role: 'assistant', content: script.text === undefined ? null : '' },
    ...(script.text === undefined ? [] : [{ content: script.text }]),
    ...calls.map((call) => ({ tool_calls: [call] })),
  ];
  const reason = script.reason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return [...deltas.map((delta) => chunk(delta)), chunk({}, reason), { ...FRAME, choices: [], usage: USAGE }];
}

export function chunk(delta: ChatDelta, reason: string | null = null): ChatChunk {
  return { ...FRAME, choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }] };
}

/** A function as a client declares it, with one required text. */
export function chatTool(
  name: string,
  description: string,
  extra: object = {},
): { type: 'function'; function: ChatFunction } {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  return { type: 'function', ...extra, function: { name, description, parameters } };
}

interface ChatFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: unknown };
}
