import { scripted, UpstreamError } from '@quartermaster/host/upstream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, query, type SDKUserMessage, tool } from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { assistantsOf, collect, initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { office } from './testing/servers.fixture.ts';

const ALLOWED = { allowedTools: ['mcp__office__*'] };

describe('a query', () => {
  it('searches, loads, calls and answers, in the messages of the agent SDK', async () => {
    const { messages, upstream } = await ask(
      [
        { text: 'Let me look.', calls: [{ name: 'tool_search', input: { query: 'weather' } }] },
        { calls: [{ name: 'mcp__office__get_weather', input: { text: 'Oslo' } }] },
        { text: 'It rains.' },
      ],
      { ...ALLOWED, model: 'claude-test' },
    );
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
    const init = initOf(messages);
    expect(init).toMatchObject({
      subtype: 'init',
      model: 'claude-test',
      permissionMode: 'default',
      tools: ['mcp__office__get_weather', 'mcp__office__send_mail', 'mcp__office__write_file'],
      mcp_servers: [{ name: 'office', status: 'connected' }],
    });
    expect(assistantsOf(messages)[0]?.message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
    });
    expect(assistantsOf(messages)[0]?.message.content.map(({ type }) => type)).toEqual([
      'text',
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
    expect(resultsIn(messages)).toEqual([{ text: 'get_weather: Oslo', isError: false }]);
    expect(resultOf(messages)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'It rains.',
      num_turns: 2,
      total_cost_usd: 0,
      usage: { input_tokens: 30, output_tokens: 15, server_tool_use: { tool_search_requests: 1 } },
      modelUsage: { 'claude-test': { inputTokens: 30, outputTokens: 15, contextWindow: 200_000 } },
      permission_denials: [],
    });
    const ids = messages.map((message) => message.uuid);
    expect(new Set(ids).size).toBe(messages.length);
    expect(messages.every(({ session_id: id }) => id === init.session_id)).toBe(true);
    expect(upstream.requests[0]?.tools?.map(({ name }) => name)).toEqual(['tool_search']);
  });

  it('keeps what was loaded for later turns', async () => {
    const upstream = scripted({
      dialect: 'anthropic',
      turns: [
        { calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] },
        { text: 'Found.' },
        ...calling('mcp__office__get_weather', { text: 'Rome' }),
      ],
    });
    const options = { upstream, mcpServers: { office: office() }, persistSession: false, ...ALLOWED };
    const messages = await collect(query({ prompt: say('Find the weather tool', 'And now Rome'), options }));
    expect(upstream.requests[2]?.tools?.map(({ name }) => name)).toEqual(['tool_search', 'mcp__office__get_weather']);
    expect(resultsIn(messages)).toEqual([{ text: 'get_weather: Rome', isError: false }]);
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(2);
  });

  it('runs the calls of one response side by side', async () => {
    const barrier = createBarrier(3);
    const wait = tool('wait', 'Waits for the others.', { who: z.string() }, async ({ who }) => {
      await barrier();
      return { content: [{ type: 'text', text: who }] };
    });
    const calls = ['a', 'b', 'c'].map((who) => ({ name: 'mcp__meeting__wait', input: { who } }));
    const { messages } = await ask([{ calls }, { text: 'Done.' }], {
      mcpServers: { meeting: createSdkMcpServer({ name: 'meeting', tools: [wait] }) },
      allowedTools: ['mcp__meeting'],
    });
    expect(resultsIn(messages).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['fails', 'mcp__odd__fail', {}, 'no luck'],
    ['is not there', 'mcp__odd__none', {}, 'mcp__odd__none'],
    ['is called with wrong arguments', 'mcp__odd__fail', { times: 'many' }, 'invalid_arguments'],
    ['hangs', 'mcp__odd__hang', {}, 'timed out'],
  ])('answers the model when a tool %s', async (_what, name, input, text) => {
    const odd = createSdkMcpServer({
      name: 'odd',
      tools: [
        tool('fail', 'Fails.', { times: z.number().optional() }, () => {
          throw new Error('no luck');
        }),
        tool('hang', 'Never answers.', {}, () => new Promise(() => {})),
      ],
    });
    const { messages } = await ask(calling(name, input), {
      mcpServers: { odd: { ...odd, type: 'in-process', callTimeoutMs: 50 } },
      allowedTools: ['mcp__odd__*'],
      env: { ENABLE_TOOL_SEARCH: 'false' },
    });
    const [result] = resultsIn(messages);
    expect(result?.isError).toBe(true);
    expect(result?.text).toContain(text);
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it('cuts a result that is too large, and says so', async () => {
    const flood = tool('flood', 'Tells everything.', {}, async () => ({
      content: [{ type: 'text', text: 'x'.repeat(500_000) }],
    }));
    const { messages } = await ask(calling('mcp__big__flood'), {
      mcpServers: { big: createSdkMcpServer({ name: 'big', tools: [flood] }) },
      allowedTools: ['mcp__big'],
    });
    const [result] = resultsIn(messages);
    expect(result?.text.length).toBeLessThan(101_000);
    expect(result?.text).toContain('it has 500000 characters, of which the first 100000 are shown');
  });

  it('ends with what the model’s host said', async () => {
    const fails = new UpstreamError({ code: 'refused', message: 'Overloaded', status: 529, shouldRetry: false });
    const { messages } = await ask([{ fails }]);
    expect(resultOf(messages)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['Overloaded'],
    });
  });

  it('yields parts of responses where they are wanted', async () => {
    const turns = [{ text: 'Hello.' }];
    const partial = await ask(turns, { includePartialMessages: true });
    const events = partial.messages.flatMap((message) => (message.type === 'stream_event' ? [message.event.type] : []));
    expect(events[0]).toBe('message_start');
    expect(events.at(-1)).toBe('message_stop');
    expect((await ask(turns)).messages.some(({ type }) => type === 'stream_event')).toBe(false);
  });

  it('has a result for each prompt that comes, and ends with the last', async () => {
    const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'One.' }, { text: 'Two.' }] });
    const messages = await collect(query({ prompt: say('1', '2'), options: { upstream, persistSession: false } }));
    expect(messages.flatMap((message) => (message.type === 'result' ? [message] : []))).toMatchObject([
      { result: 'One.', num_turns: 1 },
      { result: 'Two.', num_turns: 1 },
    ]);
    expect(upstream.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it.each([
    ['no message', { text: 'hello' }],
    ['another role', { type: 'user', message: { role: 'assistant', content: 'hello' } }],
    ['no content', { type: 'user', message: { role: 'user', content: [] } }],
    ['a block that is not an object', { type: 'user', message: { role: 'user', content: ['hello'] } }],
    ['a block without a type', { type: 'user', message: { role: 'user', content: [{ text: 'hello' }] } }],
    ['a text block without text', { type: 'user', message: { role: 'user', content: [{ type: 'text' }] } }],
  ])('refuses a prompt with %s before the model is asked', async (_, invalid) => {
    const prompt = (async function* () {
      yield invalid as unknown as SDKUserMessage;
    })();
    const upstream = scripted({ dialect: 'anthropic', turns: [] });
    await expect(collect(query({ prompt, options: { upstream, persistSession: false } }))).rejects.toThrow(
      'A prompt is',
    );
    expect(upstream.requests).toEqual([]);
  });
});

async function* say(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
  }
}

/** Lets no one through until so many wait. */
function createBarrier(count: number): () => Promise<void> {
  let waiting = 0;
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    waiting += 1;
    if (waiting === count) open();
    return opened;
  };
}
