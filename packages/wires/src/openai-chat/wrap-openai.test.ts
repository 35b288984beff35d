import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ON } from '../internal/openai-host.fixture.ts';
import { failure } from '../internal/scripted-host.fixture.ts';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { chatRound, chatTool, USAGE } from './chat-script.fixture.ts';
import { chatWhole } from './whole.ts';
import { toolSearchFetch } from './wrap-openai.ts';
import { CREATE, planned, READ, SEARCH, start, TOOLS, told, USER } from './wrapped-chat.fixture.ts';

describe('an OpenAI client with tool search in chat completions', () => {
  it('searches and passes on the real call, in the bridge form', async () => {
    const { client, host } = await start([
      chatRound({ calls: [SEARCH] }),
      chatRound({
        calls: [{ id: 'call_0', name: 'tool_call', input: { name: 'create_issue', arguments: { text: 'x' } } }],
      }),
    ]);
    const completion = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      temperature: 0,
    });
    const { own, note } = planned('bridge');
    const first = {
      model: 'gpt-5.4',
      messages: [{ role: 'system', content: note }, USER],
      tools: [...own, READ],
      temperature: 0,
    };
    const call = { id: 'call_0', type: 'function', function: { name: 'tool_search', arguments: '{"query":"issue"}' } };
    expect(host.requests).toEqual([
      first,
      {
        ...first,
        messages: [
          ...first.messages,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_0', content: told('bridge') },
        ],
      },
    ]);
    expect(completion).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-5.4',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'call_0_2', type: 'function', function: { name: 'create_issue', arguments: '{"text":"x"}' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    });
  });

  it('streams one response over all rounds, with the usage of all of them at its end', async () => {
    const { client, host } = await start(
      [
        chatRound({ text: 'Let me look.', calls: [SEARCH] }),
        chatRound({ text: 'There is one.', calls: [{ id: 'call_0', name: 'create_issue', input: { text: 'x' } }] }),
      ],
      { form: 'load' },
    );
    const stream = client.chat.completions.stream({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const completion = await stream.finalChatCompletion();
    expect(new Set(chunks.map((chunk) => chunk.id))).toEqual(new Set(['chatcmpl-1']));
    expect(chunks.filter((chunk) => chunk.choices[0]?.delta.role !== undefined)).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    });
    expect(completion.choices[0]?.message).toMatchObject({
      content: 'Let me look.\n\nThere is one.',
      tool_calls: [{ id: 'call_0_2', function: { name: 'create_issue', arguments: '{"text":"x"}' } }],
    });
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    const { own } = planned('load');
    expect(host.requests.map((request) => (request as { tools: unknown }).tools)).toEqual([
      [...own, READ],
      [...own, READ, CREATE],
    ]);
  });

  it('forwards a request with few tools byte for byte', async () => {
    const { client, host } = await start([chatRound({ text: 'Hello' })], { settings: DEFAULT_GATE_SETTINGS });
    const body = { model: 'gpt-5.4', messages: [USER], tools: TOOLS, n: 2 };
    await client.chat.completions.create(body);
    expect(host.texts).toEqual([JSON.stringify(body)]);
  });

  it('passes requests without tools, and other endpoints', async () => {
    const { client, host } = await start([
      chatRound({ text: 'Hello' }),
      { status: 200, body: { data: [], object: 'list' } },
    ]);
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER] });
    await client.embeddings.create({ model: 'e', input: 'x', encoding_format: 'float' });
    expect(host.requests).toEqual([
      { model: 'gpt-5.4', messages: [USER] },
      { model: 'e', input: 'x', encoding_format: 'float' },
    ]);
  });

  it('understands defer_loading, which is not sent on', async () => {
    const { client, host } = await start([chatRound({ text: 'Hello' }), chatRound({ text: 'Hello' })], {
      settings: DEFAULT_GATE_SETTINGS,
    });
    const tools = [READ, chatTool('create_issue', 'Opens an issue.', { defer_loading: true })];
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools });
    const names = (host.requests[0] as { tools: { function: { name: string } }[] }).tools.map(
      (tool) => tool.function.name,
    );
    expect(names).toEqual(['tool_search', 'tool_describe', 'tool_call', 'read_file']);
    const marked = [READ, chatTool('create_issue', 'Opens an issue.', { defer_loading: false })];
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: marked });
    expect(host.requests[1]).toEqual({ model: 'gpt-5.4', messages: [USER], tools: [READ, CREATE] });
  });

  it.each([
    ['whole', false],
    ['streaming', true],
  ] as const)('gives a refusal of the host to the SDK as it came, %s', async (_, stream) => {
    const { client } = await start([{ status: 429, body: failure('Slow down', 'rate_limit_error') }]);
    const asked = client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS, stream });
    await expect(asked).rejects.toThrow(OpenAI.RateLimitError);
  });

  it('ends a stream with the error when the host refuses a later round', async () => {
    const { client } = await start([
      chatRound({ text: 'Let me look.', calls: [SEARCH] }),
      { status: 429, body: failure('Slow down', 'rate_limit_error') },
    ]);
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      stream: true,
    });
    const read = async (): Promise<string> => {
      let text = '';
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      return text;
    };
    await expect(read()).rejects.toThrow('Slow down');
  });

  it('ends the request to the host when the client stops reading', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const stuck: typeof fetch = async (_, init) => {
      signals.push(init?.signal);
      const first = `data: ${JSON.stringify(chatRound({ text: 'Hello' })[0])}\n\n`;
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(first)) });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const fetch = toolSearchFetch({ searcher: wordSearcher, settings: ON, fetch: stuck });
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://host.test/v1', maxRetries: 0, fetch });
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0] !== undefined) break;
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('gives each round a separate key if the client sends one', async () => {
    const answers = [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })];
    const keys: (string | null)[] = [];
    const send: typeof fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return Response.json(chatWhole.fromParts(answers[keys.length - 1] ?? []));
    };
    const fetch = toolSearchFetch({ searcher: wordSearcher, settings: ON, fetch: send });
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://host.test/v1', maxRetries: 0, fetch });
    const headers = { 'Idempotency-Key': 'k' };
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS }, { headers });
    expect(keys).toEqual(['k', 'k-2']);
  });

  it('refuses several choices with the reason, and asks no upstream', async () => {
    const { client, host } = await start([]);
    const asked = client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS, n: 2 });
    await expect(asked).rejects.toThrow(OpenAI.BadRequestError);
    await expect(asked).rejects.toThrow(/n is 2; tool search supports one choice per request/);
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_request', param: 'n' });
    expect(host.requests).toEqual([]);
  });

  it('hides from the model what the caller may not use', async () => {
    const { client, host } = await start([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Nothing.' })], {
      caller: { allow: (tool) => tool.name !== 'create_issue' },
    });
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(JSON.stringify(host.requests)).not.toContain('create_issue');
  });

  it('sends the usage next to the reason if the client did not ask for a separate chunk', async () => {
    const { client } = await start([chatRound({ text: 'Hello' })]);
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      stream: true,
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: USAGE });
  });
});
