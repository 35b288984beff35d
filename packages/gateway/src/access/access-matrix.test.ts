import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INSIGHT_DEFAULTS } from '@quartermaster/host/config';
import { KEY_ENDPOINTS } from '@quartermaster/host/store';
import { createMemoryTokenStore, createOAuthClient } from '@quartermaster/mcp';
import { describe, expect, it } from 'vitest';
import { inProcess, testHub } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { responseRounds } from '../stored-responses.fixture.ts';

const TOOLS = JSON.stringify([{ name: 'get_weather', input_schema: { type: 'object' } }]);
const ASK = { model: 'claude-test', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const BATCH = { requests: [{ custom_id: 'a', params: ASK }] };

const POLICY = { changes: [{ kind: 'tool', name: 'mail/send_mail', policy: 'never' }] };
const CASES = { cases: [{ query: 'weather', tools: ['get_weather'] }] };
const HINT = { tool: 'get_weather', hint: 'rain' };
const MCP = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** What a key of another tenant gets: its own, empty view, or a refusal. */
  readonly otherTenant: number;
  /** What a key that may use everything and change nothing gets, where that differs from the owner. */
  readonly withoutRight?: number;
  /** What an admin key gets then. @default 200 */
  readonly admin?: number;
  /** What an admin key that is limited to the other tenant's patterns gets. @default as the other tenant */
  readonly limitedAdmin?: number;
  /** What a consumer gets that may write this catalog, where that differs from other consumers. */
  readonly writer?: number;
}

/** Every endpoint that asks for a key. */
const ENDPOINTS: readonly Endpoint[] = [
  { name: 'messages', method: 'POST', path: '/v1/messages', body: ASK, otherTenant: 403 },
  { name: 'count_tokens', method: 'POST', path: '/v1/messages/count_tokens', body: ASK, otherTenant: 403 },
  { name: 'chat_completions', method: 'POST', path: '/v1/chat/completions', body: ASK, otherTenant: 403 },
  {
    name: 'responses',
    method: 'POST',
    path: '/v1/responses',
    body: { model: ASK.model, input: 'Hi' },
    otherTenant: 403,
  },
  { name: 'responses', method: 'GET', path: '/v1/responses/RESPONSE', otherTenant: 404 },
  { name: 'responses', method: 'GET', path: '/v1/responses/RESPONSE/input_items', otherTenant: 404 },
  { name: 'responses', method: 'DELETE', path: '/v1/responses/RESPONSE', otherTenant: 404 },
  { name: 'responses', method: 'POST', path: '/v1/conversations', body: {}, otherTenant: 200 },
  { name: 'responses', method: 'GET', path: '/v1/conversations/CONV', otherTenant: 404 },
  { name: 'responses', method: 'POST', path: '/v1/conversations/CONV', body: { metadata: {} }, otherTenant: 404 },
  { name: 'responses', method: 'GET', path: '/v1/conversations/CONV/items', otherTenant: 404 },
  { name: 'responses', method: 'POST', path: '/v1/conversations/CONV/items', body: { items: [] }, otherTenant: 404 },
  { name: 'responses', method: 'GET', path: '/v1/conversations/CONV/items/ITEM', otherTenant: 404 },
  { name: 'responses', method: 'DELETE', path: '/v1/conversations/CONV/items/ITEM', otherTenant: 404 },
  { name: 'responses', method: 'DELETE', path: '/v1/conversations/CONV', otherTenant: 404 },
  { name: 'models', method: 'GET', path: '/v1/models', otherTenant: 200 },
  { name: 'models', method: 'GET', path: '/v1/models/claude-test', otherTenant: 404 },
  { name: 'host', method: 'POST', path: '/v1/responses/input_tokens', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/responses/compact', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/embeddings', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/moderations', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/completions', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/rerank', body: ASK, otherTenant: 403 },
  { name: 'host', method: 'POST', path: '/v1/images/generations', body: ASK, otherTenant: 403 },
  ...['audio/speech', 'audio/transcriptions', 'audio/translations', 'images/edits', 'images/variations'].map(
    (path): Endpoint => ({ name: 'host', method: 'POST', path: `/v1/${path}`, body: ASK, otherTenant: 403 }),
  ),
  { name: 'host', method: 'POST', path: '/v1/files', body: '{}', otherTenant: 200 },
  { name: 'host', method: 'GET', path: '/v1/files', otherTenant: 200 },
  { name: 'host', method: 'GET', path: '/v1/files/file_1', otherTenant: 200 },
  { name: 'host', method: 'GET', path: '/v1/files/file_1/content', otherTenant: 200 },
  { name: 'host', method: 'DELETE', path: '/v1/files/file_1', otherTenant: 200 },
  ...['uploads', 'vector_stores', 'batches', 'fine_tuning'].flatMap((family): readonly Endpoint[] => {
    const isJob = family === 'batches' || family === 'fine_tuning';
    const path = `/v1/${family}`;
    return [
      { name: 'host', method: 'POST', path, body: '{}', otherTenant: isJob ? 403 : 200 },
      { name: 'host', method: 'GET', path, otherTenant: 200 },
      { name: 'host', method: 'POST', path: `${path}/id_1`, body: '{}', otherTenant: isJob ? 403 : 200 },
      { name: 'host', method: 'GET', path: `${path}/id_1`, otherTenant: 200 },
      { name: 'host', method: 'DELETE', path: `${path}/id_1`, otherTenant: 200 },
    ];
  }),
  { name: 'batches', method: 'POST', path: '/v1/messages/batches', body: BATCH, otherTenant: 200 },
  { name: 'batches', method: 'GET', path: '/v1/messages/batches', otherTenant: 200 },
  { name: 'batches', method: 'GET', path: '/v1/messages/batches/BATCH', otherTenant: 404 },
  { name: 'batches', method: 'GET', path: '/v1/messages/batches/BATCH/results', otherTenant: 404 },
  { name: 'batches', method: 'POST', path: '/v1/messages/batches/BATCH/cancel', otherTenant: 404 },
  { name: 'batches', method: 'DELETE', path: '/v1/messages/batches/BATCH', otherTenant: 404 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs', otherTenant: 200 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/acme', otherTenant: 404 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/acme/usage', otherTenant: 404 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/acme/cases', otherTenant: 404 },
  {
    ...{ name: 'catalogs', method: 'POST', path: '/v1/catalogs/acme/cases', body: CASES.cases[0] },
    ...{ otherTenant: 404, withoutRight: 403, writer: 200 },
  },
  {
    ...{ name: 'catalogs', method: 'DELETE', path: '/v1/catalogs/acme/cases?query=none' },
    ...{ otherTenant: 404, withoutRight: 403, admin: 404, writer: 404 },
  },
  {
    ...{ name: 'catalogs', method: 'POST', path: '/v1/catalogs/acme/hints', body: HINT },
    ...{ otherTenant: 404, withoutRight: 403, writer: 200 },
  },
  { name: 'insight', method: 'GET', path: '/v1/searches/unanswered', otherTenant: 200 },
  {
    ...{ name: 'catalogs', method: 'PUT', path: '/v1/catalogs/acme', body: '[]' },
    ...{ otherTenant: 404, withoutRight: 403, writer: 200 },
  },
  {
    ...{ name: 'catalogs', method: 'PATCH', path: '/v1/catalogs/acme', body: { owner: 'KEY' } },
    ...{ otherTenant: 403, withoutRight: 403 },
  },
  { name: 'catalogs', method: 'DELETE', path: '/v1/catalogs/acme', otherTenant: 404, withoutRight: 403 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/acme/versions', otherTenant: 404 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/acme/tools', otherTenant: 404 },
  { name: 'catalogs', method: 'GET', path: '/v1/catalogs/mail/tools', otherTenant: 404 },
  { name: 'servers', method: 'GET', path: '/v1/servers', otherTenant: 200 },
  {
    ...{ name: 'servers', method: 'POST', path: '/v1/servers/check', body: { text: '{"mcpServers":{}}' } },
    ...{ otherTenant: 403, withoutRight: 403 },
  },
  { name: 'servers', method: 'GET', path: '/v1/servers/mail', otherTenant: 404 },
  { name: 'servers', method: 'POST', path: '/v1/servers/mail/retry', otherTenant: 404, withoutRight: 403 },
  { name: 'servers', method: 'POST', path: '/v1/servers/mail/sign-in', otherTenant: 404 },
  { name: 'mcp', method: 'GET', path: '/v1/sign-ins', otherTenant: 200 },
  { name: 'mcp', method: 'POST', path: '/v1/sign-ins', body: { server: 'tracker' }, otherTenant: 404 },
  { name: 'servers', method: 'GET', path: '/v1/policies', otherTenant: 403, withoutRight: 403, limitedAdmin: 200 },
  { name: 'servers', method: 'PATCH', path: '/v1/policies', body: POLICY, otherTenant: 403, withoutRight: 403 },
  { name: 'servers', method: 'GET', path: '/v1/approvals', otherTenant: 200 },
  {
    name: 'servers',
    method: 'POST',
    path: '/v1/approvals',
    body: { tool: 'mail/send_mail', hash: 'of nothing' },
    ...{ otherTenant: 403, withoutRight: 403, admin: 404, limitedAdmin: 404 },
  },
  { name: 'keys', method: 'GET', path: '/v1/keys', otherTenant: 200 },
  { name: 'keys', method: 'POST', path: '/v1/keys', body: { name: 'new' }, otherTenant: 403, withoutRight: 403 },
  { name: 'keys', method: 'PATCH', path: '/v1/keys/KEY', body: {}, otherTenant: 403, withoutRight: 403 },
  { name: 'keys', method: 'POST', path: '/v1/keys/KEY/rotate', body: {}, otherTenant: 403, withoutRight: 403 },
  { name: 'keys', method: 'DELETE', path: '/v1/keys/KEY', otherTenant: 403, withoutRight: 403 },
  { name: 'keys', method: 'GET', path: '/v1/audit', otherTenant: 403, withoutRight: 403 },
  { name: 'search', method: 'POST', path: '/v1/catalogs/acme/search', body: { query: 'weather' }, otherTenant: 404 },
  { name: 'search', method: 'POST', path: '/v1/catalogs/acme/evaluate', body: CASES, otherTenant: 404 },
  {
    name: 'search',
    method: 'POST',
    path: '/v1/search',
    body: { query: 'a', tools: JSON.parse(TOOLS) },
    otherTenant: 200,
  },
  { name: 'search', method: 'GET', path: '/v1/search/engines', otherTenant: 200 },
  {
    name: 'mcp',
    method: 'POST',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    otherTenant: 200,
  },
  { name: 'mcp', method: 'GET', path: '/mcp', otherTenant: 405 },
  { name: 'mcp', method: 'DELETE', path: '/mcp', otherTenant: 405 },
  { name: 'insight', method: 'GET', path: '/v1/activity', otherTenant: 200 },
  { name: 'insight', method: 'GET', path: '/v1/activity/live', otherTenant: 200 },
  { name: 'insight', method: 'GET', path: '/v1/activity/REQUEST', otherTenant: 404 },
  { name: 'insight', method: 'GET', path: '/v1/activity/REQUEST/wire', otherTenant: 404 },
  { name: 'insight', method: 'GET', path: '/v1/savings', otherTenant: 200 },
  { name: 'insight', method: 'GET', path: '/v1/reach', otherTenant: 200 },
  { name: 'insight', method: 'GET', path: '/v1/learned', otherTenant: 200 },
  { name: 'insight', method: 'GET', path: '/v1/learned/export', otherTenant: 200 },
  { name: 'insight', method: 'DELETE', path: '/v1/learned', otherTenant: 200 },
  { name: 'metrics', method: 'GET', path: '/metrics', otherTenant: 403, withoutRight: 403 },
];

async function setUp() {
  const hello = message([{ text: 'Hello.' }], 'end_turn');
  const script = { anthropic: [hello, hello], responses: responseRounds('Hi.', 'Hi.', 'Hi.') };
  const pass = async () => Response.json({});
  const upstreams = { ...scriptedUpstreams(script, { upstream: { pass } }), files: () => pass };
  // Nothing listens there: a sign-in can be asked for, and fails.
  const tracker = { url: 'http://127.0.0.1:9/mcp', oauth: true };
  const oauth = createOAuthClient({ tokens: createMemoryTokenStore() });
  const mail = inProcess({ send_mail: { description: 'Send a mail' } });
  const mcp = { hub: testHub({ mail, tracker }, { oauth }) };
  const gateway = await runningGateway({
    upstreams,
    mcp,
    settings: { batchConcurrency: 0, insight: { ...INSIGHT_DEFAULTS, wire: true } },
  });
  const { keys } = gateway.store;
  const base = { models: ['*'], catalogs: ['*'], limits: {} };
  const others = { models: ['other-*'], catalogs: ['other-*'], limits: {} };
  const owner = await keys.create({ name: 'owner', ...base, role: 'publisher' });
  const spare = await keys.create({ name: 'spare', ...base });
  const revoked = await keys.create({ name: 'revoked', ...base });
  await keys.revoke(revoked.key.id);
  const rotated = await keys.create({ name: 'rotated', ...base, role: 'admin' });
  await keys.rotate(rotated.key.id, 0);
  const secrets = {
    owner: owner.secret,
    wrong: 'qm_wrong',
    otherTenant: (await keys.create({ name: 'other', ...others })).secret,
    limitedAdmin: (await keys.create({ name: 'limited', ...others, role: 'admin' })).secret,
    writer: (await keys.create({ name: 'writer', ...base, writes: ['acme'] })).secret,
    otherPublisher: (await keys.create({ name: 'publisher', ...base, role: 'publisher' })).secret,
    consumer: (await keys.create({ name: 'consumer', ...base })).secret,
    withoutEndpoint: (await keys.create({ name: 'none', ...base, role: 'admin', endpoints: [] })).secret,
    admin: (await keys.create({ name: 'admin', ...base, role: 'admin' })).secret,
    expired: (await keys.create({ name: 'expired', ...base, expiresAt: 1 })).secret,
    revoked: revoked.secret,
    rotated: rotated.secret,
  };
  const call = async (
    { method, path, body }: Pick<Endpoint, 'method' | 'path' | 'body'>,
    secret: string | undefined,
  ): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      method,
      headers: { ...MCP, 'content-type': 'application/json', ...(secret === undefined ? {} : { 'x-api-key': secret }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  await call({ method: 'PUT', path: '/v1/catalogs/acme', body: TOOLS }, owner.secret);
  const created = await call({ method: 'POST', path: '/v1/messages/batches', body: BATCH }, owner.secret);
  const { id } = (await created.json()) as { id: string };
  const asked = await call({ method: 'POST', path: '/v1/messages', body: ASK }, owner.secret);
  await asked.text();
  const request = asked.headers.get('request-id') ?? '';
  const said = { model: ASK.model, input: 'Hi' };
  const stored = await call({ method: 'POST', path: '/v1/responses', body: said }, owner.secret);
  const { id: response } = (await stored.json()) as { id: string };
  const items = [{ type: 'message', role: 'user', content: 'Hi' }];
  const talk = await call({ method: 'POST', path: '/v1/conversations', body: { items } }, owner.secret);
  const { id: conversation } = (await talk.json()) as { id: string };
  const listed = await call({ method: 'GET', path: `/v1/conversations/${conversation}/items` }, owner.secret);
  const { first_id: item } = (await listed.json()) as { first_id: string };
  const at = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    path: endpoint.path
      .replace('BATCH', id)
      .replace('REQUEST', request)
      .replace('RESPONSE', response)
      .replace('CONV', conversation)
      .replace('ITEM', item)
      .replace('KEY', spare.key.id),
    ...(endpoint.method === 'PATCH' && endpoint.name === 'catalogs' ? { body: { owner: spare.key.id } } : {}),
  });
  return { ...gateway, secrets, call, at };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
}

describe('access', () => {
  it('is checked here for every route that there is', async () => {
    const { url } = await setUp();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ path, method })),
    );
    const isChecked = ({ path, method }: { path: string; method: string }): boolean => {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return ENDPOINTS.some((one) => one.method.toLowerCase() === method && pattern.test(one.path.split('?')[0] ?? ''));
    };
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.filter((route) => !isChecked(route)).map(({ path }) => path)).toEqual([
      ...['/sign-in', '/sign-in/page.js', '/sign-in/page.css', '/sign-in/callback'],
      ...['/livez', '/readyz', '/healthz', '/openapi.json'],
    ]);
    expect(new Set(ENDPOINTS.map(({ name }) => name))).toEqual(new Set(KEY_ENDPOINTS));
  });

  it('has no route beside those of the document that asks for no key', async () => {
    const folder = fileURLToPath(new URL('..', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(?!.*\.(?:test|fixture)\.ts$).*\.ts$/.test(name),
    );
    const routes = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/\bapp\.(?!fetch\b|request\b)\w+\([^)\n]*/g)].map(
        ([call]) => [name, call],
      ),
    );
    // The document's own, the console's files, the rest of /mcp (with its key), and what is not there (with a key, if there are any).
    expect(routes.map(([name]) => name).sort()).toEqual([
      ...['api/api.ts', ...Array.from({ length: 4 }, () => 'routes/console-routes.ts')],
      ...['routes/mcp-routes.ts', 'routes/status-routes.ts'],
    ]);
    const { url, secrets } = await setUp();
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const status = async (key: string) =>
        (await fetch(`${url}/mcp`, { method, headers: { ...MCP, 'x-api-key': key } })).status;
      expect([await status('qm_wrong'), await status(secrets.revoked)]).toEqual([401, 401]);
      expect(await status(secrets.consumer)).toBe(405);
    }
    expect((await fetch(`${url}/v1/no-such-route`)).status).toBe(401);
  });

  it.each(ENDPOINTS)('to $method $path is for those who have the right', async (listed) => {
    const { secrets, call, at, store } = await setUp();
    const endpoint = at(listed);
    const status = async (secret: string | undefined) => {
      const response = await call(endpoint, secret);
      // Some are streams without an end.
      await response.body?.cancel();
      return response.status;
    };
    expect({
      none: await status(undefined),
      wrong: await status(secrets.wrong),
      expired: await status(secrets.expired),
      revoked: await status(secrets.revoked),
      rotated: await status(secrets.rotated),
      withoutEndpoint: await status(secrets.withoutEndpoint),
      otherTenant: await status(secrets.otherTenant),
      limitedAdmin: await status(secrets.limitedAdmin),
    }).toEqual({
      ...{ none: 401, wrong: 401, expired: 401, revoked: 401, rotated: 401, withoutEndpoint: 403 },
      otherTenant: listed.otherTenant,
      limitedAdmin: listed.limitedAdmin ?? listed.otherTenant,
    });
    if (listed.withoutRight === undefined) expect([401, 403, 404]).not.toContain(await status(secrets.owner));
    else {
      expect(await status(secrets.consumer)).toBe(listed.withoutRight);
      expect(await status(secrets.otherPublisher)).toBe(listed.withoutRight);
      expect((await store.catalogs.get('acme'))?.tools).toBe(TOOLS);
      expect(await status(secrets.writer)).toBe(listed.writer ?? listed.withoutRight);
      expect(await status(secrets.admin)).toBe(listed.admin ?? 200);
    }
  });

  it.each([...(['otherTenant', 'limitedAdmin'] as const)])(
    'to lists and figures shows nothing of another tenant to the key %s',
    async (key) => {
      const { secrets, call, store } = await setUp();
      await store.policies.change([{ kind: 'tool', name: 'mail/send_mail', policy: 'never' }]);
      const read = async (path: string) => (await call({ method: 'GET', path }, secrets[key])).json();
      const lists = [
        ...['/v1/models', '/v1/catalogs', '/v1/messages/batches', '/v1/activity', '/v1/learned'],
        ...['/v1/searches/unanswered', '/v1/reach', '/v1/servers', '/v1/approvals', '/v1/sign-ins'],
        ...(key === 'limitedAdmin' ? ['/v1/policies'] : []),
      ];
      for (const path of lists) expect([path, ((await read(path)) as { data: unknown[] }).data]).toEqual([path, []]);
      expect((await read('/v1/keys')) as object).toMatchObject({
        data: [{ name: key === 'otherTenant' ? 'other' : 'limited' }],
      });
      expect((await read('/v1/savings')) as object).toMatchObject({ total: { requests: 0 } });
    },
  );

  it('of an admin key that is limited to patterns covers what they name, and no more', async () => {
    const { call, store } = await setUp();
    const mayUse = { models: [], catalogs: ['mail', 'acme'], limits: {} };
    const { secret } = await store.keys.create({ name: 'mail admin', ...mayUse, role: 'admin' });
    const status = async (method: string, path: string, body?: unknown) =>
      (await call({ method, path, body }, secret)).status;
    expect(await status('PUT', '/v1/catalogs/acme', '[]')).toBe(200);
    expect(await status('PATCH', '/v1/policies', POLICY)).toBe(200);
    expect(await status('POST', '/v1/servers/mail/retry')).toBe(200);
    const set = (kind: string, name: string) => ({ changes: [{ kind, name, policy: 'never' }] });
    expect(await status('PATCH', '/v1/policies', set('server', 'mail'))).toBe(200);
    for (const other of [set('server', 'tracker'), set('tool', 'tracker/x'), set('tool', 'get_weather')])
      expect(await status('PATCH', '/v1/policies', other)).toBe(403);
    expect(await status('POST', '/v1/servers/tracker/retry')).toBe(404);
    const seen = (await (await call({ method: 'GET', path: '/v1/servers' }, secret)).json()) as { data: object[] };
    expect(seen.data).toMatchObject([{ name: 'mail' }]);
    // Rules for tools limit it further.
    const ruled = { ...mayUse, tools: { allow: ['mail/read_*'] }, role: 'admin' } as const;
    const { secret: reader } = await store.keys.create({ name: 'mail reader', ...ruled });
    const change = async (body: object) => (await call({ method: 'PATCH', path: '/v1/policies', body }, reader)).status;
    expect(await change(set('server', 'mail'))).toBe(403);
    expect(await change(POLICY)).toBe(403);
    expect(await change(set('tool', 'mail/read_mail'))).toBe(200);
  });

  it('to a catalog passes to another key with its owner, and only to a key that is valid', async () => {
    const { secrets, call, store } = await setUp();
    const next = await store.keys.find(secrets.otherPublisher);
    const give = async (owner: string | undefined, secret: string) =>
      (await call({ method: 'PATCH', path: '/v1/catalogs/acme', body: { owner } }, secret)).status;
    expect(await give('key_none', secrets.admin)).toBe(400);
    expect(await give((await store.keys.find(secrets.revoked))?.id, secrets.admin)).toBe(400);
    expect(await give(next?.id, secrets.owner)).toBe(403);
    expect(await give(next?.id, secrets.admin)).toBe(200);
    const put = { method: 'PUT', path: '/v1/catalogs/acme', body: '[]' };
    expect((await call(put, secrets.owner)).status).toBe(403);
    expect((await call(put, secrets.otherPublisher)).status).toBe(200);
    expect((await store.catalogs.head('acme'))?.owner).toBe(next?.id);
  });

  it('to write a catalog of another key is not one to create, delete or own it', async () => {
    const { secrets, call, store } = await setUp();
    const { owner } = (await store.catalogs.head('acme')) ?? {};
    const status = async (method: string, secret: string) =>
      (await call({ method, path: '/v1/catalogs/acme', ...(method === 'PUT' ? { body: '[]' } : {}) }, secret)).status;
    expect(await status('PUT', secrets.writer)).toBe(200);
    expect((await store.catalogs.head('acme'))?.owner).toBe(owner);
    expect(await status('DELETE', secrets.writer)).toBe(403);
    expect(await status('DELETE', secrets.owner)).toBe(200);
    expect(await status('PUT', secrets.writer)).toBe(404);
  });

  it('leaves a trace of every change, and of who made it', async () => {
    const { secrets, call, store } = await setUp();
    const to = (method: string, path: string, body?: unknown) => call({ method, path, body }, secrets.admin);
    const spare = (await store.keys.list()).find(({ name }) => name === 'spare')?.id ?? '';
    await call({ method: 'POST', path: '/v1/catalogs/acme/cases', body: CASES.cases[0] }, secrets.owner);
    await to('DELETE', '/v1/catalogs/acme/cases?query=weather');
    await to('POST', '/v1/catalogs/acme/hints', HINT);
    await to('PATCH', '/v1/catalogs/acme', { owner: spare });
    await to('DELETE', '/v1/catalogs/acme');
    await to('PATCH', '/v1/policies', POLICY);
    await to('POST', '/v1/keys', { name: 'new', catalogs: ['a-*'] });
    await to('PATCH', `/v1/keys/${spare}`, { models: ['m'] });
    await to('POST', `/v1/keys/${spare}/rotate`, {});
    await to('DELETE', `/v1/keys/${spare}`);
    await store.learnedUses.add({ owner: spare, catalog: '' }, [{ tool: 'x', atMs: Date.now() }]);
    await to('DELETE', '/v1/learned');
    const list = async (query: string) => {
      const { data } = (await (await to('GET', `/v1/audit?${query}`)).json()) as {
        data: { action: string; subject: string; subject_name?: string; actor_name?: string; detail: string }[];
      };
      return data;
    };
    const made = await list('actor=admin');
    expect(made.map(({ action }) => action).sort()).toEqual([
      ...['case.delete', 'catalog.delete', 'catalog.owner', 'catalog.replace'],
      ...['key.create', 'key.revoke', 'key.rotate', 'key.update', 'learned.forget', 'policy.change'],
    ]);
    expect(await list('action=key.update')).toMatchObject([
      { actor_name: 'admin', subject: spare, subject_name: 'spare', detail: 'models ["m"]' },
    ]);
    expect((await list('subject=new'))[0]?.detail).toContain('catalogs ["a-*"]');
    expect((await list('actor=owner')).map(({ action }) => action).sort()).toEqual(['case.put', 'catalog.create']);
    for (const wrong of ['action=none', 'limit=0', 'since=soon'])
      expect((await to('GET', `/v1/audit?${wrong}`)).status).toBe(400);
  });

  it('to the audit log goes page by page', async () => {
    const { secrets, call } = await setUp();
    const page = async (query: string) =>
      (await (await call({ method: 'GET', path: `/v1/audit?${query}` }, secrets.admin)).json()) as {
        data: { id: string }[];
        has_more: boolean;
        last_id: string;
      };
    const all = await page('limit=1000');
    const first = await page('limit=4');
    const rest = await page(`after_id=${first.last_id}`);
    expect([first.has_more, rest.has_more]).toEqual([true, false]);
    expect([...first.data, ...rest.data]).toEqual(all.data);
  });

  it('is noted in the key, at most once a minute', async () => {
    const { secrets, call, store } = await setUp();
    await call({ method: 'GET', path: '/v1/models' }, secrets.consumer);
    await expect.poll(async () => (await store.keys.find(secrets.consumer))?.lastUsedAt).toBeTypeOf('number');
    expect((await store.keys.find(secrets.expired))?.lastUsedAt).toBeUndefined();
  });
});
