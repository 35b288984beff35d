import { describe, expect, it } from 'vitest';
import { sessionServer } from '../mcp/mcp-servers.fixture.ts';
import { message } from '../scripted-upstream.fixture.ts';
import { BM25 } from '../weather-request.fixture.ts';
import { asking, connected, methodsOf, toolset } from './connector.fixture.ts';

const GOOD = { name: 'find_letter', description: 'Finds a letter', inputSchema: { type: 'object' } };
const DEEP = `{"type":"object","properties":${'{"a":'.repeat(20_000)}{}${'}'.repeat(20_000)}}`;

/** A server whose list is the test's to write, as JSON. */
function listed(write: (cursor: number) => string): ReturnType<typeof sessionServer> {
  const answer = async (request: Request): Promise<Response> => {
    const { id, params } = (await request.json()) as { id: unknown; params?: { cursor?: string } };
    const result = write(Number(params?.cursor ?? 0));
    const headers = { 'content-type': 'application/json' };
    return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, { headers });
  };
  return sessionServer({}, (request, method) => (method === 'tools/list' ? answer(request) : undefined));
}

function searching(query: string): ReturnType<typeof message>[] {
  const search = { call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query } };
  return [message([search], 'tool_use'), message([{ text: 'Done.' }], 'end_turn')];
}

const DEFERRED = { tools: [BM25, toolset({ default_config: { defer_loading: true } })] };

describe('a server that lists more than is read', () => {
  const manyTools = JSON.stringify({
    tools: [GOOD, ...Array.from({ length: 20_000 }, (_, index) => ({ ...GOOD, name: `t${index}`, description: 'x' }))],
  });

  it.each([
    ['20,000 tools', () => manyTools, 'its list was cut off after 10000 tools'],
    [
      'pages without end',
      (cursor: number) => JSON.stringify({ tools: cursor === 0 ? [GOOD] : [], nextCursor: String(cursor + 1) }),
      'its list was cut off after 1000 pages',
    ],
    [
      'a page again and again',
      () => JSON.stringify({ tools: [GOOD], nextCursor: '1' }),
      'its list was cut off after a page that it repeats',
    ],
    [
      'a tool that can’t be read',
      () => `{"tools":[${JSON.stringify(GOOD)},{"name":"deep","inputSchema":${DEEP}}]}`,
      '1 of its tools can\'t be used, such as: Tool 1 ("deep")',
    ],
  ])('%s: its tools are found, and a search that finds nothing tells what is missing', async (_, write, reason) => {
    const server = await listed(write);
    const turns = [...searching('find a letter'), ...searching('zebra crossing')];
    const { create, upstreams } = await connected([...turns, ...turns]);
    // The second time the list is known from the first.
    for (const round of [0, 4]) {
      const found = await create(asking(server.url, DEFERRED));
      const missed = await create(asking(server.url, DEFERRED));
      expect(found.content[1]).toMatchObject({ content: { tool_references: [{ tool_name: 'crm_find_letter' }] } });
      const error = { error_code: 'unavailable', error_message: expect.stringContaining(`crm (${reason}`) };
      expect(missed.content[1]).toMatchObject({ content: { type: 'tool_search_tool_result_error', ...error } });
      expect(upstreams.requests[round + 3]?.messages.at(-1)).toMatchObject({
        content: [{ type: 'tool_result', content: expect.stringContaining('not reachable now: crm') }],
      });
    }
    expect(methodsOf(server).filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('is not named where another list of the same tools is whole', async () => {
    let isCut = true;
    const write = (): string => JSON.stringify({ tools: [GOOD], ...(isCut ? { nextCursor: '1' } : {}) });
    const [first, second] = [await listed(write), await listed(write)];
    const turns = searching('zebra crossing');
    const { create, upstreams } = await connected([...turns, ...turns]);
    const cut = await create(asking(first.url, DEFERRED));
    isCut = false;
    const whole = await create(asking(second.url, DEFERRED));
    expect(upstreams.requests[2]?.tools).toEqual(upstreams.requests[0]?.tools);
    expect(cut.content[1]).toMatchObject({ content: { error_code: 'unavailable' } });
    expect(whole.content[1]).toMatchObject({ content: { tool_references: [] } });
  });
});

describe('a server whose list can’t be used', () => {
  it.each([
    ['is none', '{"tools":null}', /MCP server 'crm': its tools can't be listed: its answer contains nothing/],
    ['is missing', '{}', /its answer contains nothing instead of a list/],
    ['is an object', '{"tools":{}}', /its answer contains an object instead of a list/],
    ['is a text', '{"tools":"find_letter"}', /its answer contains a string instead of a list/],
    [
      'is too deep',
      `{"tools":[{"name":"deep","inputSchema":${DEEP}}]}`,
      /none of its tools can be used.* nests deeper/,
    ],
    ['holds no tool', '{"tools":[null,5]}', /none of its tools can be used, such as: Tool 0/],
  ])('because it %s is refused, and so it is the next time', async (_, result, expected) => {
    const server = await listed(() => result);
    const { create } = await connected([]);
    await expect(create(asking(server.url))).rejects.toThrow(expected);
    await expect(create(asking(server.url))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Connection error while communicating with MCP server'),
    });
  });

  it('is another thing than a server without tools', async () => {
    const server = await listed(() => '{"tools":[]}');
    const { create } = await connected([message([{ text: 'Hello.' }], 'end_turn')]);
    expect((await create(asking(server.url))).content).toMatchObject([{ type: 'text', text: 'Hello.' }]);
  });
});
