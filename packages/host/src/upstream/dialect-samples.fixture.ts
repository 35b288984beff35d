import type { Wire } from '@quartermaster/core/loop';
import { anthropicWire } from '@quartermaster/wires/anthropic';
import { openaiChatWire } from '@quartermaster/wires/openai-chat';
import { openaiResponsesWire } from '@quartermaster/wires/openai-responses';
import { expect } from 'vitest';
import type { DialectName, PartOf, RequestOf, ResponseOf } from './dialect.ts';

/** What the sample conversation is about, in one dialect. */
export interface DialectSample<D extends DialectName> {
  readonly wire: Wire<RequestOf<D>, PartOf<D>>;
  readonly request: RequestOf<D>;
  /** A hand-written stream: the text "Let me look.", then a call of `get_weather` with `{"city":"Oslo"}`. */
  readonly parts: readonly PartOf<D>[];
  readonly error: object;
  /** Expects that the parts come in an order which the dialect's clients accept. */
  expectOrder(parts: readonly PartOf<D>[]): void;
  /** What a client has in the end. */
  received(response: ResponseOf<D>): Received;
}

interface Received {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly ending: string | undefined;
  readonly tokens: { readonly input: number; readonly output: number };
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const ASKED = 'What is the weather in Oslo?';
const DESCRIPTION = 'Tells the weather of a city.';

export const SAMPLES: { readonly [D in DialectName]: DialectSample<D> } = {
  anthropic: {
    wire: anthropicWire,
    request: {
      model: 'sample-model',
      max_tokens: 100,
      messages: [{ role: 'user', content: ASKED }],
      tools: [{ name: 'get_weather', description: DESCRIPTION, input_schema: SCHEMA }],
    },
    parts: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'sample-model',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 20, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 20, output_tokens: 9 },
      },
      { type: 'message_stop' },
    ],
    error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    expectOrder(parts) {
      expect(parts[0]?.type).toBe('message_start');
      expect(parts.filter(({ type }) => type === 'message_start')).toHaveLength(1);
      expect(parts.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
      let open: number | undefined;
      let next = 0;
      for (const part of parts) {
        if (part.type === 'content_block_start') {
          expect(open).toBeUndefined();
          expect(part.index).toBe(next);
          open = part.index;
          next += 1;
        }
        if (part.type === 'content_block_delta') expect(part.index).toBe(open);
        if (part.type === 'content_block_stop') {
          expect(part.index).toBe(open);
          open = undefined;
        }
      }
      expect(open).toBeUndefined();
    },
    received: ({ content, stop_reason: ending, usage }) => ({
      text: content.map((block) => (typeof block.text === 'string' ? block.text : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: String(block.id), name: String(block.name), input: block.input }] : [],
      ),
      ending: { tool_use: 'calls', end_turn: 'done', max_tokens: 'cut' }[ending ?? ''],
      tokens: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
    }),
  },
  'openai-chat': {
    wire: openaiChatWire,
    request: {
      model: 'sample-model',
      messages: [{ role: 'user', content: ASKED }],
      tools: [{ type: 'function', function: { name: 'get_weather', description: DESCRIPTION, parameters: SCHEMA } }],
    },
    parts: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Let me ' }),
      chunk({ content: 'look.' }),
      chunk({
        tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'get_weather', arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, 'tool_calls'),
      { ...frame(), choices: [], usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } },
    ],
    error: { error: { type: 'overloaded_error', message: 'Overloaded' } },
    expectOrder(parts) {
      const ids = new Set(parts.map(({ id }) => id));
      expect(ids.size).toBe(1);
      const finish = parts.findIndex(({ choices }) => typeof choices?.[0]?.finish_reason === 'string');
      expect(finish).toBeGreaterThan(-1);
      expect(parts.slice(finish + 1).every(({ choices }) => choices?.length === 0)).toBe(true);
      const indexes = parts.flatMap((part) => part.choices?.[0]?.delta.tool_calls?.map(({ index = 0 }) => index) ?? []);
      expect(indexes).toEqual(indexes.toSorted((left, right) => left - right));
    },
    received: ({ choices, usage }) => ({
      text: String(choices[0]?.message.content ?? ''),
      calls: (choices[0]?.message.tool_calls ?? []).map(({ id, function: called }) => ({
        id,
        name: called?.name ?? '',
        input: JSON.parse(called?.arguments ?? ''),
      })),
      ending: { tool_calls: 'calls', stop: 'done', length: 'cut' }[choices[0]?.finish_reason ?? ''],
      tokens: { input: Number(usage?.prompt_tokens ?? 0), output: Number(usage?.completion_tokens ?? 0) },
    }),
  },
  'openai-responses': {
    wire: openaiResponsesWire,
    request: {
      model: 'sample-model',
      input: ASKED,
      tools: [{ type: 'function', name: 'get_weather', description: DESCRIPTION, parameters: SCHEMA, strict: false }],
    },
    parts: responsesParts(),
    error: { type: 'error', code: 'overloaded_error', message: 'Overloaded', param: null, sequence_number: 3 },
    expectOrder(parts) {
      expect(parts[0]?.type).toBe('response.created');
      expect(parts.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/);
      expect(parts.map((part) => part.sequence_number)).toEqual(parts.map((_, index) => index));
      const open: number[] = [];
      let next = 0;
      for (const { type, output_index: index } of parts) {
        if (index === undefined) continue;
        if (type === 'response.output_item.added') {
          expect(open).toEqual([]);
          expect(index).toBe(next);
          open.push(index);
          next += 1;
        }
        expect(open).toEqual([index]);
        if (type === 'response.output_item.done') open.pop();
      }
      expect(open).toEqual([]);
    },
    received: ({ output = [], status, usage }) => ({
      text: output.flatMap((item) => (item.type === 'message' ? contentText(item.content) : [])).join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ id: String(item.call_id), name: String(item.name), input: JSON.parse(String(item.arguments)) }]
          : [],
      ),
      ending: status === 'incomplete' ? 'cut' : output.some(({ type }) => type === 'function_call') ? 'calls' : 'done',
      tokens: { input: Number(usage?.input_tokens ?? 0), output: Number(usage?.output_tokens ?? 0) },
    }),
  },
};

function frame(): { id: string; object: string; created: number; model: string } {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'sample-model' };
}

type ChatDelta = NonNullable<PartOf<'openai-chat'>['choices']>[number]['delta'];

function chunk(delta: ChatDelta, finish_reason: string | null = null): PartOf<'openai-chat'> {
  return { ...frame(), choices: [{ index: 0, delta, finish_reason }] };
}

function contentText(content: unknown): readonly string[] {
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '') : [];
}

function responsesParts(): readonly PartOf<'openai-responses'>[] {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
  const part = { type: 'output_text', text: 'Let me look.', annotations: [] };
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'toolu_1',
    name: 'get_weather',
    arguments: '',
    status: 'in_progress',
  };
  const said = { ...message, status: 'completed', content: [part] };
  const called = { ...call, arguments: '{"city":"Oslo"}', status: 'completed' };
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', model: 'sample-model', output: [] };
  const usage = { input_tokens: 20, output_tokens: 9, total_tokens: 29 };
  const text = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const events: readonly PartOf<'openai-responses'>[] = [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: message },
    { type: 'response.content_part.added', ...text, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...text, delta: 'Let me look.' },
    { type: 'response.output_text.done', ...text, text: 'Let me look.' },
    { type: 'response.content_part.done', ...text, part },
    { type: 'response.output_item.done', output_index: 0, item: said },
    { type: 'response.output_item.added', output_index: 1, item: call },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"city":"Oslo"}' },
    { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 1, arguments: '{"city":"Oslo"}' },
    { type: 'response.output_item.done', output_index: 1, item: called },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [said, called], usage } },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}
