import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const SEARCH = { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' };
const ASK = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const definitions = (count: number, prefix = 'tool') =>
  Array.from({ length: count }, (_, at) => ({
    name: `${prefix}_${at}`,
    description: `Handles case ${at}`,
    input_schema: { type: 'object' },
  }));
const catalog = (name: string) => ({ type: 'quartermaster_catalog', name, defer_loading: true });

function searching(query: string) {
  return scriptedUpstreams({
    anthropic: [
      message([{ call: SEARCH.name, id: 'toolu_s', input: { query } }], 'tool_use'),
      message([{ text: 'Done.' }], 'end_turn'),
    ],
  });
}

describe('limits on tools', () => {
  it('a catalog of 100,000 tools is stored and searched', { timeout: 60_000 }, async () => {
    const gateway = await runningGateway({ upstreams: searching('tool_99998') });
    const put = await fetch(`${gateway.url}/v1/catalogs/large`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tools: definitions(100_000) }),
    });
    expect(await put.json()).toMatchObject({ tool_count: 100_000 });
    const answer = await (await gateway.post('/v1/messages', { ...ASK, tools: [SEARCH, catalog('large')] })).json();
    expect(JSON.stringify(answer)).toContain('tool_99998');
  });

  it.each([
    {
      what: 'a catalog with too many tools',
      settings: { maxCatalogTools: 5 },
      told: 'a catalog may have 5 tools, and this one has 6; divide it, or raise limits.catalogTools',
      ask: ({ url }: { readonly url: string }) =>
        fetch(`${url}/v1/catalogs/some`, { method: 'PUT', body: JSON.stringify({ tools: definitions(6) }) }),
    },
    {
      what: 'a request that defines too many',
      settings: { maxRequestTools: 5 },
      told: 'a request may define 5 tools, and this one defines 6; upload them as a catalog, or raise limits.requestTools',
      ask: ({ post }: { readonly post: (path: string, body: unknown) => Promise<Response> }) =>
        post('/v1/chat/completions', {
          ...ASK,
          tools: definitions(6).map(({ name }) => ({ type: 'function', function: { name } })),
        }),
    },
    {
      what: 'a request of the Messages API that defines too many',
      settings: { maxRequestTools: 5 },
      told: 'tools: at most 5 tools are allowed',
      ask: ({ post }: { readonly post: (path: string, body: unknown) => Promise<Response> }) =>
        post('/v1/messages', { ...ASK, tools: [SEARCH, ...definitions(6)] }),
    },
  ])('$what is refused with the limit', async ({ settings, told, ask }) => {
    const response = await ask(await runningGateway({ upstreams: searching('x'), settings }));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(told);
  });

  it('several catalogs in one request are counted together, up to a limit of their own', async () => {
    const settings = { maxSearchedTools: 11 };
    const { url, post } = await runningGateway({ upstreams: searching('b_5'), settings });
    for (const name of ['a', 'b']) {
      const body = JSON.stringify({ tools: definitions(6, name) });
      await fetch(`${url}/v1/catalogs/${name}`, { method: 'PUT', body });
    }
    const both = await post('/v1/messages', { ...ASK, tools: [SEARCH, catalog('a'), catalog('b')] });
    expect([both.status, await both.text()]).toEqual([400, expect.stringContaining('raise limits.searchedTools')]);
    const one = await post('/v1/messages', { ...ASK, tools: [SEARCH, catalog('b')] });
    expect([one.status, await one.text()]).toEqual([200, expect.stringContaining('b_5')]);
  });

  it('a query that is longer than it may be is answered by that, to the model', async () => {
    const upstreams = searching('mail '.repeat(200_000));
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', {
      ...ASK,
      tools: [SEARCH, ...definitions(3).map((tool) => ({ ...tool, defer_loading: true }))],
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('maxQueryLength')]);
  });
});
