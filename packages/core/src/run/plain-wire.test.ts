import { describeWire } from '../loop/wire-contract.fixture.ts';
import { LOCAL_FORMS, type ScriptedRound, type SeenMessage } from '../testing/index.ts';
import type { Message } from './model.ts';
import { addToMessages, type PlainPart, type PlainRequest, plainWire } from './plain-wire.ts';

function round(script: ScriptedRound): readonly PlainPart[] {
  return [
    ...script.items.map((item): PlainPart => {
      if (item.kind === 'text') return { kind: 'text', text: item.text };
      return { kind: 'call', id: item.id, name: item.name, arguments: item.json };
    }),
    { kind: 'end', isCut: script.ending === 'cut', usage: { inputTokens: 10, outputTokens: 2 } },
  ];
}

function seenMessage(message: Message): SeenMessage {
  const text = typeof message.content === 'string' ? message.content : '';
  if (message.role === 'tool') return { role: 'tool', text, calls: [], answers: [message.id] };
  if (message.role !== 'assistant')
    return { role: message.role === 'user' ? 'user' : 'other', text, calls: [], answers: [] };
  return { role: 'assistant', text, calls: (message.calls ?? []).map((call) => call.id), answers: [] };
}

/** What a client keeps: our own calls stand beside their results, so that those left over are its own to answer. */
function unanswered(parts: readonly PlainPart[]): readonly (PlainPart & { readonly kind: 'made' })[] {
  const answered = new Set(parts.flatMap((part) => (part.kind === 'result' ? [part.id] : [])));
  return parts.flatMap((part) => (part.kind === 'made' && !answered.has(part.id) ? [part] : []));
}

describeWire<PlainRequest, PlainPart>({
  wire: plainWire,
  forms: LOCAL_FORMS,
  showsSearches: true,
  showsEverything: true,
  endings: { done: 'done', calls: 'calls', pause: 'pause', cut: 'cut' },
  request: ({ text, tools, unknown }) => ({
    tools,
    messages: [{ role: 'user', content: text }],
    future_field: unknown,
  }),
  round,
  received(parts) {
    const closings = parts.flatMap((part) => (part.kind === 'close' ? [part.reason] : []));
    return {
      text: parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
      calls: unanswered(parts).map(({ id, name, arguments: input }) => ({ id, name, arguments: input })),
      ending: closings[0] ?? 'none',
      openings: 1,
      closings: closings.length,
    };
  },
  next(request, parts, reply) {
    let messages = parts.reduce(addToMessages, request.messages);
    for (const [id, content] of reply.results) messages = [...messages, { role: 'tool', id, content }];
    if (reply.text !== undefined) messages = [...messages, { role: 'user', content: reply.text }];
    return { ...request, messages };
  },
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages: messages as never }),
  seen(request) {
    const system = request.messages.filter((message) => message.role === 'system');
    return {
      prefix: JSON.stringify([request.tools, system]),
      tools: request.tools.map((tool) => tool.name),
      messages: request.messages.filter((message) => message.role !== 'system').map(seenMessage),
    };
  },
});
