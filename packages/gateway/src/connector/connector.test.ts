import { describe, expect, it } from 'vitest';
import { optionsFor } from '../configured-gateway.fixture.ts';
import { listeningEverything, listeningServer } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedHost } from '../scripted-host.fixture.ts';
import { message, type ScriptedUpstreams, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { ASK, BM25, namesOf, TRANSPORTS } from '../weather-request.fixture.ts';
import {
  asking,
  CALL_THEN_TELL,
  CLOCK_TOOL,
  CONTACTS,
  connected,
  SEARCH_CALL,
  THIS_MACHINE,
  toolset,
  typesOf,
} from './connector.fixture.ts';

const messagesOf = ({ requests }: ScriptedUpstreams) => requests.map(({ messages }) => messages);

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

  it('is sent what its search has found, turn after turn', async () => {
    const ok = message([{ text: 'Ok.' }], 'end_turn');
    const upstream = { toolSearch: 'upstream' as const };
    const upstreams = scriptedUpstreams({ anthropic: [ok, ok] }, { transport: 'anthropic-messages', upstream });
    const { post } = await runningGateway({ upstreams });
    const request = asking('https://crm.example', {
      tools: [BM25, toolset({ default_config: { defer_loading: true } })],
    });
    expect((await post('/v1/messages', request)).status).toBe(200);
    const found = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'contacts' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'crm_search_contacts' }],
        },
      },
      { type: 'text', text: 'Found it.' },
    ];
    const messages = [...ASK.messages, { role: 'assistant', content: found }, { role: 'user', content: 'Go on.' }];
    expect((await post('/v1/messages', { ...request, messages })).status).toBe(200);
    expect(upstreams.requests).toHaveLength(2);
  });

  it('that turns out to have none is not asked', async () => {
    const upstreams = scriptedUpstreams({}, { upstream: { mcpConnector: 'upstream' } });
    const { post } = await runningGateway({ upstreams });
    expect((await post('/v1/messages', asking('https://crm.example'))).status).toBe(400);
    expect(upstreams.requests).toEqual([]);
  });
});
