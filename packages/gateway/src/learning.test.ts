import { describe, expect, it } from 'vitest';
import type { RequestRecord } from './events/index.ts';
import { inProcess, testHub } from './mcp/mcp-servers.fixture.ts';
import { type RunningGateway, runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const SEARCH_TOOL = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const TOOLS = ['send_email', 'send_sms', 'send_letter'].map((name) => ({
  name,
  description: `Send a message to a customer by ${name.slice(5)}`,
  input_schema: { type: 'object' as const },
  defer_loading: true,
}));
const ASK = {
  model: 'claude-test',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Tell them' }],
  tools: [SEARCH_TOOL, ...TOOLS],
};
const SEARCH = { call: 'tool_search_tool_bm25', id: 's', input: { query: 'let the customer know' } };
const LEARNING = {
  search: { engine: 'hybrid', whenNothingFits: 'best' },
  settings: { learn: 'vectors' },
} as const;

/** What each response does: a search, and then a call. */
function calling(...tools: readonly string[]) {
  const anthropic = tools.flatMap((tool) => [
    message([SEARCH], 'tool_use'),
    message([{ call: tool, id: 'c', input: {} }], 'tool_use'),
  ]);
  return { upstreams: scriptedUpstreams({ anthropic }) };
}

async function found({ post, url }: RunningGateway, secret?: string): Promise<readonly string[]> {
  const headers: Record<string, string> = secret === undefined ? {} : { 'x-api-key': secret };
  await (await post('/v1/messages', ASK, headers)).text();
  const { data } = (await (await fetch(`${url}/v1/activity?limit=1`, { headers })).json()) as {
    data: readonly RequestRecord[];
  };
  return data[0]?.searches[0]?.found ?? [];
}

async function learned({ url }: RunningGateway, path = '', init: RequestInit = {}) {
  const response = await fetch(`${url}/v1/learned${path}`, init);
  return { status: response.status, body: await response.json() };
}

const LETTER = 'send_letter';
const DAY_MS = 24 * 60 * 60_000;

describe('a gateway that learns from use', () => {
  it('moves what was called up for searches like it, and shows, exports and forgets what it knows', async () => {
    const gateway = await runningGateway({ ...calling(...Array.from({ length: 4 }, () => LETTER)), ...LEARNING });
    const before = await found(gateway);
    expect(before[0]).not.toBe(LETTER);
    expect((await found(gateway))[0]).toBe(LETTER);
    expect(await learned(gateway)).toMatchObject({
      status: 200,
      body: { data: [{ owner: '', catalog: '', tool: LETTER, calls: 2 }] },
    });
    const { body } = await learned(gateway, '/export');
    expect(body.data[0]).toEqual({ tool: LETTER, used_at: expect.any(String), vector: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('customer');
    expect(await learned(gateway, '', { method: 'DELETE' })).toMatchObject({ body: { count: 2 } });
    expect(await found(gateway)).toEqual(before);
  });

  it('learns nothing by default', async () => {
    const { search } = LEARNING;
    const gateway = await runningGateway({ ...calling(LETTER, LETTER), search });
    expect(await found(gateway)).toEqual(await found(gateway));
    expect(await learned(gateway)).toMatchObject({ body: { data: [] } });
  });

  it('keeps what one key does from all others', async () => {
    const gateway = await runningGateway({
      ...calling(LETTER, LETTER, LETTER, 'send_sms', 'send_sms'),
      ...LEARNING,
    });
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const { secret: anna } = await gateway.store.keys.create({ name: 'anna', ...rights });
    const { secret: ben } = await gateway.store.keys.create({ name: 'ben', ...rights });
    for (const _ of [1, 2]) await found(gateway, anna);
    expect((await found(gateway, anna))[0]).toBe(LETTER);
    expect((await found(gateway, ben))[0]).not.toBe(LETTER);
    const asBen = { headers: { 'x-api-key': ben } };
    expect(await learned(gateway, '', asBen)).toMatchObject({ body: { data: [{ tool: 'send_sms', calls: 1 }] } });
    const [row] = (await gateway.store.learnedUses.summarise({ catalog: '' })).filter(({ tool }) => tool === LETTER);
    expect(await learned(gateway, `?owner=${row?.owner}`, asBen)).toMatchObject({ status: 403 });
    await learned(gateway, '', { ...asBen, method: 'DELETE' });
    expect(await gateway.store.learnedUses.summarise()).toMatchObject([{ tool: LETTER, calls: 3 }]);
  });

  it('pins the tools that a key uses most at /mcp, from the next day on', async () => {
    const hub = testHub({ post: inProcess({ send_letter: {}, send_sms: {} }) });
    const gateway = await runningGateway({
      upstreams: scriptedUpstreams({}),
      ...{ search: LEARNING.search, mcp: { hub, form: 'bridge' } },
      settings: { learn: 'counts', autoPins: true },
    });
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const [anna, ben] = await Promise.all(
      ['anna', 'ben'].map((name) => gateway.store.keys.create({ name, ...rights })),
    );
    const uses = [1, 2, 3, 4].map(() => ({ tool: 'post/send_letter', atMs: Date.now() - 2 * DAY_MS }));
    await gateway.store.learnedUses.add({ owner: anna?.key.id ?? '', catalog: 'mcp' }, uses);
    const listed = async (secret = '') => {
      const headers = { 'x-api-key': secret, accept: 'application/json, text/event-stream' };
      const response = await gateway.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headers);
      return [...(await response.text()).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    };
    expect(await listed(anna?.secret)).toEqual(['tool_search', 'tool_describe', 'tool_call', 'post__send_letter']);
    expect(await listed(ben?.secret)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
  });

  it('pins the tools that a key uses most, from the next day on', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Hi' }], 'end_turn')] });
    const gateway = await runningGateway({
      upstreams,
      search: LEARNING.search,
      settings: {
        ...{ learn: 'counts', autoPins: true, deferral: 'auto' },
        gate: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 5 }, pins: [] },
      },
    });
    const uses = [1, 2, 3, 4].map(() => ({ tool: LETTER, atMs: Date.now() - 2 * DAY_MS }));
    await gateway.store.learnedUses.add({ owner: '', catalog: '' }, uses);
    const tools = TOOLS.map(({ defer_loading: _, ...tool }) => tool);
    const response = await gateway.post('/v1/messages', { ...ASK, tools });
    expect(response.status).toBe(200);
    await response.text();
    const sent = JSON.stringify(upstreams.requests[0]?.tools);
    expect(sent).toContain('by letter');
    expect(sent).not.toContain('by sms');
  });
});
