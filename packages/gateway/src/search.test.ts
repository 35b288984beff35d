import { describe, expect, it } from 'vitest';
import type { GatewayOptions } from './gateway-options.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { scriptedUpstreams } from './scripted-upstream.fixture.ts';

const TOOLS = [
  {
    name: 'refund',
    server: 'shop',
    description: 'Pay a buyer back',
    inputSchema: { type: 'object', properties: { order: { type: 'string', description: 'the order number' } } },
  },
  { name: 'send_mail', server: 'post', description: 'Send a letter to a person', inputSchema: { type: 'object' } },
  { name: 'get_weather', server: 'sky', description: 'Current weather of a city', inputSchema: { type: 'object' } },
];

async function withCatalog(settings: GatewayOptions['settings'] = {}) {
  const gateway = await runningGateway({ upstreams: scriptedUpstreams({}), settings });
  await fetch(`${gateway.url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify({ tools: TOOLS }) });
  const ask = async (path: string, body: unknown) => {
    const response = await gateway.post(path, body);
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  return { ...gateway, ask };
}

describe('search over HTTP', () => {
  it('finds tools of a catalog, with scores, tokens and verdict', async () => {
    const { ask } = await withCatalog();
    const { status, body } = await ask('/v1/catalogs/acme/search', { query: 'weather', limit: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'search_result',
      engine: 'bm25',
      catalog: { tool_count: 3 },
      results: [
        { query: 'weather', verdict: 'match', hits: [{ tool: 'sky/get_weather', server: 'sky', name: 'get_weather' }] },
      ],
    });
    const [hit] = (body.results as unknown as [{ hits: [Record<string, unknown>] }])[0].hits;
    expect(hit.tokens).toBeGreaterThan(0);
    expect(hit).not.toHaveProperty('input_schema');
    expect(hit).not.toHaveProperty('explanation');
  });

  it('is logged with how many searches it made: one of each query, and the first by each engine to compare', async () => {
    const { ask, log } = await withCatalog();
    const tools = TOOLS.map(({ server: _, ...tool }) => tool);
    const cases = [{ query: 'weather', tools: ['sky/get_weather'] }];
    for (const [path, body] of [
      ['/v1/catalogs/acme/search', { query: 'weather' }],
      ['/v1/catalogs/acme/search', { queries: ['weather', 'mail'], compare: ['regex'] }],
      ['/v1/search', { tools, queries: ['weather', 'mail', 'refund'] }],
      ['/v1/catalogs/acme/evaluate', { cases }],
    ] as const) {
      expect((await ask(path, body)).status).toBe(200);
    }
    const counted = () => log.flatMap(({ route, searches }) => (route === 'search' ? [searches] : []));
    await expect.poll(counted).toEqual([1, 3, 3, 1]);
  });

  it('refuses questions of more than a megabyte, which would be parsed while others wait', async () => {
    const { ask } = await withCatalog();
    for (const path of ['search', 'evaluate']) {
      const { status } = await ask(`/v1/catalogs/acme/${path}`, { query: 'x'.repeat(1_100_000) });
      expect(status).toBe(413);
    }
  });

  it('gives others a turn between the cases of an evaluation', async () => {
    const { post } = await withCatalog();
    const cases = Array.from({ length: 300 }, () => ({ query: 'weather', tools: ['sky/get_weather'] }));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const response = await post('/v1/catalogs/acme/evaluate', { cases });
    isOver = true;
    expect(response.status).toBe(200);
    expect(turns).toBeGreaterThan(cases.length);
  });

  it('answers each of several queries by itself', async () => {
    const { ask } = await withCatalog();
    const { body } = await ask('/v1/catalogs/acme/search', { queries: ['weather', 'letter', 'zzzz'] });
    expect(body.results).toMatchObject([
      { query: 'weather', hits: [{ tool: 'sky/get_weather' }] },
      { query: 'letter', hits: [{ tool: 'post/send_mail' }] },
      { query: 'zzzz', verdict: 'no_match', hits: [] },
    ]);
  });

  it('gives explanations and schemas when asked, and says why a tool is not found', async () => {
    const { ask } = await withCatalog();
    const { body } = await ask('/v1/catalogs/acme/search', {
      query: 'order',
      explain: true,
      schema: true,
      why: 'sky/get_weather',
    });
    expect(body).toMatchObject({
      results: [
        {
          hits: [
            { tool: 'shop/refund', input_schema: TOOLS[0]?.inputSchema, explanation: { value: expect.any(Number) } },
          ],
        },
      ],
      why: { tool: 'sky/get_weather', standing: 'not-matched' },
    });
    const unknown = await ask('/v1/catalogs/acme/search', { query: 'order', why: 'nope' });
    expect(unknown.body).toMatchObject({ why: { tool: 'nope', standing: 'not-in-catalog' } });
  });

  it('reports how other engines rank, beside the hits', async () => {
    const { ask } = await withCatalog();
    const { body } = await ask('/v1/catalogs/acme/search', { query: 'weather', compare: ['regex', 'semantic'] });
    expect(body.compared).toMatchObject({
      regex: [{ tool: 'sky/get_weather', score: expect.any(Number) }],
      semantic: [{ tool: 'sky/get_weather' }],
    });
  });

  it('searches tools that come with the request', async () => {
    const { ask } = await withCatalog();
    const { body } = await ask('/v1/search', { query: 'letter', tools: TOOLS });
    expect(body).toMatchObject({ results: [{ hits: [{ tool: 'post/send_mail' }] }] });
  });

  it('tries other descriptions without saving them', async () => {
    const { ask } = await withCatalog();
    const drafts = { 'sky/get_weather': 'Whether umbrellas are needed' };
    const query = { query: 'umbrellas' };
    expect((await ask('/v1/catalogs/acme/search', { ...query, drafts })).body).toMatchObject({
      results: [{ hits: [{ tool: 'sky/get_weather' }] }],
    });
    expect((await ask('/v1/catalogs/acme/search', query)).body).toMatchObject({ results: [{ hits: [] }] });
  });

  it('measures labelled requests, with and without a draft', async () => {
    const { ask } = await withCatalog();
    const cases = [
      { query: 'weather', tools: ['sky/get_weather'] },
      { query: 'umbrellas', tools: ['sky/get_weather'] },
    ];
    expect((await ask('/v1/catalogs/acme/evaluate', { cases })).body).toMatchObject({
      hit_at: { 1: 0.5, 5: 0.5 },
      cases: [{ rank: 1 }, { rank: null }],
    });
    const drafts = { 'sky/get_weather': 'Weather: whether umbrellas are needed' };
    expect((await ask('/v1/catalogs/acme/evaluate', { cases, drafts })).body).toMatchObject({ hit_at: { 1: 1 } });
  });

  it('runs the engine that is asked for, and lists those that can run', async () => {
    const { ask, url } = await withCatalog();
    expect((await ask('/v1/catalogs/acme/search', { query: '^get_', engine: 'regex' })).body).toMatchObject({
      engine: 'regex',
      results: [{ hits: [{ tool: 'sky/get_weather' }] }],
    });
    expect(await (await fetch(`${url}/v1/search/engines`)).json()).toEqual({
      configured: 'bm25',
      data: ['hybrid', 'bm25', 'semantic', 'regex'].map((id) => ({ id })),
    });
  });

  it.each([
    ['no query', {}, 'Pass query'],
    ['query and queries', { query: 'a', queries: ['b'] }, 'not both'],
    ['an empty query', { query: ' ' }, 'query: should be'],
    ['a query that is too long', { query: 'x'.repeat(4_097) }, 'at most 4096 characters (limits.queryLength)'],
    ['an unknown engine', { query: 'a', engine: 'magic' }, 'engine: should be one of auto'],
    ['an engine that can not run', { query: 'a', engine: 'hybrid+reranker' }, 'without the reranker'],
    ['an unknown engine to compare with', { query: 'a', compare: ['magic'] }, 'compare: should be one of'],
    ['a limit of 51', { query: 'a', limit: 51 }, 'limit: should be a whole number from 1 to 50'],
    ['an unknown field', { query: 'a', topk: 3 }, 'topk: unknown field'],
    ['a malformed pattern', { query: '(', engine: 'regex' }, 'position 0'],
    ['a draft of no tool', { query: 'a', drafts: { nope: 'x' } }, "no tool 'nope'"],
    ['tools beside a catalog', { query: 'a', tools: [] }, 'POST /v1/search takes tools'],
  ])('refuses %s with a reason', async (_, request, reason) => {
    const { ask } = await withCatalog();
    const { status, body } = await ask('/v1/catalogs/acme/search', request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: expect.stringContaining(reason) } });
  });

  it.each([
    { what: 'a smaller limit', maxQueryLength: 10, fits: 'weather 😀😀', isTooLong: 'weather 😀😀😀' },
    {
      what: 'a greater one',
      maxQueryLength: 5_000,
      fits: `weather ${'x'.repeat(4_992)}`,
      isTooLong: 'x'.repeat(5_001),
    },
  ])('counts the characters of a query up to $what of the settings, at each path', async (limit) => {
    const { ask } = await withCatalog({ maxQueryLength: limit.maxQueryLength });
    const paths: readonly (readonly [path: string, bodyOf: (query: string) => object])[] = [
      ['/v1/catalogs/acme/search', (query) => ({ query })],
      ['/v1/catalogs/acme/search', (query) => ({ queries: ['a', query] })],
      ['/v1/catalogs/acme/search', (query) => ({ query, why: 'get_weather', compare: ['hybrid', 'semantic'] })],
      ['/v1/catalogs/acme/evaluate', (query) => ({ cases: [{ query, tools: ['sky/get_weather'] }] })],
      ['/v1/search', (query) => ({ query, tools: TOOLS })],
    ];
    for (const [path, bodyOf] of paths) {
      expect((await ask(path, bodyOf(limit.fits))).status).toBe(200);
      const { status, body } = await ask(path, bodyOf(limit.isTooLong));
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('(limits.queryLength)')]);
    }
  });

  it('does not tell an unknown catalog from one that a key may not use', async () => {
    const { ask, store, url } = await withCatalog();
    expect((await ask('/v1/catalogs/nope/search', { query: 'a' })).status).toBe(404);
    const { secret } = await store.keys.create({ name: 'other', models: ['*'], catalogs: ['other'], limits: {} });
    const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
    const tried = (catalog: string) =>
      fetch(`${url}/v1/catalogs/${catalog}/search`, { method: 'POST', headers, body: '{"query":"a"}' });
    await expect.poll(async () => (await fetch(`${url}/v1/search/engines`)).status).toBe(401);
    const [hidden, missing] = await Promise.all([tried('acme'), tried('nope')]);
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(((await hidden.json()) as { error: object }).error).toEqual({
      ...((await missing.json()) as { error: object }).error,
      message: "There is no catalog named 'acme' that this key may use",
    });
  });
});
