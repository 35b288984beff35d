import { describe, expect, it } from 'vitest';
import { run, SEARCH, toolCall } from './chat-run.fixture.ts';
import { chatRound, chunk, USAGE } from './chat-script.fixture.ts';
import type { ChatChunk } from './chat-shapes-2026-11.ts';
import { chatWhole } from './whole.ts';

describe('reading a stream', () => {
  it('waits for the usage that follows the reason', async () => {
    const { parts } = await run([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })], {
      request: { stream_options: { include_usage: true } },
    });
    expect(parts.at(-2)?.choices?.[0]?.finish_reason).toBe('stop');
    expect(parts.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    });
  });

  it('goes by the calls that it saw, not by the reason: "stop" can come with calls', async () => {
    const { parts, requests } = await run([
      chatRound({ calls: [SEARCH], reason: 'stop' }),
      chatRound({ calls: [{ id: 'a', name: 'read_file', input: {} }], reason: 'stop' }),
    ]);
    expect(requests).toHaveLength(2);
    expect(chatWhole.fromParts(parts).choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'a', function: { name: 'read_file' } }] },
      finish_reason: 'tool_calls',
    });
  });

  it('uses the last usage of a round that counts up in every chunk', async () => {
    const counted = chatRound({ text: 'Hello' }).map((part, index) => ({ ...part, usage: { total_tokens: index } }));
    const { parts } = await run([counted]);
    expect(chatWhole.fromParts(parts).usage).toEqual({ total_tokens: counted.length - 1 });
  });

  it('puts interleaved calls one after the other', async () => {
    const piece = (index: number, text: string): ChatChunk =>
      chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    const begin = (index: number): ChatChunk =>
      chunk({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'read_file', arguments: '' } }],
      });
    const { parts } = await run([
      [
        chunk({ role: 'assistant' }),
        begin(0),
        begin(1),
        piece(1, '{"text":'),
        piece(0, '{"text":'),
        piece(1, '"b"}'),
        piece(0, '"a"}'),
        chunk({}, 'tool_calls'),
      ],
    ]);
    const indexes = parts.flatMap((part) => part.choices?.[0]?.delta.tool_calls?.map((call) => call.index) ?? []);
    expect(indexes).toEqual([...indexes].sort());
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      toolCall('call_0', 'read_file', { text: 'a' }),
      toolCall('call_1', 'read_file', { text: 'b' }),
    ]);
  });

  it('distinguishes calls that share an index or have none', async () => {
    const call = (id: string, index: object): ChatChunk =>
      chunk({
        tool_calls: [
          { ...index, id, type: 'function', function: { name: 'read_file', arguments: `{"text":"${id}"}` } },
        ],
      });
    for (const index of [{ index: 0 }, {}]) {
      const { parts } = await run([
        [chunk({ role: 'assistant' }), call('a', index), call('b', index), chunk({}, 'tool_calls')],
      ]);
      expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
        toolCall('a', 'read_file', { text: 'a' }),
        toolCall('b', 'read_file', { text: 'b' }),
      ]);
    }
  });

  it('reads id and name once from a host that repeats them in every piece', async () => {
    const piece = (text: string): ChatChunk =>
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: text } }],
      });
    const { parts } = await run([
      [chunk({ role: 'assistant' }), piece('{"text"'), piece(':"x"}'), chunk({}, 'tool_calls')],
    ]);
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('a', 'read_file')]);
  });

  it('reads a chunk that says nothing, and a piece of a call without a function', async () => {
    const { parts } = await run([
      [
        chunk({ role: 'assistant', content: 'Hi' }),
        { choices: [{ index: 0, delta: null as never, finish_reason: null }] },
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 0, function: null as never }] }),
        chunk({}, 'tool_calls'),
      ],
    ]);
    const message = { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: '{}' } }] };
    expect(chatWhole.fromParts(parts).choices).toMatchObject([{ message }]);
    const silent = { choices: [{ index: 0, delta: null as never }] };
    expect(chatWhole.fromParts([silent]).choices).toMatchObject([{ message: { content: null } }]);
  });

  it('passes on what has no choices', async () => {
    const report: ChatChunk = { id: 'x', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const { parts } = await run([[report, ...chatRound({ text: 'Hello' })]]);
    expect(parts[0]).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  });

  it('passes on calls of the older kind', async () => {
    const { parts } = await run([
      [
        chunk({ role: 'assistant' }),
        chunk({ function_call: { name: 'old', arguments: '{}' } }),
        chunk({}, 'function_call'),
      ],
    ]);
    expect(chatWhole.fromParts(parts).choices[0]).toMatchObject({
      message: { function_call: { name: 'old', arguments: '{}' } },
      finish_reason: 'function_call',
    });
  });

  it('reports a real call that the limit cut', async () => {
    const cut = chunk({
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"te' } }],
    });
    const { parts } = await run([[chunk({ role: 'assistant' }), cut, chunk({}, 'length')]]);
    expect(chatWhole.fromParts(parts).choices[0]?.finish_reason).toBe('length');
  });
});

describe('a whole completion', () => {
  it('comes back as it was, several choices and unknown fields too', () => {
    const choice = (index: number): object => ({
      index,
      message: {
        role: 'assistant',
        content: `Answer ${index}`,
        refusal: null,
        annotations: [{ type: 'url_citation' }],
      },
      logprobs: { content: [{ token: 'A', logprob: -1 }], refusal: null },
      finish_reason: 'stop',
    });
    const completion = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [choice(0), choice(1)] as never,
      usage: USAGE,
      system_fingerprint: 'fp',
    };
    expect(chatWhole.fromParts(chatWhole.toParts(completion))).toEqual(completion);
  });
});
