import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { optionsFor } from '../configured-gateway.fixture.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import {
  type ListeningMcpServer,
  listeningEverything,
  listeningServer,
  type TestTools,
} from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedHost } from '../scripted-host.fixture.ts';
import {
  type Block,
  message,
  type ScriptedUpstreams,
  scriptedUpstreams,
  upstreamError,
} from '../scripted-upstream.fixture.ts';
import { ASK, BM25, namesOf, TRANSPORTS } from '../weather-request.fixture.ts';

type Beta = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;

const CONTACTS: TestTools = {
  search_contacts: {
    description: 'Search contacts by name',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: (input) => `Found ${(input as { name: string }).name}`,
  },
  delete_contact: { description: 'Delete a contact' },
};
const CLOCK_TOOL = { name: 'now', input_schema: { type: 'object' as const } };
const THIS_MACHINE = { allow: ['http://127.0.0.1:*'] };
const SEARCH_CALL: Block = { call: 'crm_search_contacts', id: 'toolu_c', input: { name: 'Ada' } };
const CALL_THEN_TELL = [
  message([{ text: 'Let me look.' }, SEARCH_CALL], 'tool_use'),
  message([{ text: 'There she is.' }], 'end_turn'),
];

function serverAt(url: string, more: object = {}): NonNullable<Beta['mcp_servers']>[number] {
  return { type: 'url', name: 'crm', url, ...more };
}

function toolset(more: object = {}): NonNullable<Beta['tools']>[number] {
  return { type: 'mcp_toolset', mcp_server_name: 'crm', ...more };
}

function asking(url: string, more: Partial<Beta> = {}): Beta {
  return { ...ASK, mcp_servers: [serverAt(url)], tools: [toolset()], ...more } as Beta;
}

async function connected(
  rounds: readonly ReturnType<typeof message>[],
  { transport = 'openai-chat', tools = CONTACTS, ...options }: Partial<GatewayOptions> & Setup = {},
) {
  const upstreams = scriptedUpstreams({ anthropic: rounds }, { transport });
  const crm = await listeningServer(tools, options.answer);
  const gateway = await runningGateway({ upstreams, connector: THIS_MACHINE, ...options });
  return { ...gateway, upstreams, crm, create: (body: Beta) => gateway.anthropic.beta.messages.create(body) };
}

interface Setup {
  readonly transport?: string;
  readonly tools?: TestTools;
  readonly answer?: (request: Request) => Response | undefined;
}

const typesOf = ({ content }: { content: readonly { type: string }[] }) => content.map(({ type }) => type);
const messagesOf = ({ requests }: ScriptedUpstreams) => requests.map(({ messages }) => messages);
const methodsOf = ({ requests }: ListeningMcpServer) => requests.map(({ method }) => method);

describe.each(TRANSPORTS)('a server that a request names, over %s', (transport) => {
  it('is called inside the response', async () => {
    const { create, crm, upstreams } = await connected(CALL_THEN_TELL, { transport });
    const response = await create(asking(crm.url));
    expect(response.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      {
        type: 'mcp_tool_use',
        id: 'mcptoolu_c',
        name: 'search_contacts',
        server_name: 'crm',
        input: { name: 'Ada' },
      },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_c',
        is_error: false,
        content: [{ type: 'text', text: 'Found Ada' }],
      },
      { type: 'text', text: 'There she is.' },
    ]);
    expect(response).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 20, output_tokens: 10 } });
    expect(upstreams.requests.map(namesOf)).toEqual([
      ['crm_search_contacts', 'crm_delete_contact'],
      ['crm_search_contacts', 'crm_delete_contact'],
    ]);
    expect(upstreams.requests[1]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_use', id: 'mcptoolu_c', name: 'crm_search_contacts', input: { name: 'Ada' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'mcptoolu_c', content: [{ type: 'text', text: 'Found Ada' }] }],
      },
    ]);
    expect(upstreams.requests[0]).not.toHaveProperty('mcp_servers');
  });

  it('is called in a stream as well, which the SDK reads to the same message', async () => {
    const { anthropic, crm, create } = await connected([...CALL_THEN_TELL, ...CALL_THEN_TELL], { transport });
    const whole = await create(asking(crm.url));
    const stream = anthropic.beta.messages.stream(asking(crm.url) as never);
    const indexes: number[] = [];
    stream.on('streamEvent', (event) => event.type === 'content_block_start' && indexes.push(event.index));
    const streamed = await stream.finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    expect(indexes).toEqual([0, 1, 2, 3]);
  });

  it('is found by a search where its tools are deferred', async () => {
    const { create, crm, upstreams } = await connected(
      [
        message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'search contacts' } }], 'tool_use'),
        ...CALL_THEN_TELL,
      ],
      { transport },
    );
    const response = await create(
      asking(crm.url, { tools: [BM25, toolset({ default_config: { defer_loading: true } })] }),
    );
    expect(typesOf(response)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'text',
      'mcp_tool_use',
      'mcp_tool_result',
      'text',
    ]);
    expect(response.content[1]).toMatchObject({
      content: {
        tool_references: expect.arrayContaining([{ type: 'tool_reference', tool_name: 'crm_search_contacts' }]),
      },
    });
    expect(response.usage.server_tool_use).toMatchObject({ tool_search_requests: 1 });
    // Deferred tools never stand before the first message.
    const shown = upstreams.requests[0]?.tools?.filter((tool) => tool.defer_loading !== true);
    expect(JSON.stringify(shown)).not.toContain('crm_');
  });

  it('leaves the same bytes in every later request', async () => {
    const told = message([{ text: 'Bye.' }], 'end_turn');
    const search = { call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'search contacts' } };
    const rounds = [message([search], 'tool_use'), ...CALL_THEN_TELL, told];
    const { create, crm, upstreams } = await connected(rounds, { transport });
    const request = asking(crm.url, { tools: [BM25, toolset({ default_config: { defer_loading: true } })] });
    const { content } = await create(request);
    const messages = [
      ...request.messages,
      { role: 'assistant', content } as never,
      { role: 'user', content: 'Thanks.' } as never,
    ];
    await create({ ...request, messages });
    const [, , inLoop = [], replayed = []] = messagesOf(upstreams);
    expect(JSON.stringify(replayed).slice(0, JSON.stringify(inLoop).length - 1)).toBe(
      JSON.stringify(inLoop).slice(0, -1),
    );
  });

  it('and a tool of the client are called side by side; the client answers its own', async () => {
    const both = message([SEARCH_CALL, { call: 'now', id: 'toolu_n', input: {} }], 'tool_use');
    const { create, crm, upstreams } = await connected([both, message([{ text: 'Done.' }], 'end_turn')], { transport });
    const request = asking(crm.url, { tools: [CLOCK_TOOL, toolset()] });
    const { content, stop_reason } = await create(request);
    expect(typesOf({ content })).toEqual(['mcp_tool_use', 'tool_use', 'mcp_tool_result']);
    expect(stop_reason).toBe('tool_use');
    const result = { type: 'tool_result', tool_use_id: 'toolu_n', content: '12:00' };
    const messages = [
      ...request.messages,
      { role: 'assistant', content } as never,
      { role: 'user', content: [result] } as never,
    ];
    await create({ ...request, messages });
    expect(upstreams.requests[1]?.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'mcptoolu_c' },
          { type: 'tool_use', id: 'toolu_n' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'mcptoolu_c' }, result] },
    ]);
  });
});

describe.each([
  ['anthropic', 'anthropic', ''],
  ['openai-compatible', 'openai-chat', '/v1'],
] as const)('over a host of the settings, %s', (provider, dialect, path) => {
  it.each([false, true])('a call is made and told, streaming: %s', async (isStream) => {
    const host = await scriptedHost(dialect, ({ results }) =>
      results.length === 0
        ? { call: 'crm_search_contacts', input: { name: 'Ada' } }
        : { text: `The server says: ${results[0]}` },
    );
    const crm = await listeningServer(CONTACTS);
    const { anthropic } = await runningGateway(
      optionsFor({
        upstreams: [{ models: ['*'], provider, baseUrl: `${host.url}${path}`, apiKey: 'none' }],
        mcp: { connector: THIS_MACHINE },
      }),
    );
    const { content, stop_reason } = isStream
      ? await anthropic.beta.messages.stream(asking(crm.url) as never).finalMessage()
      : await anthropic.beta.messages.create(asking(crm.url));
    expect(content).toMatchObject([
      { type: 'mcp_tool_use', server_name: 'crm', name: 'search_contacts', input: { name: 'Ada' } },
      { type: 'mcp_tool_result', is_error: false, content: [{ type: 'text', text: 'Found Ada' }] },
      { type: 'text', text: expect.stringContaining('Found Ada') },
    ]);
    expect(stop_reason).toBe('end_turn');
    expect(JSON.stringify(host.requests.map(({ body }) => body))).not.toContain('mcp_');
  });
});

describe.each([
  ['streamableHttp', '/mcp'],
  ['sse', '/sse'],
] as const)('a real server of the older line, over %s', (mode, path) => {
  it('is listed and called', async () => {
    const origin = await listeningEverything(mode);
    const echo = { call: 'all_echo', id: 'toolu_e', input: { message: 'hello' } };
    const { create } = await connected([message([echo], 'tool_use'), message([{ text: 'Done.' }], 'end_turn')]);
    const { content } = await create({
      ...ASK,
      mcp_servers: [{ type: 'url', name: 'all', url: `${origin}${path}` }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'all' }],
    });
    expect(content[1]).toMatchObject({ type: 'mcp_tool_result', content: [{ text: 'Echo: hello' }] });
  });
});

describe('the tools of a server', () => {
  const ok = [message([{ text: 'Ok.' }], 'end_turn')];

  it.each([
    ['all when nothing is said', {}, ['crm_search_contacts', 'crm_delete_contact']],
    [
      'without those that are switched off',
      { configs: { delete_contact: { enabled: false } } },
      ['crm_search_contacts'],
    ],
    [
      'those that are switched on where the default is off',
      { default_config: { enabled: false }, configs: { delete_contact: { enabled: true } } },
      ['crm_delete_contact'],
    ],
    ['as they were pinned', { tools: [{ name: 'pinned', input_schema: { type: 'object' } }] }, ['crm_pinned']],
  ])('are %s', async (_, config, expected) => {
    const { create, crm, upstreams } = await connected(ok);
    await create(asking(crm.url, { tools: [CLOCK_TOOL, toolset(config)] }));
    expect(namesOf(upstreams.requests[0])).toEqual(['now', ...expected]);
  });

  it('are listed once for several requests of a conversation, and not again for a while', async () => {
    const { create, crm } = await connected([...ok, ...ok, ...CALL_THEN_TELL]);
    await create(asking(crm.url));
    await create(asking(crm.url));
    expect(methodsOf(crm).filter((method) => method === 'tools/list')).toHaveLength(1);
    // Another token may see other tools.
    await create(asking(crm.url, { mcp_servers: [serverAt(crm.url, { authorization_token: 'other' })] }));
    expect(methodsOf(crm)).toContain('tools/call');
  });

  it('come as a block where the client can send it back, and then the server is not asked', async () => {
    const { create, crm } = await connected([...ok, ...ok]);
    const betas: Beta['betas'] = ['mcp-client-2026-09-15'];
    const request = asking(crm.url, { betas });
    const { content } = await create(request);
    expect(content[0]).toMatchObject({
      type: 'mcp_tool_listing',
      mcp_server_name: 'crm',
      tools: [{ name: 'search_contacts', description: 'Search contacts by name' }, { name: 'delete_contact' }],
    });
    const before = crm.requests.length;
    const messages = [
      ...request.messages,
      { role: 'assistant', content } as never,
      { role: 'user', content: 'Go on.' } as never,
    ];
    const mcp_servers = [serverAt(crm.url, { authorization_token: 'never seen before' })];
    const again = await create({ ...request, messages, mcp_servers });
    expect(typesOf(again)).toEqual(['text']);
    expect(crm.requests).toHaveLength(before);
  });

  it('need no toolset in the first form of the API', async () => {
    const { create, crm, upstreams } = await connected(ok);
    const server = serverAt(crm.url, { tool_configuration: { allowed_tools: ['search_contacts'] } });
    await create({ ...ASK, mcp_servers: [server], betas: ['mcp-client-2025-04-04'] } as Beta);
    expect(namesOf(upstreams.requests[0])).toEqual(['crm_search_contacts']);
  });

  it('are counted with the others', async () => {
    const { anthropic, crm } = await connected(ok);
    const { max_tokens: _, ...plain } = ASK;
    const count = async (more: object) =>
      (await anthropic.beta.messages.countTokens({ ...plain, ...more } as never)).input_tokens;
    const alone = await count({});
    const full = { mcp_servers: [serverAt(crm.url)], tools: [toolset()] };
    expect(await count(full)).toBeGreaterThan(alone + 20);
  });

  it('keep a cache breakpoint away from deferred tools', async () => {
    const { create, crm, upstreams } = await connected(ok, { transport: 'anthropic-messages' });
    const configs = { delete_contact: { defer_loading: true } };
    await create(asking(crm.url, { tools: [toolset({ configs, cache_control: { type: 'ephemeral' } })] }));
    const [first, second] = upstreams.requests[0]?.tools ?? [];
    expect(first).toMatchObject({ name: 'crm_search_contacts', cache_control: { type: 'ephemeral' } });
    expect(second ?? {}).not.toHaveProperty('cache_control');
  });
});

describe('a call to a server', () => {
  it('gets a token that goes nowhere else', async () => {
    const { create, crm, upstreams, log } = await connected(CALL_THEN_TELL);
    await create(asking(crm.url, { mcp_servers: [serverAt(crm.url, { authorization_token: 'tok-123' })] }));
    expect(new Set(crm.requests.map(({ headers }) => headers.get('authorization')))).toEqual(
      new Set(['Bearer tok-123']),
    );
    expect(JSON.stringify([upstreams.requests, log])).not.toContain('tok-123');
  });

  it('that fails is told to the model', async () => {
    const rounds = [
      message([SEARCH_CALL, { call: 'crm_search_contacts', id: 'toolu_d', input: { nam: 'Ada' } }], 'tool_use'),
      message([{ text: 'Sorry.' }], 'end_turn'),
    ];
    const run = () => ({ content: [{ type: 'text', text: 'No such person' }], isError: true });
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { create, crm, upstreams } = await connected(rounds, { tools });
    const { content } = await create(asking(crm.url));
    expect(content.slice(0, 4)).toMatchObject([
      { type: 'mcp_tool_use', id: 'mcptoolu_c' },
      { type: 'mcp_tool_use', id: 'mcptoolu_d' },
      { type: 'mcp_tool_result', is_error: true, content: [{ text: 'No such person' }] },
      { type: 'mcp_tool_result', is_error: true, content: [{ text: expect.stringContaining('name') }] },
    ]);
    expect(upstreams.requests[1]?.messages.at(-1)).toMatchObject({ content: [{ is_error: true }, { is_error: true }] });
  });

  it('in a batch is made once, with all rounds in one result', async () => {
    const { anthropic, crm, url } = await connected([
      message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'search contacts' } }], 'tool_use'),
      ...CALL_THEN_TELL,
    ]);
    const { model, max_tokens, messages } = ASK;
    const tools = [BM25, toolset({ default_config: { defer_loading: true } })];
    const params = { model, max_tokens, messages, tools, mcp_servers: [serverAt(crm.url)] };
    const { id } = await anthropic.beta.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
    while ((await anthropic.beta.messages.batches.retrieve(id)).processing_status !== 'ended');
    const line = await (await fetch(`${url}/v1/messages/batches/${id}/results`)).json();
    expect(line).toMatchObject({
      result: { message: { stop_reason: 'end_turn', usage: { input_tokens: 30, output_tokens: 15 } } },
    });
    const { content } = (line as { result: { message: { content: readonly { type: string }[] } } }).result.message;
    expect(typesOf({ content })).toEqual([
      ...['server_tool_use', 'tool_search_tool_result', 'text'],
      ...['mcp_tool_use', 'mcp_tool_result', 'text'],
    ]);
    expect(methodsOf(crm).filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is counted by the pattern that allows it: names and addresses are the client’s', async () => {
    const run = (input: unknown) => ({ content: [], isError: (input as { name: string }).name === 'Bob' });
    const call = (name: string, id: string): Block => ({ call: 'crm_search_contacts', id, input: { name } });
    const rounds = [
      message([call('Ada', 'toolu_1'), call('Bob', 'toolu_2'), call('Eve', 'toolu_3')], 'tool_use'),
      message([{ text: 'Done.' }], 'end_turn'),
    ];
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { create, crm, url } = await connected(rounds, { tools });
    await create(asking(crm.url));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const labels = 'pattern="http://127.0.0.1:*"';
    expect(metrics).toContain(`quartermaster_connector_calls_total{${labels},outcome="success"} 2\n`);
    expect(metrics).toContain(`quartermaster_connector_calls_total{${labels},outcome="error"} 1\n`);
    expect(metrics).toContain(`quartermaster_connector_call_seconds_count{${labels}} 3\n`);
    expect(metrics).not.toContain('crm');
    expect(metrics).not.toContain(new URL(crm.url).port);
  });

  it('to a server that has gone is told to the model, and the turn goes on', async () => {
    let isGone = false;
    const { create, crm } = await connected([message([{ text: 'Ok.' }], 'end_turn'), ...CALL_THEN_TELL], {
      answer: () => (isGone ? new Response('gone', { status: 503 }) : undefined),
    });
    await create(asking(crm.url));
    isGone = true;
    const { content, stop_reason } = await create(asking(crm.url));
    expect(content[2]).toMatchObject({
      type: 'mcp_tool_result',
      is_error: true,
      content: [{ text: expect.stringContaining("MCP server 'crm'") }],
    });
    expect(stop_reason).toBe('end_turn');
  });

  it('has a bounded result, in text', async () => {
    const parts = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'ä'.repeat(2_000) },
    ];
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run: () => ({ content: parts }) } };
    const connector = { ...THIS_MACHINE, resultBytes: 1_024 };
    const { create, crm } = await connected(CALL_THEN_TELL, { tools, connector });
    const { content } = await create(asking(crm.url));
    const [image, text, note] = (content[2] as { content: { text: string }[] }).content;
    expect(image?.text).toContain('image/png');
    expect(Buffer.byteLength((image?.text ?? '') + (text?.text ?? ''))).toBeLessThanOrEqual(1_024);
    expect(text?.text).toMatch(/^ä+$/);
    expect(note?.text).toContain('cut off');
  });

  it('that was cut by the token limit is dropped, in a stream too', async () => {
    const cut = message([{ text: 'Look.' }, SEARCH_CALL], 'max_tokens').map((event) =>
      event.type === 'content_block_delta' && event.index === 1
        ? { ...event, delta: { type: 'input_json_delta', partial_json: '{"na' } }
        : event,
    );
    const { anthropic, create, crm } = await connected([cut, cut]);
    const streamed = await anthropic.beta.messages.stream(asking(crm.url) as never).finalMessage();
    for (const response of [await create(asking(crm.url)), streamed]) {
      expect(typesOf(response)).toEqual(['text']);
      expect(response.stop_reason).toBe('max_tokens');
    }
    expect(methodsOf(crm)).not.toContain('tools/call');
  });

  it('that was forced is forced once', async () => {
    const { create, crm, upstreams } = await connected(CALL_THEN_TELL);
    await create(asking(crm.url, { tool_choice: { type: 'tool', name: 'crm_search_contacts' } }));
    expect(upstreams.requests.map(({ tool_choice }) => tool_choice)).toEqual([
      { type: 'tool', name: 'crm_search_contacts' },
      { type: 'auto' },
    ]);
  });

  it('repeats no id, though the upstream does', async () => {
    const again = message([SEARCH_CALL], 'tool_use');
    const { create, crm } = await connected([again, ...CALL_THEN_TELL]);
    const { content } = await create(asking(crm.url));
    const ids = content.flatMap((block) => (block.type === 'mcp_tool_use' ? [block.id] : []));
    expect(ids).toEqual(['mcptoolu_c', 'mcptoolu_c_2']);
  });

  it('is called off when the client goes away', async () => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
      return new Promise<string>(() => undefined);
    };
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { anthropic, crm, close } = await connected(CALL_THEN_TELL, { tools });
    const stream = anthropic.beta.messages.stream(asking(crm.url) as never, { signal: stop.signal });
    await expect(stream.finalMessage()).rejects.toThrow();
    // Waits for everything under way.
    await close();
  });

  it('is followed by an error in the stream where the upstream fails after it', async () => {
    const failing = [upstreamError(529, { error: { type: 'overloaded_error', message: 'Later' } })];
    const { anthropic, crm } = await connected([message([SEARCH_CALL], 'tool_use'), failing as never]);
    const seen: string[] = [];
    const stream = anthropic.beta.messages.stream(asking(crm.url) as never);
    stream.on('streamEvent', (event) => event.type === 'content_block_start' && seen.push(event.content_block.type));
    await expect(stream.finalMessage()).rejects.toThrow(/Later/);
    expect(seen).toEqual(['mcp_tool_use', 'mcp_tool_result']);
  });

  it('pauses the turn at the limit of rounds, and the same message goes on', async () => {
    const again = message([SEARCH_CALL], 'tool_use');
    const done = message([{ text: 'Done.' }], 'end_turn');
    const { create, crm, upstreams } = await connected([again, again, done], { settings: { maxRounds: 2 } });
    const request = asking(crm.url);
    const { content, stop_reason } = await create(request);
    expect(typesOf({ content })).toEqual(['mcp_tool_use', 'mcp_tool_result', 'mcp_tool_use', 'mcp_tool_result']);
    expect(stop_reason).toBe('pause_turn');
    const resumed = await create({
      ...request,
      messages: [...request.messages, { role: 'assistant', content } as never],
    });
    expect(typesOf(resumed)).toEqual(['text']);
    expect(upstreams.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });
});

describe('what is refused', () => {
  const MANY = { type: 'url', name: 'other', url: 'https://other.example' };

  it.each([
    [
      'a toolset without its server',
      { mcp_servers: [], tools: [toolset()] },
      /mcp_server_name 'crm' has no corresponding/,
    ],
    ['a server without a toolset', { tools: [] }, /mcp_servers.0: MCP server 'crm' is not referenced/],
    ['two toolsets of one server', { tools: [toolset(), toolset()] }, /tools.1: .*more than one mcp_toolset/],
    [
      'two servers of one name',
      { mcp_servers: [serverAt('https://a.example'), serverAt('https://b.example')] },
      /unique/,
    ],
    ['a server of another type', { mcp_servers: [{ ...MANY, type: 'stdio' }] }, /mcp_servers.0.type/],
    ['no address', { mcp_servers: [serverAt('nowhere')] }, /mcp_servers.0.url: Input should be a valid URL/],
    [
      'a token that breaks out of its header',
      { mcp_servers: [serverAt('https://a.example', { authorization_token: 'a\nb' })] },
      /authorization_token/,
    ],
    ['servers that are no list', { mcp_servers: 'crm' }, /mcp_servers: Input should be a valid list/],
  ])('%s', async (_, more, expected) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await post('/v1/messages', { ...asking('https://crm.example'), ...more });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe('invalid_request_error');
    expect(error.message).toMatch(expected);
  });

  it.each([
    'http://crm.example/mcp',
    'https://127.0.0.1/mcp',
    'https://localhost/mcp',
    'https://10.1.2.3/mcp',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/mcp',
    'https://[::ffff:127.0.0.1]/mcp',
    'https://2130706433/mcp',
    'https://user:secret@crm.example/mcp',
    'file:///etc/passwd',
  ])('by default the address %s', async (url) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await post('/v1/messages', asking(url));
    expect(response.status).toBe(400);
    const body = await response.text();
    expect(body).toMatch(/does not connect to|stands for no public address/);
    expect(body).not.toContain('secret');
  });

  it('a server that does not answer, or refuses the token', async () => {
    const gone = await connected([]);
    const reasons = { 503: /Connection error while communicating with MCP server 'crm'/, 401: /Authentication error/ };
    for (const [status, expected] of Object.entries(reasons)) {
      const { create, crm } = await connected([], { answer: () => new Response('no', { status: Number(status) }) });
      await expect(create(asking(crm.url))).rejects.toThrow(expected);
    }
    await expect(gone.create(asking('http://127.0.0.1:1/mcp'))).rejects.toThrow(/Connection error/);
  });

  it('a tool of the client by the name of a server’s', async () => {
    const { post, crm } = await connected([]);
    const tools = [{ ...CLOCK_TOOL, name: 'crm_search_contacts' }, toolset()];
    const response = await post('/v1/messages', asking(crm.url, { tools }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { details: { error_code: 'tool_name_conflict' } } });
  });

  it('everything where the connector is switched off', async () => {
    const { create, crm } = await connected([], { connector: { ...THIS_MACHINE, enabled: false } });
    await expect(create(asking(crm.url))).rejects.toThrow(/does not connect to servers that requests name/);
    expect(crm.requests).toHaveLength(0);
  });

  it('a token in a batch, where it would have to be stored', async () => {
    const { post, store } = await connected([]);
    const params = asking('https://crm.example', {
      mcp_servers: [serverAt('https://crm.example', { authorization_token: 'tok-123' })],
    });
    const response = await post('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('requests.0.params.mcp_servers') },
    });
    expect((await store.batches.list({ owner: '', limit: 10 }))?.batches).toEqual([]);
  });
});

describe('a host with a connector of its own', () => {
  it.each([{ toolSearch: 'upstream' as const }, { mcpConnector: 'upstream' as const }])(
    'gets everything as it came, with %o',
    async (upstream) => {
      const upstreams = scriptedUpstreams(
        { anthropic: [message([{ text: 'Ok.' }], 'end_turn')] },
        { transport: 'anthropic-messages', upstream },
      );
      const { post } = await runningGateway({ upstreams });
      const request = asking('https://crm.example');
      expect((await post('/v1/messages', request)).status).toBe(200);
      expect(upstreams.requests).toEqual([request]);
    },
  );

  it('that turns out to have none is not asked', async () => {
    const upstreams = scriptedUpstreams({}, { upstream: { mcpConnector: 'upstream' } });
    const { post } = await runningGateway({ upstreams });
    expect((await post('/v1/messages', asking('https://crm.example'))).status).toBe(400);
    expect(upstreams.requests).toEqual([]);
  });
});
