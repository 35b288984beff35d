import { writeTool } from '@quartermaster/core/catalog';
import { describeWire } from '@quartermaster/core/fixtures';
import { LOCAL_FORMS } from '@quartermaster/core/testing';
import { openaiChatWire } from './chat-dialect.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ChatMessage,
  ChatRequest,
  ChatToolCallDelta,
} from './chat-shapes-2026-11.ts';
import { chatWhole } from './whole.ts';

type Sample = Parameters<typeof describeWire<ChatRequest, ChatChunk>>[0];
type ScriptedRound = Parameters<Sample['round']>[0];
type SeenMessage = ReturnType<Sample['seen']>['messages'][number];

const REASONS = { done: 'stop', calls: 'tool_calls', cut: 'length' } as const;

/** Like the API: a role first, a call's JSON in pieces, then the reason, then the usage. */
function round(script: ScriptedRound): readonly ChatChunk[] {
  let calls = 0;
  const deltas = script.items.flatMap((item): readonly ChatDelta[] => {
    if (item.kind === 'text') return [{ content: item.text }];
    const index = calls;
    calls += 1;
    const middle = Math.floor(item.json.length / 2);
    const first: ChatToolCallDelta = {
      index,
      id: item.id,
      type: 'function',
      function: { name: item.name, arguments: '' },
    };
    const pieces = [item.json.slice(0, middle), item.json.slice(middle)];
    return [first, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((piece) => ({
      tool_calls: [piece],
    }));
  });
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5.4' };
  return [
    ...[{ role: 'assistant', content: '' }, ...deltas].map((delta) => ({
      ...frame,
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    { ...frame, choices: [{ index: 0, delta: {}, finish_reason: REASONS[script.ending] }] },
    { ...frame, choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
  ];
}

/** As a client's own stream reader folds it, independent of ours. */
function fold(parts: readonly ChatChunk[]): {
  text: string;
  calls: { id: string; name: string; json: string }[];
  reason: string;
} {
  const folded = { text: '', calls: [] as { id: string; name: string; json: string }[], reason: 'none' };
  for (const choice of parts.flatMap((part) => part.choices ?? [])) {
    folded.text += choice.delta.content ?? '';
    folded.reason = choice.finish_reason ?? folded.reason;
    for (const piece of choice.delta.tool_calls ?? []) {
      const index = piece.index ?? 0;
      const call = folded.calls[index] ?? { id: piece.id ?? '', name: piece.function?.name ?? '', json: '' };
      folded.calls[index] = { ...call, json: call.json + (piece.function?.arguments ?? '') };
    }
  }
  return folded;
}

function seenMessage(message: ChatMessage): SeenMessage {
  const text = typeof message.content === 'string' ? message.content : '';
  if (message.role === 'tool') return { role: 'tool', text, calls: [], answers: [message.tool_call_id ?? ''] };
  if (message.role !== 'assistant')
    return { role: message.role === 'user' ? 'user' : 'other', text, calls: [], answers: [] };
  return { role: 'assistant', text, calls: (message.tool_calls ?? []).map((call) => call.id), answers: [] };
}

describeWire<ChatRequest, ChatChunk>({
  wire: openaiChatWire,
  forms: LOCAL_FORMS,
  showsSearches: false,
  endings: { done: 'stop', calls: 'tool_calls', pause: 'length', cut: 'length' },
  request: ({ text, tools, unknown }) => ({
    model: 'gpt-5.4',
    messages: [{ role: 'user', content: text }],
    tools: tools.map((tool) => writeTool(tool, 'openai-chat')),
    stream: true,
    future_field: unknown,
  }),
  round,
  received(parts) {
    const { text, calls, reason } = fold(parts);
    return {
      text,
      calls: calls.map(({ id, name, json }) => ({ id, name, arguments: JSON.parse(json) })),
      ending: reason,
      openings: parts.filter((part) => part.choices?.[0]?.delta.role !== undefined).length,
      closings: parts.filter((part) => typeof part.choices?.[0]?.finish_reason === 'string').length,
    };
  },
  next(request, parts, reply) {
    const { text, calls } = fold(parts);
    const tool_calls = calls.map(({ id, name, json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    }));
    return {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls } : {}) },
        ...[...reply.results].map(([id, content]) => ({ role: 'tool', tool_call_id: id, content })),
        ...(reply.text === undefined ? [] : [{ role: 'user', content: reply.text }]),
      ],
    };
  },
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages: messages as never }),
  seen(request) {
    const system = request.messages.filter((message) => message.role === 'system');
    const tools = (request.tools ?? []) as readonly { readonly function: { readonly name: string } }[];
    return {
      prefix: JSON.stringify([request.tools, system]),
      tools: tools.map((tool) => tool.function.name),
      messages: request.messages.filter((message) => message.role !== 'system').map(seenMessage),
    };
  },
  whole: { toParts: (response) => chatWhole.toParts(response as ChatCompletion), fromParts: chatWhole.fromParts },
});
