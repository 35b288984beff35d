import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createTranscriptCache } from '@quartermaster/core/loop';
import { WrittenRequest } from '@quartermaster/host/upstream';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuredUpstreams } from '../configured-upstreams.ts';
import { asking, connected, toolset } from '../connector/connector.fixture.ts';
import { listeningServer } from '../mcp/mcp-servers.fixture.ts';
import { favouringEmbedder, foundIn, isTool, LETTERS, RERANKING, SEARCH_LETTERS } from '../reranking.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedHost } from '../scripted-host.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from '../scripted-upstream.fixture.ts';
import { BM25 } from '../weather-request.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'quartermaster-worker-'));
const workerUrl = pathToFileURL(join(folder, 'dist', 'exchange-worker.mjs'));

beforeAll(async () => {
  // Beside the worker, as it is beside the build of its package.
  symlinkSync(fileURLToPath(new URL('../../../semantic/model', import.meta.url)), join(folder, 'model'));
  // Node runs no TypeScript in a worker, and tests read sources: the worker is put into one file for them.
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@quartermaster/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@quartermaster/source'] } },
    build: {
      ssr: fileURLToPath(new URL('./exchange-worker.ts', import.meta.url)),
      outDir: join(folder, 'dist'),
      minify: false,
      rollupOptions: { output: { entryFileNames: 'exchange-worker.mjs' } },
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS = { offThreadBytes: 1 };
const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const TOOLS = [
  { type: 'tool_search_tool_regex_20251119' as const, name: 'tool_search_tool_regex' as const },
  { name: 'get_weather', input_schema: { type: 'object' as const }, defer_loading: true },
];
const ROUNDS = [
  message([{ call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: 'weather' } }], 'tool_use'),
  message([{ text: 'Found.' }, { call: 'get_weather', id: 'toolu_w', input: {} }], 'tool_use'),
];

describe('requests with large bodies', () => {
  it('find on the main thread what their clients were not shown, and keep it there', async () => {
    const search = { id: 'call_0', function: { name: 'tool_search', arguments: '{"query":"weather"}' } };
    const chat = [{ tool_calls: [{ index: 0, ...search }] }, { content: 'Shall I?' }, { content: 'Done.' }].map(
      (delta) => [
        { choices: [{ index: 0, delta, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'content' in delta ? 'stop' : 'tool_calls' }] },
      ],
    );
    const upstreams = scriptedUpstreams({ chat });
    const cache = createTranscriptCache();
    const transcripts = cache.storeFor;
    const { openai } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS, transcripts });
    const tools = [{ type: 'function' as const, defer_loading: true, function: { name: 'get_weather' } }];
    const user = { role: 'user' as const, content: 'Hello' };
    const said = { role: 'assistant' as const, content: 'Shall I?' };
    await openai.chat.completions.create({ model: 'gpt-test', tools, messages: [user] });
    expect(cache.bytes).toBeGreaterThan(0);
    await openai.chat.completions.create({ model: 'gpt-test', tools, messages: [user, said, user] });
    const [, second, third] = upstreams.requests.map(({ messages }) => messages as readonly unknown[]);
    expect(third).toEqual([...(second ?? []), said, user]);
  });

  it('are answered by a worker as they would be here, streaming and not', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [...ROUNDS, ...ROUNDS, ...ROUNDS] });
    const here = await runningGateway({ upstreams });
    const there = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const expected = await here.anthropic.messages.create({ ...ASK, tools: TOOLS });
    const whole = await there.anthropic.messages.create({ ...ASK, tools: TOOLS });
    const streamed = await there.anthropic.messages.stream({ ...ASK, tools: TOOLS }).finalMessage();
    expect(whole).toEqual(expected);
    expect(streamed.content).toEqual(expected.content);
    expect(upstreams.requests.slice(2, 4)).toEqual(upstreams.requests.slice(0, 2));
    const metrics = await (await fetch(`${there.url}/metrics`)).text();
    expect(metrics).toMatch(/quartermaster_searches_total\{engine="\w+",verdict="match"\} 2\n/);
  });

  it('are searched with the reranker of the main thread: one model and one store for all', async () => {
    const round = [message([SEARCH_LETTERS], 'tool_use'), message([{ text: 'Ok.' }], 'end_turn')];
    const embedder = favouringEmbedder('post letter');
    const search = { search: RERANKING, reranker: { embedder } };
    const upstreams = scriptedUpstreams({ anthropic: [...round, ...round, ...round] });
    const here = await runningGateway({ upstreams, ...search });
    const there = await runningGateway({ upstreams, ...search, store: here.store, workerUrl, settings: SETTINGS });
    const ask = { ...ASK, tools: [BM25, ...LETTERS] };
    expect(foundIn((await there.anthropic.messages.create(ask)).content)[0]).toBe('post_letter');
    expect(embedder.texts.filter(isTool)).toHaveLength(3);
    expect(foundIn((await here.anthropic.messages.create(ask)).content)[0]).toBe('post_letter');
    expect(embedder.texts.filter(isTool)).toHaveLength(3);
    embedder.hold = () => Promise.reject(new Error('broken'));
    expect(foundIn((await there.anthropic.messages.create(ask)).content)[0]).toBe('send_mail');
    const metrics = await (await fetch(`${there.url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_reranker_failures_total{kind="fallback"} 1\n');
  });

  it('that name MCP servers have them connected by the main thread', async () => {
    const call = { call: 'crm_find', id: 'toolu_c', input: { text: 'Ada' } };
    const upstreams = scriptedUpstreams({
      anthropic: [message([call], 'tool_use'), message([{ text: 'Found.' }], 'end_turn')],
    });
    const crm = await listeningServer({ find: {} });
    const connector = { allow: ['http://127.0.0.1:*'] };
    const { anthropic } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS, connector });
    const { content } = await anthropic.beta.messages.create({
      ...ASK,
      mcp_servers: [{ type: 'url', name: 'crm', url: crm.url }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'crm' }],
    });
    expect(content.map(({ type }) => type)).toEqual(['mcp_tool_use', 'mcp_tool_result', 'text']);
  });

  it('that name MCP servers are indexed by a worker even if these lack tools, and searches say so', async () => {
    const search = { call: BM25.name, id: 'toolu_s', input: { query: 'zebra crossing' } };
    const rounds = [message([search], 'tool_use'), message([{ text: 'Ok.' }], 'end_turn')];
    const { create, crm, url } = await connected(rounds, {
      ...{ workerUrl, settings: SETTINGS },
      tools: { find: {}, too_long: { description: 'x'.repeat(1024 * 1024) } },
    });
    const { content } = await create(
      asking(crm.url, { tools: [BM25, toolset({ default_config: { defer_loading: true } })] }),
    );
    expect(content[1]).toMatchObject({
      content: { error_code: 'unavailable', error_message: expect.stringContaining('crm (1 of its tools') },
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_tools_bytes 0\n');
  });

  it('are refused by a worker in the same words', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}), workerUrl, settings: SETTINGS });
    const response = await post('/v1/messages', { ...ASK, tools: [TOOLS[1]] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: 'All tools have defer_loading set. At least one tool must be non-deferred.',
      },
    });
    expect((await post('/v1/messages', '{"model":')).status).toBe(400);
    expect((await post('/v1/messages', { ...ASK, model: 'unknown-model' })).status).toBe(404);
    const thread = await post('/v1/messages', { ...ASK, thread: { type: 'create' } });
    expect(await thread.json()).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  });

  it("an upstream's error is the answer, before the first part and after it", async () => {
    const failure = upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
    const upstreams = scriptedUpstreams({ anthropic: [[failure], [...(ROUNDS[1] ?? []).slice(0, 3), failure]] });
    const { anthropic } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
    await expect(anthropic.messages.stream(ASK).finalMessage()).rejects.toMatchObject({ type: 'overloaded_error' });
  });

  it.each([false, true])(
    'a 500 of the upstream’s is no fault of the worker’s in the log, streaming: %s',
    async (stream) => {
      const failure = { type: 'error' as const, error: { type: 'api_error', message: 'Oops.' } };
      const upstreams = scriptedUpstreams({ anthropic: [[failure]] });
      const { post, log } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
      await (await post('/v1/messages', { ...ASK, tools: TOOLS, stream })).text();
      expect(log.at(-1)).toMatchObject({ level: 'warn', errorType: 'api_error' });
      expect(log.at(-1)).not.toHaveProperty('error');
    },
  );

  it('a client that goes away ends the work upstream', async () => {
    const never = new Promise<never>(() => undefined);
    const upstreams = scriptedUpstreams({ anthropic: [[...(ROUNDS[1] ?? []).slice(0, 3), never]] });
    const { anthropic, post } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const stream = anthropic.messages.stream(ASK);
    await new Promise((resolve) => stream.once('text', resolve));
    stream.abort();
    await expect(stream.done()).rejects.toThrow();
    while (upstreams.aborted.count === 0) await post('/healthz', '');
    expect(upstreams.aborted.count).toBe(1);
  });

  it('a catalog that is named behind many tools is found on the main thread', async () => {
    const upstreams = scriptedUpstreams(
      { anthropic: [ROUNDS[1] ?? []] },
      { upstream: { countTokens: async () => 42 } },
    );
    const { post, url } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const tools = Array.from({ length: 100 }, (_, index) => ({ ...TOOLS[1], name: `tool_${index}` }));
    const put = { method: 'PUT', body: JSON.stringify({ tools: [{ ...TOOLS[1], defer_loading: undefined }] }) };
    expect((await fetch(`${url}/v1/catalogs/acme`, put)).status).toBe(201);
    const ask = { ...ASK, tools: [TOOLS[0], ...tools, { type: 'quartermaster_catalog', name: 'acme' }] };
    expect((await post('/v1/messages', ask)).status).toBe(200);
    expect(await (await post('/v1/messages/count_tokens', ask)).json()).toEqual({ input_tokens: 42 });
    const other = { ...ask, tools: [...ask.tools, { type: 'quartermaster_catalog', name: 'unknown' }] };
    expect((await post('/v1/messages', other)).status).toBe(404);
  });

  it('a body of megabytes is read where it is, and the next one is not mistaken for it', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [ROUNDS[1] ?? [], ROUNDS[1] ?? [], ROUNDS[1] ?? []] });
    const { post } = await runningGateway({ upstreams, workerUrl });
    const described = (name: string) => ({ ...TOOLS[1], name, description: name.repeat(50_000), defer_loading: false });
    for (const name of ['first_tool_of_many', 'other_tool_of_many', 'first_tool_of_many']) {
      expect((await post('/v1/messages', { ...ASK, tools: [described(name), described(`${name}_2`)] })).status).toBe(
        200,
      );
    }
    const sent = upstreams.requests.map(({ tools }) => (tools as { name: string; description: string }[])[0]);
    expect(sent.map((tool) => tool?.name)).toEqual(['first_tool_of_many', 'other_tool_of_many', 'first_tool_of_many']);
    expect(sent.every((tool) => tool?.description === tool?.name.repeat(50_000))).toBe(true);
  });

  it('with catalogs and with tools to search are read by a worker, with the same answers', async () => {
    const upstreams = scriptedUpstreams({});
    const here = await runningGateway({ upstreams });
    const there = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const tools = Array.from({ length: 40 }, (_, at) => ({ name: `tool_${at}`, description: `Does ${at}` }));
    const answers = await Promise.all(
      [here, there].map(async ({ url, post }) => {
        const put = await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify({ tools }) });
        const { updated_at: _, ...head } = (await put.json()) as Record<string, unknown>;
        const search = await post('/v1/search', { query: 'tool 7', tools, explain: true });
        const { took_ms: __, ...found } = (await search.json()) as Record<string, unknown>;
        const refused = [
          await post('/v1/search', { query: 'tool 7' }),
          await post('/v1/search', '{"query":'),
          await post('/v1/search', { query: 'x', tools: [{ description: 'no name' }] }),
          await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: '{"tools":[{"name":1}]}' }),
        ];
        const errors = await Promise.all(
          refused.map(async (response) => [response.status, ((await response.json()) as { error: object }).error]),
        );
        return { status: put.status, head, found, errors };
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 201, head: { tool_count: 40 }, found: { catalog: { tool_count: 40 } } });
  });

  it('tokens are counted by a worker too', async () => {
    const upstreams = scriptedUpstreams({}, { upstream: { countTokens: async () => 42 } });
    const { anthropic } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const { model, messages } = ASK;
    expect(await anthropic.messages.countTokens({ model, messages })).toMatchObject({ input_tokens: 42 });
  });

  it('are sent to their host with the same bytes as from the main thread, and in the log of the wire', async () => {
    const host = await scriptedHost('anthropic', ({ results }) =>
      results.length > 0 ? { text: 'Done.' } : { call: 'tool_search_tool_regex', input: { pattern: 'weather' } },
    );
    const upstreams = configuredUpstreams([
      { models: ['*'], provider: 'anthropic', baseUrl: host.url, apiKey: 'key', toolSearch: 'local' },
    ]);
    const asked = { ...ASK, tools: TOOLS, metadata: { user_id: 'ü\u2028' } };
    const insight = { keep: 'off', retentionDays: 30, maxBytes: 1, wire: true } as const;
    for (const settings of [{ insight }, { ...SETTINGS, insight }]) {
      const { anthropic, url } = await runningGateway({ upstreams, workerUrl, settings });
      await anthropic.messages.create(asked);
      await anthropic.messages.stream(asked).finalMessage();
      await anthropic.messages.countTokens({ model: ASK.model, messages: ASK.messages });
      const { data } = (await (await fetch(`${url}/v1/activity`)).json()) as { data: readonly { id: string }[] };
      const wire = await (await fetch(`${url}/v1/activity/${data[0]?.id}/wire`)).text();
      expect(wire).toContain(String.raw`\"stream\":true`);
    }
    // The host numbers its calls over both gateways.
    const bodies = host.bodies.map((body) => body.replaceAll(/call_\d+/g, 'call'));
    const [here, there] = [bodies.slice(0, 5), bodies.slice(5)];
    expect(here).toHaveLength(5);
    expect(there).toEqual(here);
  });

  it('reach a host that takes bodies as they are without being parsed on the main thread', async () => {
    const sent: unknown[] = [];
    const exchange = {
      ...{ dialect: 'anthropic', transport: 'anthropic', takesWritten: true },
      async whole(request: unknown) {
        sent.push(request);
        return { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {}, stop_reason: 'end_turn' };
      },
      forClient: () => exchange,
    };
    const upstreams = scriptedUpstreams({}, { upstream: { for: async () => exchange as never } });
    const { anthropic } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    await anthropic.messages.create(ASK);
    const [request] = sent;
    expect(request).toBeInstanceOf(WrittenRequest);
    expect(JSON.parse((request as WrittenRequest).start(1_000))).toEqual(ASK);
  });

  it('of more values than can be translated in a moment are refused for hosts of another protocol', async () => {
    const upstreams = scriptedUpstreams({ chat: [[{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]] });
    const { post } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const messages = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'x' }));
    const refused = await post('/v1/chat/completions', { model: 'm', messages: messages(100_000) });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('more than 200,000 JSON values') } },
    ]);
    expect((await post('/v1/chat/completions', { model: 'm', messages: messages(1_000) })).status).toBe(200);
  });

  it('of more values than the main thread reads in a moment are refused if they name catalogs or servers', async () => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const many = JSON.parse(`[${'{},'.repeat(1_000_000)}{}]`) as object[];
    const tools = Array.from({ length: 100 }, (_, index) => ({ ...TOOLS[1], name: `tool_${index}` }));
    const catalog = { type: 'quartermaster_catalog', name: 'acme' };
    for (const [path, body] of [
      ['/v1/messages', { ...ASK, tools: [catalog], metadata: { many } }],
      ['/v1/messages', { ...ASK, tools: [...tools, catalog], metadata: { many } }],
      [
        '/v1/messages',
        { ...ASK, mcp_servers: [{ type: 'url', url: 'https://a.test', name: 'a' }], metadata: { many } },
      ],
      ['/v1/messages/count_tokens', { ...ASK, tools: [catalog], metadata: { many } }],
      ['/v1/messages/batches', { requests: [{ custom_id: 'a', params: { ...ASK, metadata: { many } } }] }],
    ] as const) {
      const refused = await post(path, body);
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { error: { message: expect.stringContaining('may have at most 1,000,000 JSON values') } },
      ]);
    }
  });

  it('a key is held to its models', async () => {
    const { post, store } = await runningGateway({ upstreams: scriptedUpstreams({}), workerUrl, settings: SETTINGS });
    const { secret } = await store.keys.create({ name: 'a', models: ['gpt-*'], catalogs: [], limits: {} });
    expect((await post('/v1/messages', ASK, { 'x-api-key': secret })).status).toBe(403);
  });

  it('a key is held to its searches, which the main thread counts', async () => {
    const searching = (id: string) => message([{ call: BM25.name, id, input: { query: 'weather' } }], 'tool_use');
    const anthropic = [searching('toolu_1'), searching('toolu_2'), message([{ text: 'Ok.' }], 'end_turn')];
    const upstreams = scriptedUpstreams({ anthropic });
    const { post, store } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const limits = { searchesPerMinute: 1 };
    const { secret } = await store.keys.create({ name: 'a', models: ['*'], catalogs: [], limits });
    const response = await post('/v1/messages', { ...ASK, tools: [BM25, TOOLS[1]] }, { 'x-api-key': secret });
    const { content } = (await response.json()) as { content: readonly { type: string; content?: object }[] };
    const results = content.filter(({ type }) => type === 'tool_search_tool_result').map((block) => block.content);
    expect(results).toMatchObject([
      { tool_references: [{ tool_name: 'get_weather' }] },
      { error_code: 'too_many_requests' },
    ]);
  });

  it('a key is held to its searches before a worker makes them', async () => {
    const { post, store } = await runningGateway({ upstreams: scriptedUpstreams({}), workerUrl, settings: SETTINGS });
    const limits = { searchesPerMinute: 2 };
    const { secret } = await store.keys.create({ name: 'a', models: ['*'], catalogs: [], limits });
    const search = (queries: string[]) => post('/v1/search', { queries, tools: [TOOLS[1]] }, { 'x-api-key': secret });
    const refused = await search(['a', 'b', 'c']);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await search(['a', 'b'])).status).toBe(200);
  });

  it('a worker that cannot start fails its requests, not the gateway', async () => {
    const missing = pathToFileURL(join(folder, 'missing.mjs'));
    const upstreams = scriptedUpstreams({});
    const { post, log } = await runningGateway({ upstreams, workerUrl: missing, settings: SETTINGS });
    const requests = [
      ['/v1/messages', ASK],
      ['/v1/messages', ASK],
      ['/v1/messages/count_tokens', ASK],
      ['/v1/messages/batches', { requests: [{ custom_id: 'a', params: ASK }] }],
      ['/v1/search', { query: 'x', tools: [] }],
      ['/v1/embeddings', { model: 'embed-1', input: 'x' }],
    ] as const;
    for (const [path, body] of requests) expect([path, (await post(path, body)).status]).toEqual([path, 500]);
    expect(log).toHaveLength(requests.length);
  });

  it('that only pass through have their model read by a worker, and arrive as they were sent', async () => {
    const passed: unknown[] = [];
    const pass = async ({ body }: { readonly body?: Uint8Array }) => {
      passed.push(JSON.parse(Buffer.from(body ?? []).toString('utf8')));
      return Response.json({ data: [] });
    };
    const upstreams = scriptedUpstreams({}, { upstream: { pass } });
    const { store, post } = await runningGateway({ upstreams, workerUrl, settings: SETTINGS });
    const rights = { name: 'team', models: ['embed-*'], catalogs: ['*'], limits: {} };
    const headers = { 'x-api-key': (await store.keys.create(rights)).secret };
    const body = { model: 'embed-1', input: ['some text '.repeat(10_000)] };
    expect((await post('/v1/embeddings', body, headers)).status).toBe(200);
    expect(passed).toEqual([body]);
    expect((await post('/v1/embeddings', { ...body, model: 'other' }, headers)).status).toBe(403);
    const refused = await post('/v1/embeddings', { input: body.input }, headers);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: 'model: Field required' } },
    ]);
    expect(passed).toHaveLength(1);
  });

  it('that are batches are read by a worker, in the same words if they are wrong', async () => {
    const upstreams = scriptedUpstreams({});
    const { store, post } = await runningGateway({
      upstreams,
      workerUrl,
      settings: { ...SETTINGS, batchConcurrency: 0 },
    });
    const item = (custom_id: string) => ({ custom_id, params: { ...ASK, stream: true } });
    const created = await post('/v1/messages/batches', { requests: [item('a'), item('b')] });
    const batch = (await created.json()) as { id: string };
    expect([created.status, batch]).toMatchObject([200, { request_counts: { processing: 2 } }]);
    const [claimed] = await store.batches.claim({ limit: 1, leaseMs: 60_000 });
    expect(JSON.parse(claimed?.params ?? '')).toEqual({ ...ASK, stream: false });
    for (const [wrong, message] of [
      [{ requests: [] }, 'requests: at least one request is required'],
      [{ requests: [item('a'), item('a')] }, 'requests.1.custom_id: must be unique in the batch'],
    ] as const) {
      const refused = await post('/v1/messages/batches', wrong);
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { message } }]);
    }
  });

  it('other requests are answered while a worker reads ten thousand tools', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [ROUNDS[1] ?? []] });
    const { post } = await runningGateway({ upstreams, workerUrl });
    const properties = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `field_${index}`,
        { type: 'string', description: 'Some words about it' },
      ]),
    );
    const tools = Array.from({ length: 9_000 }, (_, index) => ({
      ...{ name: `tool_${index}`, description: `Does number ${index} of many things`, defer_loading: true },
      input_schema: { type: 'object', properties },
    }));
    let isDone = false;
    const large = post('/v1/messages', { ...ASK, tools: [TOOLS[0], ...tools] }).then((response) => {
      isDone = true;
      return response.status;
    });
    let answered = 0;
    while (!isDone) {
      expect((await post('/v1/messages/count_tokens', ASK)).status).toBe(200);
      if (!isDone) answered += 1;
    }
    expect(await large).toBe(200);
    expect(answered).toBeGreaterThan(3);
  });
});
