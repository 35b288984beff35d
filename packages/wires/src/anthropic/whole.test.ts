import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searched, toolUse } from './rendered.fixture.ts';
import { UpstreamEventError } from './upstream-event-error.ts';
import { anthropicWhole } from './whole.ts';

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

describe('a whole message', () => {
  it('survives being taken apart and put together, unknown blocks and fields included', () => {
    expect(anthropicWhole.together(anthropicWhole.apart(MESSAGE))).toEqual(MESSAGE);
  });

  it('survives with any arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const plain = JSON.parse(JSON.stringify(input)) as object;
        const message = { ...MESSAGE, content: [toolUse('t1', 'a', plain)] };
        const again = anthropicWhole.together(anthropicWhole.apart(message));
        expect(JSON.stringify(again.content)).toBe(JSON.stringify(message.content));
      }),
    );
  });

  it('is what a stream’s deltas add up to', () => {
    const message = anthropicWhole.together([
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

  it('is not made of a stream that ends in an error', () => {
    const error = { type: 'overloaded_error', message: 'Busy' };
    expect(() => anthropicWhole.together([{ type: 'error', error }])).toThrow(UpstreamEventError);
  });
});
