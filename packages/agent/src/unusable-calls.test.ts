import { defined } from '@quartermaster/core/internal';
import type { AnthropicEvent } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from './index.ts';
import { ask } from './testing/ask.fixture.ts';
import { resultOf, resultsIn } from './testing/collect.fixture.ts';

interface Sent {
  /** @default mcp__files__delete */
  readonly name?: string;
  /** With the beginning of the block. */
  readonly input?: unknown;
  /** What follows it. */
  readonly json?: string;
  readonly stopReason: string;
}

/** What a host streams for one call. */
function callParts({ name = 'mcp__files__delete', input, json, stopReason }: Sent): readonly AnthropicEvent[] {
  const block = {
    type: 'tool_use',
    id: 'toolu_1',
    name,
    ...defined({ input }),
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] } as const;
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    ...(json === undefined
      ? []
      : [
          {
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'input_json_delta', partial_json: json },
          } as const,
        ]),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

/** What becomes of a call of a tool that takes any arguments, and none. */
async function outcomeOf(sent: Sent) {
  const ran: unknown[] = [];
  const remove = tool('delete', 'Deletes what is named, or everything.', {}, (args) => {
    ran.push(args);
    return { content: [{ type: 'text', text: 'Deleted.' }] };
  });
  const { messages, upstream } = await ask([{ parts: callParts(sent) }, { text: 'Then not.' }], {
    mcpServers: { files: createSdkMcpServer({ name: 'files', tools: [remove] }) },
    allowedTools: ['*'],
    env: { ENABLE_TOOL_SEARCH: 'false' },
  });
  const next = upstream.requests[1]?.messages.slice(1);
  return { ran: ran.length, results: resultsIn(messages), result: resultOf(messages), next };
}

describe('a call', () => {
  it.each([
    ['cut in the middle', 'max_tokens', '{"path": "/tm'],
    ['cut before its arguments', 'max_tokens', undefined],
    ['that is whole', 'max_tokens', '{}'],
    ['cut by the window', 'model_context_window_exceeded', '{"path": "/tm'],
  ])('%s in a response that was cut is not made, and the model goes on', async (_what, stopReason, json) => {
    const { ran, results, result, next } = await outcomeOf({
      input: {},
      stopReason,
      ...defined({ json }),
    });
    expect(ran).toBe(0);
    expect(results).toEqual([{ text: expect.stringContaining('Nothing was called'), isError: true }]);
    expect(result).toMatchObject({ subtype: 'success', result: 'Then not.' });
    expect(next).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', input: expect.any(Object) }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }] },
    ]);
  });

  it.each([['{"path": "/tm'], [['/tmp']], [null], [1]])(
    'is not made with arguments that are %j, which no host would take back',
    async (input) => {
      const { ran, results, next } = await outcomeOf({ input, stopReason: 'tool_use' });
      expect(ran).toBe(0);
      expect(results).toEqual([{ text: 'The arguments are not a JSON object. Nothing was called.', isError: true }]);
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      expect(next?.[0]).toMatchObject({ content: [{ type: 'tool_use', input: { INVALID_JSON: text } }] });
    },
  );

  it.each(['{"path": "/tm', '["/tmp"]', 'tmp'])('is not made with arguments that are streamed as %s', async (json) => {
    const { ran, results, next } = await outcomeOf({ input: {}, json, stopReason: 'tool_use' });
    expect(ran).toBe(0);
    expect(results).toEqual([{ text: 'The arguments are not a JSON object. Nothing was called.', isError: true }]);
    expect(next?.[0]).toMatchObject({ content: [{ type: 'tool_use', input: { INVALID_JSON: json } }] });
  });

  it.each([[{}], [undefined]])('is made with arguments that are %j', async (input) => {
    expect(await outcomeOf({ input, stopReason: 'tool_use' })).toMatchObject({
      ran: 1,
      results: [{ text: 'Deleted.', isError: false }],
    });
  });

  it.each([
    ['a search', 'native', 'tool_search', '{"query": "del'],
    ['a call through the bridge', 'bridge', 'tool_call', '{"name": "mcp__files__delete", "argu'],
  ] as const)('that is cut and all there was is an error: %s', async (_what, form, name, json) => {
    const parts = callParts({ name, input: {}, json, stopReason: 'max_tokens' });
    const { messages, upstream } = await ask([{ parts }], { form });
    expect(upstream.requests).toHaveLength(1);
    expect(resultOf(messages)).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringContaining('cut off at its limit of tokens before it said anything')],
    });
  });

  it('in a refusal is not made, and is answered', async () => {
    const { ran, results, result } = await outcomeOf({ input: {}, json: '{}', stopReason: 'refusal' });
    expect(ran).toBe(0);
    expect(results).toEqual([{ text: 'Nothing was called.', isError: true }]);
    expect(result).toMatchObject({ subtype: 'error_during_execution', errors: ['The model refused to answer.'] });
  });
});
