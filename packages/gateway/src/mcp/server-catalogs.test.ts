import { type Clock, defined } from '@quartermaster/core/internal';
import { hashApiKey } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { ASK, BM25, namesOf, TRANSPORTS } from '../weather-request.fixture.ts';
import { inProcess, type TestTools, testHub } from './mcp-servers.fixture.ts';
import { createServerCatalogs } from './server-catalogs.ts';

const MAIL: TestTools = { send_mail: { description: 'Send a mail' }, read_mail: { description: 'Read a mail' } };
const FILES: TestTools = { list_files: { description: 'List files of a folder' } };
const CALL = [
  message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'send a mail' } }], 'tool_use'),
  message([{ call: 'mail__send_mail', id: 'toolu_m', input: { text: 'Hi' } }], 'tool_use'),
];
const DOWN = { command: '/does/not/exist' };

const named = (name: string, isDeferred = true) => ({
  type: 'quartermaster_catalog' as const,
  name,
  defer_loading: isDeferred,
});

describe('a configured server as a named catalog', () => {
  it.each(TRANSPORTS)('is searched by us and called by the client, over %s', async (transport) => {
    const upstreams = scriptedUpstreams({ anthropic: CALL }, { transport });
    const hub = testHub({ mail: inProcess(MAIL), files: inProcess(FILES) });
    const { anthropic } = await runningGateway({ upstreams, mcp: { hub } });
    const tools = [BM25, named('mail')] as never;
    const { content, stop_reason } = await anthropic.messages.create({ ...ASK, tools });
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'tool_search_tool_result', 'tool_use']);
    expect(content[2]).toMatchObject({ name: 'mail__send_mail', input: { text: 'Hi' } });
    expect(stop_reason).toBe('tool_use');
    expect(JSON.stringify(upstreams.requests)).not.toContain('quartermaster_catalog');
    expect(JSON.stringify(upstreams.requests)).not.toContain('list_files');
  });

  it('follows the server when its tools change', async () => {
    const round = message([{ text: 'Ok.' }], 'end_turn');
    const upstreams = scriptedUpstreams({ anthropic: [round, round] });
    const mail = inProcess({ send_mail: {} });
    const hub = testHub({ mail });
    const { post } = await runningGateway({ upstreams, mcp: { hub } });
    const request = { ...ASK, tools: [named('mail', false)] };
    await post('/v1/messages', request);
    const changed = new Promise<void>((resolve) => {
      hub.subscribe(() => hub.snapshot().tools.length === 2 && resolve());
    });
    mail.instances[0]?.registerTool('read_mail', { description: 'Read a mail' }, () => ({ content: [] }));
    await changed;
    await post('/v1/messages', request);
    expect(upstreams.requests.map(namesOf)).toEqual([['mail__send_mail'], ['mail__send_mail', 'mail__read_mail']]);
  });

  it('all of them make one more', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const hub = testHub({ mail: inProcess(MAIL), files: inProcess(FILES) });
    const { post } = await runningGateway({ upstreams, mcp: { hub } });
    await post('/v1/messages', { ...ASK, tools: [named('mcpServers', false)] });
    expect(namesOf(upstreams.requests[0])).toEqual(['mail__send_mail', 'mail__read_mail', 'files__list_files']);
  });

  it('that can’t be reached is an error, but costs the others nothing and is named in their searches', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'xylophone' } }], 'tool_use'),
        message([{ text: 'No.' }], 'end_turn'),
      ],
    });
    const hub = testHub({ mail: inProcess(MAIL), down: DOWN });
    const { post, anthropic } = await runningGateway({ upstreams, mcp: { hub } });
    const refused = await post('/v1/messages', { ...ASK, tools: [named('down')] });
    expect(refused.status).toBe(502);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringMatching(/'down'.*not found/) } });
    const { content } = await anthropic.messages.create({ ...ASK, tools: [BM25, named('mcpServers')] as never });
    expect(JSON.stringify(content[1])).toContain('down');
  });

  it('is listed and read, and can’t be changed', async () => {
    const hub = testHub({ mail: inProcess(MAIL), down: DOWN });
    const { url, post } = await runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub } });
    const ask = (path: string, method = 'GET', body?: string) =>
      fetch(`${url}/v1/catalogs${path}`, { method, ...defined({ body }) });
    await ask('/acme', 'PUT', JSON.stringify([{ name: 'a', input_schema: { type: 'object' } }]));
    expect(await (await ask('')).json()).toMatchObject({
      data: [
        { name: 'acme', tool_count: 1 },
        { name: 'mail', tool_count: 2, read_only: true },
        { name: 'down', tool_count: 0, read_only: true, error: expect.stringContaining('not found') },
        { name: 'mcpServers', tool_count: 2, read_only: true },
      ],
    });
    const read = (await (await ask('/mail')).json()) as { tools: { name: string }[] };
    expect(namesOf(read)).toEqual(['mail__send_mail', 'mail__read_mail']);
    for (const method of ['PUT', 'DELETE']) {
      const response = await ask('/mail', method, method === 'PUT' ? '[]' : undefined);
      expect(response.status).toBe(400);
      expect(JSON.stringify(await response.json())).toContain('comes from mcpServers in the settings');
    }
    expect((await post('/v1/messages', { ...ASK, tools: [named('nobody')] })).status).toBe(404);
  });

  it('is read under any name that the settings give its server', async () => {
    const names = ['My Server', 'team/mail', '50%2f', 'Ü'];
    const hub = testHub(Object.fromEntries(names.map((name) => [name, inProcess(FILES)])));
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub } });
    for (const name of names) {
      const response = await fetch(`${url}/v1/catalogs/${encodeURIComponent(name)}`);
      expect(await response.json()).toMatchObject({ name, tool_count: 1 });
    }
  });

  it('is there for keys that may use it', async () => {
    const round = message([{ text: 'Ok.' }], 'end_turn');
    const upstreams = scriptedUpstreams({ anthropic: [round] });
    const keys = [{ name: 'k', hash: hashApiKey('k'), models: ['*'], catalogs: ['mail'], limits: {} }];
    const hub = testHub({ mail: inProcess(MAIL), files: inProcess(FILES) });
    const { post } = await runningGateway({ upstreams, keys, mcp: { hub } });
    const status = async (name: string) =>
      (await post('/v1/messages', { ...ASK, tools: [named(name, false)] }, { 'x-api-key': 'k' })).status;
    expect([await status('mail'), await status('files'), await status('mcpServers')]).toEqual([200, 404, 404]);
  });

  it('has only the tools that a key may use, where that was decided tool by tool', async () => {
    const round = message([{ text: 'Ok.' }], 'end_turn');
    const upstreams = scriptedUpstreams({ anthropic: [round, round] });
    const key = { name: 'k', models: ['*'], catalogs: ['*'], limits: {} };
    const keys = [
      { ...key, hash: hashApiKey('all') },
      { ...key, name: 'reader', hash: hashApiKey('reader'), tools: { deny: ['mail/send_*'] } },
    ];
    const { post, url } = await runningGateway({ upstreams, keys, mcp: { hub: testHub({ mail: inProcess(MAIL) }) } });
    const request = { ...ASK, tools: [named('mail', false)] };
    for (const secret of ['all', 'reader']) await post('/v1/messages', request, { 'x-api-key': secret });
    expect(upstreams.requests.map(namesOf)).toEqual([['mail__send_mail', 'mail__read_mail'], ['mail__read_mail']]);
    const read = await fetch(`${url}/v1/catalogs/mail`, { headers: { 'x-api-key': 'reader' } });
    expect(await read.json()).toMatchObject({ tool_count: 1, tools: [{ name: 'mail__read_mail' }] });
  });
});

describe('a server that hangs when it is first started', () => {
  it('holds up no request for the catalog of another one, and two seconds that of all of them', async () => {
    const hub = testHub({
      hanging: { type: 'in-process', create: () => new Promise(() => {}) },
      mail: inProcess(MAIL),
    });
    const waiting: { readonly ms: number; readonly run: () => void }[] = [];
    const clock: Clock = {
      now: () => 0,
      after(ms, run) {
        waiting.push({ ms, run });
        return () => {};
      },
    };
    const catalogs = createServerCatalogs({ hub, clock });
    expect((await catalogs.load('mail')).tools).toHaveLength(2);
    const all = catalogs.load('mcpServers');
    const isDue = ({ ms }: { ms: number }): boolean => ms === 2_000;
    await expect.poll(() => waiting.some(isDue)).toBe(true);
    waiting.find(isDue)?.run();
    const catalog = await all;
    expect(catalog.tools).toHaveLength(2);
    expect(catalog.unavailable()).toEqual([{ server: 'hanging', reason: 'it is still starting' }]);
  });
});
