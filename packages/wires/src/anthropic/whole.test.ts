import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnthropicBlock } from './anthropic-shapes-2026-11.ts';
import { searched, toolUse } from './rendered.fixture.ts';
import { anthropicWhole, UpstreamEventError } from './whole.ts';

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'some-model',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: 'abc' },
    { type: 'text', text: 'Hi', citations: [{ type: 'char_location', cited_text: 'x' }] },
    ...searched('s1', 'x', ['a']),
    toolUse('t1', 'a', { text: 'x', nested: { list: [1] } }),
    toolUse('t2', 'a'),
    { type: 'some_new_block', data: [1] },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 3, output_tokens: 4, server_tool_use: null, service_tier: 'standard' },
};

/** The pieces of arguments that content is taken apart into. */
function piecesOf(content: readonly AnthropicBlock[]): readonly unknown[] {
  return anthropicWhole
    .toParts({ content })
    .flatMap((event) => (event.type === 'content_block_delta' ? [event.delta.partial_json] : []));
}

describe('a whole message', () => {
  it('survives being taken apart and put together, unknown blocks and fields included', () => {
    expect(anthropicWhole.fromParts(anthropicWhole.toParts(MESSAGE))).toEqual(MESSAGE);
  });

  it('brings its text, thinking and citations in deltas, where clients of a stream read them', () => {
    const deltas = anthropicWhole
      .toParts(MESSAGE)
      .flatMap((event) => (event.type === 'content_block_delta' && event.index < 2 ? [event.delta] : []));
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'signature_delta', signature: 'abc' },
      { type: 'text_delta', text: 'Hi' },
      { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x' } },
    ]);
    const started = anthropicWhole
      .toParts(MESSAGE)
      .flatMap((event) => (event.type === 'content_block_start' && event.index < 2 ? [event.content_block] : []));
    expect(started).toEqual([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'text', text: '', citations: [] },
    ]);
  });

  it('has its context management next to the delta, as a stream does', () => {
    const context_management = { applied_edits: [{ type: 'clear_tool_uses_20250919' }] };
    const message = { id: 'msg_1', type: 'message', content: [], stop_reason: 'end_turn', context_management };
    const closing = anthropicWhole.toParts(message).find(({ type }) => type === 'message_delta');
    expect(closing).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      context_management,
    });
  });

  it('survives with any arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const plain = JSON.parse(JSON.stringify(input)) as object;
        const message = { ...MESSAGE, content: [toolUse('t1', 'a', plain)] };
        const again = anthropicWhole.fromParts(anthropicWhole.toParts(message));
        expect(JSON.stringify(again.content)).toBe(JSON.stringify(message.content));
      }),
    );
  });

  const unreadable = ['{"t":', '["x"]', '"x"', '7', 'Oslo'];

  it.each(unreadable)('keeps arguments that are no object, %s, inside one that says so', (json) => {
    const started = { ...toolUse('t1', 'a'), input: {} };
    const message = anthropicWhole.fromParts([
      { type: 'content_block_start', index: 0, content_block: started },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index: 0 },
    ]);
    expect(message.content).toEqual([{ ...started, input: { INVALID_JSON: json } }]);
    expect(piecesOf(message.content)).toEqual([json]);
    expect(anthropicWhole.fromParts(anthropicWhole.toParts(message)).content).toEqual(message.content);
  });

  it.each<[string, unknown, string]>([
    ['a text that is none', '{"t":', '{"t":'],
    ['a list', ['x'], '["x"]'],
    ['a number', 7, '7'],
    ['JSON as a text', '{"t":1}', '{"t":1}'],
    ['an object that only looks like one of ours', { INVALID_JSON: '{"t":1}' }, '{"INVALID_JSON":"{\\"t\\":1}"}'],
    ['an object with more beside it', { INVALID_JSON: '{', t: 1 }, '{"INVALID_JSON":"{","t":1}'],
  ])('returns the arguments of a host as they were written: %s', (_what, input, json) => {
    expect(piecesOf([{ ...toolUse('t1', 'a'), input }])).toEqual([json]);
  });

  it('is what a stream’s deltas add up to', () => {
    const message = anthropicWhole.fromParts([
      { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { cited_text: 'x' } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'some_new_delta', data: 1 } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 9, input_tokens: null as never },
      },
      { type: 'message_stop' },
    ]);
    expect(message).toEqual({
      id: 'msg_1',
      content: [{ type: 'text', text: 'ab', citations: [{ cited_text: 'x' }] }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 9 },
    });
  });

  it('has the last signature of a thought, and a compaction joined', () => {
    const delta = (index: number, delta: { type: string; [key: string]: unknown }) =>
      ({ type: 'content_block_delta', index, delta }) as const;
    const { content } = anthropicWhole.fromParts([
      { type: 'message_start', message: { id: 'msg_1', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      ...['a', 'b'].map((signature) => delta(0, { type: 'signature_delta', signature })),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'compaction', content: null } },
      ...['c', 'd'].map((content) => delta(1, { type: 'compaction_delta', content })),
      { type: 'content_block_stop', index: 1 },
      { type: 'message_stop' },
    ]);
    expect(content).toEqual([
      { type: 'thinking', thinking: '', signature: 'b' },
      { type: 'compaction', content: 'cd' },
    ]);
  });

  it('is not made of a stream that ends in an error', () => {
    const error = { type: 'overloaded_error', message: 'Busy' };
    expect(() => anthropicWhole.fromParts([{ type: 'error', error }])).toThrow(UpstreamEventError);
  });
});
