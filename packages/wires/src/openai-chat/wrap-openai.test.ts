import { createToolbox, EMPTY_MEMORY, parseTools } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { FORMS, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS, type GateSettings } from '@quartermaster/core/gate';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { failure, type ScriptedAnswer, type ScriptedHost, scriptedHost } from '../internal/scripted-host.fixture.ts';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { chatRound, chatTool, USAGE } from './chat-script.fixture.ts';
import type { ChatChunk, ChatCompletion } from './chat-shapes-2026-11.ts';
import { chatWhole } from './whole.ts';
import { toolSearchFetch, withToolSearch } from './wrap-openai.ts';

const ON: GateSettings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file'] };
const READ = chatTool('read_file', 'Reads a file.');
const CREATE = chatTool('create_issue', 'Opens an issue.');
const SEND = chatTool('send_message', 'Sends a message.');
const TOOLS = [READ, CREATE, SEND];
const USER = { role: 'user' as const, content: 'Open an issue' };
const SEARCH = { id: 'call_0', name: 'tool_search', input: { query: 'issue' } };

let host: ScriptedHost;
afterEach(() => host.close());

async function start(
  answers: readonly ScriptedAnswer<ChatChunk>[],
  options: Partial<Parameters<typeof withToolSearch>[1]> = {},
): Promise<OpenAI> {
  host = await scriptedHost(answers, {
    whole: { toParts: (response) => chatWhole.toParts(response as ChatCompletion), fromParts: chatWhole.fromParts },
    write: (part) => `data: ${JSON.stringify(part)}\n\n`,
    end: 'data: [DONE]\n\n',
  });
  const client = new OpenAI({ apiKey: 'none', baseURL: host.url, maxRetries: 0 });
  return withToolSearch(client, { searcher: wordSearcher, settings: ON, ...options });
}

const TOOLBOX = createToolbox({
  tools: parseTools(TOOLS, { format: 'openai-chat' }).tools,
  searcher: wordSearcher,
  settings: ON,
});

/** The answer to a search that has found the issue. */
function told(form: FormName): string {
  const plan = TOOLBOX.plan(undefined, { form: FORMS[form] });
  return TOOLBOX.tell({
    plan,
    found: { kind: 'search', queries: ['issue'], names: ['create_issue'] },
    before: EMPTY_MEMORY,
  });
}

/** What the plan adds to a request, as the wire is to write it. */
function planned(form: FormName): { own: readonly object[]; note: string } {
  const plan = TOOLBOX.plan(undefined, { form: FORMS[form] });
  if (plan.kind !== 'defer') throw new Error('The plan defers nothing');
  const own = plan.own.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }));
  return { own, note: plan.note ?? '' };
}

describe('an OpenAI client with tool search in chat completions', () => {
  it('searches and hands over the real call, in the bridge form', async () => {
    const client = await start([
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
    const client = await start(
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

  it('runs tools with the SDK: what was called stays declared, what was only found does not', async () => {
    const client = await start(
      [
        chatRound({ calls: [SEARCH] }),
        chatRound({ calls: [{ id: 'call_1', name: 'create_issue', input: { text: 'x' } }] }),
        chatRound({ text: 'Opened number 7.' }),
      ],
      { form: 'load' },
    );
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS.map((tool) => ({
        ...tool,
        function: {
          ...tool.function,
          parse: JSON.parse,
          function: (input: object): string => {
            seen.push([tool.function.name, input]);
            return 'Number 7';
          },
        },
      })),
    });
    expect(await runner.finalContent()).toBe('Opened number 7.');
    expect(seen).toEqual([['create_issue', { text: 'x' }]]);
    const { own, note } = planned('load');
    expect(host.requests[2]).toMatchObject({
      tools: [...own, READ, CREATE],
      messages: [
        { role: 'system', content: note },
        USER,
        { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'tool_search' } }] },
        { role: 'tool', tool_call_id: 'call_0' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'create_issue', arguments: '{"text":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Number 7' },
      ],
    });
  });

  it('remembers what was found after an answer in words, and sends the bytes that the host has seen', async () => {
    const client = await start(
      [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Shall I?' }), chatRound({ text: 'Done.' })],
      { form: 'load' },
    );
    const first = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const [choice] = first.choices;
    expect(choice?.message).toMatchObject({ content: 'Shall I?' });
    const yes = { role: 'user', content: 'Yes' } as const;
    const said = { role: 'assistant', content: choice?.message.content ?? '' } as const;
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER, said, yes], tools: TOOLS });
    const [, second, third] = host.requests as { messages: unknown[]; tools: unknown[] }[];
    expect(third?.tools).toEqual(second?.tools);
    expect(JSON.stringify(third?.messages.slice(0, second?.messages.length))).toBe(JSON.stringify(second?.messages));
    expect(third?.messages.slice(second?.messages.length)).toEqual([said, yes]);
  });

  it('keeps a refused call and its answer beside one that the client got', async () => {
    const calls = [
      { id: 'call_0', name: 'tool_call', input: { name: 'no_such_tool', arguments: {} } },
      { id: 'call_1', name: 'tool_call', input: { name: 'create_issue', arguments: { text: 'x' } } },
      { id: 'call_2', name: 'tool_describe', input: { name: 'create_issue' } },
    ];
    const client = await start([chatRound({ calls }), chatRound({ text: 'Done.' })], { form: 'bridge' });
    const first = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const message = first.choices[0]?.message;
    expect(message?.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'create_issue' } }]);
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Number 7' } as const;
    const messages = [USER, message as OpenAI.ChatCompletionMessageParam, result];
    await client.chat.completions.create({ model: 'gpt-5.4', messages, tools: TOOLS });
    expect(host.requests[1]).toMatchObject({
      messages: [
        { role: 'system' },
        USER,
        { role: 'assistant', tool_calls: [{ id: 'call_0' }, { id: 'call_1' }, { id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_0', content: expect.stringContaining('There is no tool "no_such_tool"') },
        result,
        { role: 'tool', tool_call_id: 'call_2', content: expect.stringContaining('"parameters"') },
      ],
    });
  });

  it('weaves in what was hidden though nothing is deferred any more, and answers a search all the same', async () => {
    const client = await start([
      chatRound({ calls: [SEARCH] }),
      chatRound({ text: 'Hm.' }),
      chatRound({ calls: [SEARCH] }),
      chatRound({ text: 'Yes.' }),
    ]);
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const messages = [USER, { role: 'assistant', content: 'Hm.' }, USER] as const;
    const { choices } = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [...messages],
      tools: [READ],
    });
    expect(choices[0]?.message.content).toBe('Yes.');
    const searched = [{ tool_calls: [{ function: { name: 'tool_search' } }] }, { role: 'tool' }];
    expect(host.requests[2]).toMatchObject({ messages: [USER, ...searched, messages[1], USER] });
    expect(host.requests[3]).toMatchObject({
      messages: [
        USER,
        ...searched,
        messages[1],
        USER,
        searched[0],
        { content: expect.stringContaining('switched off') },
      ],
    });
  });

  it('keeps nothing when asked not to, and serves the messages as they are', async () => {
    const client = await start(
      [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hm.' }), chatRound({ text: 'Yes.' })],
      {
        transcript: false,
      },
    );
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const said = { role: 'assistant', content: 'Hm.' } as const;
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER, said, USER], tools: TOOLS });
    expect(host.requests[2]).toMatchObject({ messages: [{ role: 'system' }, USER, said, USER] });
  });

  it('sends the very bytes of a request whose tools are few', async () => {
    const client = await start([chatRound({ text: 'Hello' })], { settings: DEFAULT_GATE_SETTINGS });
    const body = { model: 'gpt-5.4', messages: [USER], tools: TOOLS, n: 2 };
    await client.chat.completions.create(body);
    expect(host.texts).toEqual([JSON.stringify(body)]);
  });

  it('passes requests without tools, and other endpoints', async () => {
    const client = await start([chatRound({ text: 'Hello' }), { status: 200, body: { data: [], object: 'list' } }]);
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER] });
    await client.embeddings.create({ model: 'e', input: 'x', encoding_format: 'float' });
    expect(host.requests).toEqual([
      { model: 'gpt-5.4', messages: [USER] },
      { model: 'e', input: 'x', encoding_format: 'float' },
    ]);
  });

  it('understands defer_loading, which is not sent on', async () => {
    const client = await start([chatRound({ text: 'Hello' }), chatRound({ text: 'Hello' })], {
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
    const client = await start([{ status: 429, body: failure('Slow down', 'rate_limit_error') }]);
    const asked = client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS, stream });
    await expect(asked).rejects.toThrow(OpenAI.RateLimitError);
  });

  it('ends a stream with the error when the host refuses a later round', async () => {
    const client = await start([
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
    host = await scriptedHost([], { whole: chatWhole as never, write: String, end: '' });
    const signals: (AbortSignal | null | undefined)[] = [];
    const stuck: typeof fetch = async (_, init) => {
      signals.push(init?.signal);
      const first = `data: ${JSON.stringify(chatRound({ text: 'Hello' })[0])}\n\n`;
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(first)) });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const fetch = toolSearchFetch({ searcher: wordSearcher, settings: ON, fetch: stuck });
    const client = new OpenAI({ apiKey: 'none', baseURL: host.url, maxRetries: 0, fetch });
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS,
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0] !== undefined) break;
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('gives each round a key of its own where the client sends one', async () => {
    host = await scriptedHost([], { whole: chatWhole as never, write: String, end: '' });
    const answers = [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })];
    const keys: (string | null)[] = [];
    const send: typeof fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return Response.json(chatWhole.fromParts(answers[keys.length - 1] ?? []));
    };
    const fetch = toolSearchFetch({ searcher: wordSearcher, settings: ON, fetch: send });
    const client = new OpenAI({ apiKey: 'none', baseURL: host.url, maxRetries: 0, fetch });
    const headers = { 'Idempotency-Key': 'k' };
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS }, { headers });
    expect(keys).toEqual(['k', 'k-2']);
  });

  it('refuses several choices with the reason, and asks nobody', async () => {
    const client = await start([]);
    const asked = client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS, n: 2 });
    await expect(asked).rejects.toThrow(OpenAI.BadRequestError);
    await expect(asked).rejects.toThrow(/n is 2; tool search supports one choice per request/);
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_request', param: 'n' });
    expect(host.requests).toEqual([]);
  });

  it('executes tools of an extra catalog inside the loop', async () => {
    const executed: unknown[] = [];
    const client = await start(
      [
        chatRound({ calls: [{ id: 'call_0', name: 'tool_search', input: { query: 'weather' } }] }),
        chatRound({
          calls: [{ id: 'call_0', name: 'tool_call', input: { name: 'get_weather', arguments: { text: 'Oslo' } } }],
        }),
        chatRound({ text: 'It rains.' }),
      ],
      {
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        execute: (call) => {
          executed.push([call.name, call.arguments]);
          return 'Rain';
        },
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(completion.choices[0]).toMatchObject({ message: { content: 'It rains.' }, finish_reason: 'stop' });
    expect(executed).toEqual([['get_weather', { text: 'Oslo' }]]);
    expect((host.requests[2] as { messages: object[] }).messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0_2',
      content: 'Rain',
    });
  });

  it('declares and executes tools of an extra catalog that is too small to defer', async () => {
    const client = await start(
      [
        chatRound({ calls: [{ id: 'a', name: 'get_weather', input: { text: 'Oslo' } }] }),
        chatRound({ text: 'It rains.' }),
      ],
      {
        settings: DEFAULT_GATE_SETTINGS,
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        execute: () => 'Rain',
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: [READ] });
    expect(completion.choices[0]?.message.content).toBe('It rains.');
    const first = {
      model: 'gpt-5.4',
      messages: [USER],
      tools: [READ, chatTool('get_weather', 'The weather of a place.')],
    };
    const call = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"text":"Oslo"}' } };
    expect(host.requests).toEqual([
      first,
      {
        ...first,
        messages: [
          USER,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'a', content: 'Rain' },
        ],
      },
    ]);
  });

  it.each(['stub', 'load'] as const)(
    'sends no function without properties, which OpenAI refuses (%s)',
    async (form) => {
      const catalog = [{ name: 'list_inboxes', description: 'Lists inboxes.', inputSchema: { type: 'object' } }];
      const find = { id: 's', name: 'tool_search', input: { query: 'inboxes' } };
      const client = await start([chatRound({ calls: [find] }), chatRound({ text: 'Done.' })], { form, catalog });
      await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
      const sent = host.requests.flatMap((request) => (request as { tools: { function: JsonObject }[] }).tools);
      expect(sent.map(({ function: { name } }) => name)).toContain('list_inboxes');
      for (const { function: declared } of sent) expect(declared.parameters).toHaveProperty('properties');
    },
  );

  it('does not execute a tool beside a call that the client must answer: its result would be lost', async () => {
    const executed: unknown[] = [];
    const client = await start(
      [
        chatRound({
          calls: [
            { id: 'a', name: 'get_weather', input: { text: 'Oslo' } },
            { id: 'b', name: 'read_file', input: { text: 'x' } },
          ],
        }),
      ],
      {
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        policies: { tools: { get_weather: 'never' } },
        execute: (call) => executed.push(call.name),
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([{ id: 'b', function: { name: 'read_file' } }]);
    expect(executed).toEqual([]);
  });

  it('hides from the model what the caller may not use', async () => {
    const client = await start([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Nothing.' })], {
      caller: { allow: (tool) => tool.name !== 'create_issue' },
    });
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(JSON.stringify(host.requests)).not.toContain('create_issue');
  });

  it('tells the usage beside the reason when the client did not ask for a chunk of its own', async () => {
    const client = await start([chatRound({ text: 'Hello' })]);
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
