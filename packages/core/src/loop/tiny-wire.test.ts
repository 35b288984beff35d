import { LOCAL_FORMS, type ScriptedRound, type SeenMessage } from '../testing/index.ts';
import { type TinyMessage, type TinyPart, type TinyRequest, tinyBlocks, tinyWire } from './tiny-wire.fixture.ts';
import { describeWire } from './wire-contract.fixture.ts';

const REASONS = { done: 'end', calls: 'calls', cut: 'length' } as const;

/** A real call's JSON arrives in two pieces, as it does on real wires. */
function round(script: ScriptedRound): readonly TinyPart[] {
  return [
    { type: 'start' },
    ...script.items.flatMap((item): TinyPart[] => {
      if (item.kind === 'text') return [{ type: 'text', text: item.text }];
      const middle = Math.floor(item.json.length / 2);
      return [item.json.slice(0, middle), item.json.slice(middle)].map((piece) => ({
        type: 'call',
        id: item.id,
        name: item.name,
        piece,
      }));
    }),
    { type: 'end', reason: REASONS[script.ending], tokens: 10 },
  ];
}

function seenMessage(message: TinyMessage): SeenMessage {
  if (message.role === 'user') return { role: 'user', text: message.text, calls: [], answers: [] };
  if (message.role === 'tool') return { role: 'tool', text: message.text, calls: [], answers: [message.id] };
  const calls = message.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []));
  const text = message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { role: 'assistant', text, calls, answers: [] };
}

describeWire<TinyRequest, TinyPart>({
  wire: tinyWire,
  forms: LOCAL_FORMS,
  showsSearches: true,
  endings: { done: 'end', calls: 'calls', pause: 'pause', cut: 'length' },
  request: ({ text, tools, unknown }) => ({
    tools: tools.map(({ name, description, schema, policy }) => ({
      name,
      description,
      input_schema: schema,
      defer_loading: policy !== 'never',
    })),
    messages: [{ role: 'user', text }],
    future_field: unknown,
  }),
  round,
  received(parts) {
    const blocks = tinyBlocks(parts);
    const end = parts.at(-1);
    return {
      text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: blocks.flatMap((block) =>
        block.type === 'call' ? [{ ...block, arguments: JSON.parse(String(block.arguments)) }] : [],
      ),
      order: blocks
        .map((block) => (block.type === 'text' ? block.text : block.type === 'call' ? `<${block.name}>` : ''))
        .join(''),
      ending: end?.type === 'end' ? end.reason : 'none',
      openings: parts.filter((part) => part.type === 'start').length,
      closings: parts.filter((part) => part.type === 'end').length,
    };
  },
  next: (request, parts, reply) => ({
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', blocks: tinyBlocks(parts) },
      ...[...reply.results].map(([id, text]): TinyMessage => ({ role: 'tool', id, text })),
      ...(reply.text === undefined ? [] : [{ role: 'user' as const, text: reply.text }]),
    ],
  }),
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages: messages as never }),
  seen: (request) => ({
    prefix: JSON.stringify([request.system, request.tools]),
    tools: request.tools.map((tool) => tool.name),
    messages: request.messages.map(seenMessage),
  }),
});
