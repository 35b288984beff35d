import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const TOOLS = [
  { name: 'get_weather', description: 'Get the weather', input_schema: { type: 'object' } },
  { name: 'send_mail', description: 'Send a letter', inputSchema: { type: 'object' }, server: 'post' },
];
const ACME = { type: 'quartermaster_catalog', name: 'acme', defer_loading: true };

async function withCatalog(...rounds: ReturnType<typeof message>[]) {
  const upstreams = scriptedUpstreams({ anthropic: rounds });
  const gateway = await runningGateway({ upstreams });
  const put = (tools: unknown, name = 'acme') =>
    fetch(`${gateway.url}/v1/catalogs/${name}`, { method: 'PUT', body: JSON.stringify({ tools }) });
  return { ...gateway, upstreams, put };
}

const SEARCH = message([{ call: 'tool_search', id: 's', input: { query: 'weather' } }], 'tool_use');
const CALL = message([{ call: 'get_weather', id: 'w', input: {} }], 'tool_use');

const chatCall = (name: string) => ({ index: 0, id: 'c', type: 'function', function: { name, arguments: '{}' } });

describe('named catalogs', () => {
  it('are uploaded, listed, read and deleted', async () => {
    const { url, put } = await withCatalog();
    const created = await put(TOOLS);
    expect(created.status).toBe(201);
    const head = await created.json();
    expect(head).toMatchObject({
      type: 'catalog',
      name: 'acme',
      tool_count: 2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await put(TOOLS)).status).toBe(200);
    expect(await (await fetch(`${url}/v1/catalogs`)).json()).toEqual({ data: [head] });
    expect(await (await fetch(`${url}/v1/catalogs/acme`)).json()).toEqual({ ...(head as object), tools: TOOLS });
    expect((await fetch(`${url}/v1/catalogs/acme`, { method: 'DELETE' })).status).toBe(200);
    expect((await fetch(`${url}/v1/catalogs/acme`)).status).toBe(404);
  });

  it.each([
    ['a tool that can not be read', [{ description: 'no name' }], 'acme'],
    ['no list', { a: 1 }, 'acme'],
    ['a bad name', TOOLS, 'a%20b'],
    ['the same tool twice', [TOOLS[0], TOOLS[0]], 'acme'],
  ])('refuse %s', async (_, tools, name) => {
    const { put } = await withCatalog();
    expect((await put(tools, name)).status).toBe(400);
  });

  it('a request names a catalog instead of sending its tools', async () => {
    const { post, put, upstreams } = await withCatalog(SEARCH, CALL);
    await put(TOOLS);
    const response = await post('/v1/messages', { ...ASK, tools: [ACME] });
    expect(response.status).toBe(200);
    const { content } = (await response.json()) as { content: readonly object[] };
    expect(content).toMatchObject([
      { type: 'server_tool_use', name: 'tool_search_tool_bm25', input: { query: 'weather' } },
      { type: 'tool_search_tool_result', content: { tool_references: [{ tool_name: 'get_weather' }] } },
      { type: 'tool_use', name: 'get_weather' },
    ]);
    expect(JSON.stringify(upstreams.requests)).not.toContain('quartermaster_catalog');
  });

  it('report how often their tools were called over any API, and which are worth pinning', async () => {
    const call = (name: string) => message([{ call: name, id: 'c', input: {} }], 'tool_use');
    const chat = [{ id: 'c', choices: [{ index: 0, delta: { tool_calls: [chatCall('get_weather')] } }] }];
    const item = { type: 'function_call', id: 'fc', call_id: 'c', name: 'get_weather', arguments: '{}' };
    const script = {
      anthropic: [call('get_weather'), call('get_weather'), call('post__send_mail'), call('elsewhere')],
      chat: [[], [], [], [], [...chat, { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }]],
      responses: [
        ...[[], [], [], [], []],
        [
          { type: 'response.created', response: { id: 'r', output: [] } },
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.output_item.done', output_index: 0, item },
          { type: 'response.completed', response: { id: 'r', output: [item], status: 'completed' } },
        ],
      ],
    };
    const { url, post, store } = await runningGateway({ upstreams: scriptedUpstreams(script as never) });
    await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify({ tools: TOOLS }) });
    const tools = [{ ...ACME, defer_loading: false }];
    const elsewhere = { name: 'elsewhere', input_schema: { type: 'object' } };
    const stream = await post('/v1/messages', { ...ASK, tools, stream: true });
    await stream.text();
    await post('/v1/messages', { ...ASK, tools });
    await post('/v1/messages', { ...ASK, tools });
    await post('/v1/messages', { ...ASK, tools: [...tools, elsewhere] });
    const text = await (await post('/v1/chat/completions', { ...ASK, tools, stream: true })).text();
    expect(text).toContain('get_weather');
    expect((await post('/v1/responses', { model: 'claude-test', input: 'Hello', tools })).status).toBe(200);
    expect(await (await fetch(`${url}/v1/catalogs/acme/usage`)).json()).toEqual({
      ...{ type: 'catalog_usage', name: 'acme' },
      tools: [
        { tool: 'get_weather', calls: 4 },
        { tool: 'post/send_mail', calls: 1 },
      ],
      suggested_pins: ['get_weather'],
    });
    expect((await fetch(`${url}/v1/catalogs/nobody/usage`)).status).toBe(404);
    // What only a request knows is not kept.
    expect(JSON.stringify(await store.usage.tools({ limit: 10 }))).not.toContain('elsewhere');
  });

  it('the search that the request brings is the one that is shown', async () => {
    const search = message([{ call: 'tool_search_tool_regex', id: 's', input: { pattern: 'mail' } }], 'tool_use');
    const { post, put } = await withCatalog(search, message([{ text: 'Ok.' }], 'end_turn'));
    await put(TOOLS);
    const regex = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    const response = await post('/v1/messages', { ...ASK, tools: [regex, ACME] });
    expect(await response.json()).toMatchObject({
      content: [
        { name: 'tool_search_tool_regex' },
        { content: { tool_references: [{ tool_name: 'post__send_mail' }] } },
        { text: 'Ok.' },
      ],
    });
  });

  it('a tool that the catalog has lost does not break the conversations that found it', async () => {
    const done = message([{ text: 'Ok.' }], 'end_turn');
    const { post, put } = await withCatalog(SEARCH, CALL, done);
    await put(TOOLS);
    const first = (await (await post('/v1/messages', { ...ASK, tools: [ACME] })).json()) as {
      content: { id: string }[];
    };
    await put(TOOLS.slice(1));
    const messages = [
      ...ASK.messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: first.content.at(-1)?.id, content: 'sunny' }] },
    ];
    expect((await post('/v1/messages', { ...ASK, messages, tools: [ACME] })).status).toBe(200);
  });

  it('a catalog that is not deferred is sent in full', async () => {
    const { post, put, upstreams } = await withCatalog(message([{ text: 'Ok.' }], 'end_turn'));
    await put(TOOLS);
    await post('/v1/messages', { ...ASK, tools: [{ ...ACME, defer_loading: false }] });
    expect(upstreams.requests[0]?.tools).toMatchObject([{ name: 'get_weather' }, { name: 'post__send_mail' }]);
  });

  it('a tool of the request stands before one of the catalog', async () => {
    const { post, put, upstreams } = await withCatalog(message([{ text: 'Ok.' }], 'end_turn'));
    await put(TOOLS);
    const own = { ...TOOLS[0], description: 'mine' };
    await post('/v1/messages', { ...ASK, tools: [own, ACME] });
    expect(
      upstreams.requests[0]?.tools?.filter((tool) => (tool as { name: string }).name === 'get_weather'),
    ).toMatchObject([{ description: 'mine' }]);
  });

  it('an unknown catalog is not found', async () => {
    const { post } = await withCatalog();
    const response = await post('/v1/messages', { ...ASK, tools: [ACME] });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: "There is no catalog named 'acme' that this key may use" },
    });
  });
});

describe('keys', () => {
  async function withKey(permissions: object = {}) {
    const upstreams = scriptedUpstreams({ anthropic: [0, 1, 2].map(() => message([{ text: 'Ok.' }], 'end_turn')) });
    const gateway = await runningGateway({ upstreams });
    const { secret, key } = await gateway.store.keys.create({
      ...{ name: 'test', models: ['*'], catalogs: ['*'], limits: {} },
      ...permissions,
    });
    const ask = (headers: Record<string, string>, body: object = ASK) => gateway.post('/v1/messages', body, headers);
    return { ...gateway, secret, key, ask };
  }

  it('both headers are taken, anything else is refused', async () => {
    const { secret, ask, url } = await withKey();
    expect((await ask({ 'x-api-key': secret })).status).toBe(200);
    expect((await ask({ authorization: `Bearer ${secret}` })).status).toBe(200);
    expect((await ask({ 'x-api-key': 'wrong' })).status).toBe(401);
    const response = await ask({});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { type: 'authentication_error' } });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('a revoked key is refused at once', async () => {
    const { secret, ask, store, key } = await withKey();
    await store.keys.revoke(key.id);
    expect((await ask({ 'x-api-key': secret })).status).toBe(401);
  });

  it('a key is held to its models and catalogs', async () => {
    const { secret, ask, store } = await withKey({ models: ['claude-*'], catalogs: ['public-*'] });
    const tools = JSON.stringify(TOOLS);
    await store.catalogs.put({ name: 'acme', hash: 'a', tools, toolCount: 2 });
    await store.catalogs.put({ name: 'public-acme', hash: 'b', tools, toolCount: 2 });
    const headers = { 'x-api-key': secret };
    expect((await ask(headers, { ...ASK, model: 'gpt-5' })).status).toBe(403);
    expect((await ask(headers, { ...ASK, tools: [ACME] })).status).toBe(404);
    expect((await ask(headers, { ...ASK, tools: [{ ...ACME, name: 'public-acme' }] })).status).toBe(200);
  });

  it('a key is held to its tools in stored catalogs: it neither reads nor finds the others', async () => {
    const { secret, url, post, store } = await withKey({ tools: { allow: ['crm/*'], deny: ['*/delete_*'] } });
    const tools = ['crm/find_customer', 'crm/delete_customer', 'billing/find_invoice'].map((id) => {
      const [server, name] = id.split('/');
      return { name, server, description: `Find or delete: ${id}`, inputSchema: { type: 'object' } };
    });
    await store.catalogs.put({ name: 'acme', hash: 'a', tools: JSON.stringify(tools), toolCount: 3 });
    const other = await store.keys.create({ name: 'all', models: ['*'], catalogs: ['*'], limits: {} });
    const headers = { 'x-api-key': secret };
    const read = await (await fetch(`${url}/v1/catalogs/acme`, { headers })).json();
    expect(read).toMatchObject({ tool_count: 1, tools: [{ name: 'find_customer' }] });
    expect((read as { tools: unknown[] }).tools).toHaveLength(1);
    const found = await (await post('/v1/catalogs/acme/search', { query: 'find delete', limit: 10 }, headers)).json();
    expect(found).toMatchObject({ catalog: { tool_count: 1 }, results: [{ hits: [{ tool: 'crm/find_customer' }] }] });
    const all = await post(
      '/v1/catalogs/acme/search',
      { query: 'find delete', limit: 10 },
      { 'x-api-key': other.secret },
    );
    expect(await all.json()).toMatchObject({ catalog: { tool_count: 3 } });
  });

  it('a key is limited to its rates, and the refusal says when to try again', async () => {
    const { secret, ask } = await withKey({ limits: { requestsPerMinute: 1 } });
    expect((await ask({ 'x-api-key': secret })).status).toBe(200);
    const response = await ask({ 'x-api-key': secret });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
  });

  it('gateways on one store share its rates', async () => {
    const { secret, ask, store } = await withKey({ limits: { requestsPerMinute: 2 } });
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const other = await runningGateway({ upstreams, store });
    const headers = { 'x-api-key': secret };
    expect((await ask(headers)).status).toBe(200);
    expect((await other.post('/v1/messages', ASK, headers)).status).toBe(200);
    expect((await other.post('/v1/messages', ASK, headers)).status).toBe(429);
    expect((await ask(headers)).status).toBe(429);
    await other.stop();
  });

  it('tokens that were used count against the rate', async () => {
    const { secret, ask } = await withKey({ limits: { tokensPerMinute: 15 } });
    expect((await ask({ 'x-api-key': secret })).status).toBe(200);
    expect((await ask({ 'x-api-key': secret })).status).toBe(429);
  });
});
