import { isJsonObject } from '@quartermaster/core/catalog';
import { FORMS } from '@quartermaster/core/disclosure';
import { describeWire } from '@quartermaster/core/fixtures';
import { LOCAL_FORMS } from '@quartermaster/core/testing';
import { anthropicWire } from './anthropic-dialect.ts';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
} from './anthropic-shapes-2026-11.ts';
import { scriptMessage } from './message-script.fixture.ts';
import { anthropicWhole } from './whole.ts';

const REASONS = { done: 'end_turn', calls: 'tool_use', cut: 'max_tokens' } as const;

type Sample = Parameters<typeof describeWire<AnthropicRequest, AnthropicEvent>>[0];
type SeenMessage = ReturnType<Sample['seen']>['messages'][number];

function seenMessage(message: AnthropicMessage): SeenMessage {
  const blocks = blocksOf(message);
  const of = (type: string, key: string): string[] =>
    blocks.flatMap((block) => (block.type === type ? [String(block[key])] : []));
  const content = blocks.map((block) => {
    if (block.type === 'text') return block.text;
    return block.type === 'tool_result' ? JSON.stringify(block.content) : '';
  });
  return {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text: content.join(''),
    calls: of('tool_use', 'id'),
    answers: of('tool_result', 'tool_use_id'),
  };
}

/** The content of a response as a client of the dialect keeps it. */
function contentOf(parts: readonly AnthropicEvent[]): readonly AnthropicBlock[] {
  return anthropicWhole.fromParts(parts).content;
}

describeWire<AnthropicRequest, AnthropicEvent>({
  wire: anthropicWire,
  forms: {
    ...LOCAL_FORMS,
    native: FORMS.native,
    'native with marks': { ...FORMS.native, hidden: 'mark' },
    hosted: FORMS.hosted,
    client: FORMS.client,
  },
  showsSearches: true,
  endings: { done: 'end_turn', calls: 'tool_use', pause: 'pause_turn', cut: 'max_tokens' },
  request: ({ text, tools, unknown }) => ({
    model: 'some-model',
    max_tokens: 1000,
    stream: true,
    system: 'Be brief.',
    tools: tools.map(({ name, description, schema, policy }) => ({
      name,
      description,
      input_schema: schema,
      ...(policy === 'never' ? {} : { defer_loading: true }),
    })),
    messages: [{ role: 'user', content: text }],
    future_field: unknown,
  }),
  round: ({ items, ending }) => scriptMessage(items, REASONS[ending]),
  received(parts) {
    const blocks = contentOf(parts);
    return {
      text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: blocks.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: String(block.id), name: String(block.name), arguments: block.input }] : [],
      ),
      order: blocks
        .map((block) => {
          if (block.type === 'text') return String(block.text);
          return block.type === 'tool_use' ? `<${block.name}>` : '';
        })
        .join(''),
      ending: String(anthropicWhole.fromParts(parts).stop_reason),
      openings: parts.filter((part) => part.type === 'message_start').length,
      closings: parts.filter((part) => part.type === 'message_stop').length,
    };
  },
  next: (request, parts, reply) => {
    const results = [...reply.results].map(([id, content]) => ({ type: 'tool_result', tool_use_id: id, content }));
    const said = reply.text === undefined ? [] : [{ type: 'text', text: reply.text }];
    const content = [...results, ...said];
    return {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: contentOf(parts) },
        ...(content.length === 0 ? [] : [{ role: 'user', content }]),
      ],
    };
  },
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages: messages as never }),
  seen: (request) => {
    const tools = request.tools ?? [];
    return {
      // A marked definition is not in the model's context before it is referred to.
      prefix: JSON.stringify([request.system, tools.filter((tool) => tool.defer_loading !== true)]),
      tools: tools.flatMap((tool) => (isJsonObject(tool) ? [String(tool.name)] : [])),
      messages: request.messages.map(seenMessage),
    };
  },
  whole: anthropicWhole as never,
});
