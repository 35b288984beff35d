import type { JsonObject } from '@quartermaster/core/catalog';
import { checkValue } from '@quartermaster/host/schema';
import { describe, expect, it } from 'vitest';
import { inProcess, testHub } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import type { Schema } from './schema.ts';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, Content>>;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonObject;
}

const TOOLS = [
  { name: 'get_weather', description: 'The weather of a place', input_schema: { type: 'object' } },
  { name: 'send_mail', description: 'Send a mail', input_schema: { type: 'object' } },
];
const DRAFTS = { get_weather: 'Forecasts' };
const CHANGE = { kind: 'server', name: 'mail', policy: 'always' };
const KEY_RIGHTS = {
  models: ['*'],
  catalogs: ['*'],
  writes: ['acme'],
  limits: {
    requestsPerMinute: 900,
    tokensPerMinute: 9_000,
    searchesPerMinute: 900,
    tokensPerDay: 90_000,
    tokensPerMonth: 900_000,
  },
  role: 'publisher',
  endpoints: ['catalogs', 'search'],
  tools: { allow: ['*'], deny: ['mail/*'] },
  expires_at: '2999-01-01T00:00:00Z',
};

/** A body with every documented field, by operation. The gateway has the catalog `acme` and the key `KEY`. */
const BODIES: Readonly<Record<string, unknown>> = {
  'post /v1/catalogs/{name}/search': {
    ...{ query: 'weather', engine: 'bm25', limit: 3, explain: true, schema: true, why: 'get_weather' },
    ...{ compare: ['bm25', 'hybrid'], drafts: DRAFTS },
  },
  'post /v1/search': {
    ...{ queries: ['weather', 'mail'], engine: 'hybrid', limit: 3, explain: true, schema: true, why: 'get_weather' },
    ...{ compare: ['bm25'], drafts: DRAFTS, tools: TOOLS },
  },
  'post /v1/catalogs/{name}/evaluate': {
    ...{ cases: [{ query: 'weather', tools: ['get_weather'] }], engine: 'bm25', drafts: DRAFTS },
  },
  'post /v1/catalogs/{name}/cases': { query: 'weather', tools: ['get_weather'] },
  'post /v1/catalogs/{name}/hints': { tool: 'get_weather', hint: 'umbrella' },
  'put /v1/catalogs/{name}': { tools: TOOLS },
  'patch /v1/catalogs/{name}': { owner: 'KEY' },
  'patch /v1/policies': { changes: [CHANGE, { kind: 'tool', name: 'mail/send_mail', policy: null }] },
  'post /v1/approvals': { tool: 'mail/send_mail', hash: 'x' },
  'post /v1/servers/check': { text: '{"mcpServers":{"files":{"command":"files"}}}' },
  'post /v1/sign-ins': { server: 'mail' },
  'post /v1/keys': { name: 'app', ...KEY_RIGHTS },
  'patch /v1/keys/{id}': KEY_RIGHTS,
  'post /v1/keys/{id}/rotate': { overlap_seconds: 60 },
  'post /v1/conversations': { items: [{ type: 'message', role: 'user', content: 'Hello' }], metadata: { about: 'x' } },
  'post /v1/conversations/{id}': { metadata: { about: 'y' } },
  'post /v1/conversations/{id}/items': { items: [{ type: 'message', role: 'user', content: 'Hello' }] },
};

/** Values of every type, and of every size that a schema may limit. */
const VALUES = [null, true, 0, 5, -1, 1.5, 1e15, 'text', '', 'x'.repeat(10_000), [], ['x'], [1], [{}], {}, { a: 1 }];
const QUERY_VALUES = ['', '0', '1', '-1', '1.5', '99999', 'text', 'true', 'false', '2026-01-01T00:00:00Z'];

/** The request is as documented, and can't be answered for another reason: what it names is unknown, taken or not this key's. */
const OTHER_REASONS = [403, 404, 409];
/** What a schema can't know about a well-formed request. */
const UNKNOWABLE =
  /is not a tool of this catalog|this catalog has no tool|names no item|id of a key|a key named \\?"app|a time in ISO 8601|can't be read/;

async function setUp() {
  const hub = testHub({ mail: inProcess({ send_mail: { description: 'Send a mail' } }) });
  const gateway = await runningGateway({
    upstreams: scriptedUpstreams({ anthropic: [message([{ text: 'Hello.' }], 'end_turn')] }),
    mcp: { hub },
    lint: () => [],
    settings: { batchConcurrency: 0 },
  });
  await hub.start();
  const { url, post, store } = gateway;
  const { secret } = await store.keys.create({ ...ROOT });
  const { key } = await store.keys.create({ ...ROOT, name: 'other' });
  const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
  await expect.poll(async () => (await fetch(`${url}/v1/activity`, { headers })).status, { timeout: 10_000 }).toBe(200);
  await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', headers, body: JSON.stringify(TOOLS) });
  const body = { model: 'claude-test', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
  const requestId = (await post('/v1/messages', body, headers)).headers.get('request-id') ?? '';
  const made = await post('/v1/conversations', { items: [], metadata: {} }, headers);
  const conversation = ((await made.json()) as { id: string }).id;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const place = (path: string): string =>
    path
      .replace('{name}', path.startsWith('/v1/servers') ? 'mail' : 'acme')
      .replace('{id}', idFor(path, { key: key.id, conversation, requestId }));
  const fits = (schema: Schema, value: unknown): boolean =>
    checkValue({ ...schema, components: document.components }, value as never).kind === 'good';

  async function send(method: string, path: string, given: { body?: unknown; query?: string }) {
    const { query = '', body: value } = given;
    const response = await fetch(`${url}${place(path)}${query}`, {
      ...{ method: method.toUpperCase(), headers },
      ...(value === undefined ? {} : { body: JSON.stringify(value).replaceAll('"KEY"', JSON.stringify(key.id)) }),
    });
    if (response.headers.get('content-type')?.includes('event-stream') === true) {
      await response.body?.cancel();
      return { status: response.status, text: '', type: 'text/event-stream' };
    }
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, text: await response.text(), type };
  }
  return { document, fits, send };
}

const ROOT = { name: 'root', models: ['*'], catalogs: ['*'], limits: {}, role: 'admin' } as const;

function idFor(path: string, ids: { key: string; conversation: string; requestId: string }): string {
  if (path.startsWith('/v1/keys')) return ids.key;
  if (path.startsWith('/v1/activity')) return ids.requestId;
  return path.startsWith('/v1/conversations') ? ids.conversation : 'claude-test';
}

type Running = Awaited<ReturnType<typeof setUp>>;

/** Where the document and the gateway differ. */
async function compare(
  { send, fits }: Running,
  [method, path, operation]: readonly [string, string, Operation],
  given: { readonly body?: unknown; readonly query?: string; readonly isValid: boolean },
): Promise<string[]> {
  const { status, text, type } = await send(method, path, given);
  const said = `${method} ${path}${given.query ?? ''} ${JSON.stringify(given.body)?.slice(0, 300)} is answered ${status} ${text.slice(0, 200)}`;
  const isTaken = status < 400 || (given.isValid && (OTHER_REASONS.includes(status) || UNKNOWABLE.test(text)));
  const problems = isTaken === given.isValid ? [] : [`documented as ${given.isValid ? 'valid' : 'invalid'}`];
  const [content] = Object.entries(operation.responses[status < 400 ? '2XX' : 'default']?.content ?? {});
  if (content === undefined) problems.push('an answer that is not documented');
  else {
    const [documented, { schema }] = content;
    if (!type.startsWith(documented)) problems.push(`${type} instead of ${documented}`);
    else if (documented === 'application/json' && !fits(schema, JSON.parse(text))) problems.push('another answer');
  }
  return problems.map((problem) => `${problem}: ${said}`);
}

/** Requests to models take the bodies of their hosts' own APIs, and the others need a host or a browser. */
const ELSEWHERE =
  /^\/(v1\/(messages|chat|responses|audio|batches|completions|embeddings|files|fine_tuning|images|moderations|rerank|uploads|vector_stores)|mcp|sign-in)/;

function operationsOf({ paths }: Document): readonly (readonly [string, string, Operation])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    ELSEWHERE.test(path) ? [] : Object.entries(item).map(([method, one]) => [method, path, one] as const),
  );
}

describe('the OpenAPI document agrees with what routes accept and return', () => {
  it('for every field of every body, of every type and size, and without it', async () => {
    const gateway = await setUp();
    const found: string[] = [];
    const bodies = operationsOf(gateway.document).filter(([, , { requestBody }]) => requestBody !== undefined);
    expect(bodies.map(([method, path]) => `${method} ${path}`).sort()).toEqual(Object.keys(BODIES).sort());
    for (const [method, path, operation] of bodies) {
      const { schema } = operation.requestBody?.content['application/json'] ?? { schema: {} };
      const body = BODIES[`${method} ${path}`] as JsonObject;
      const variants: unknown[] = [body, { ...body, unknown: 1 }, null, 5, 'text', [], {}];
      for (const field of Object.keys((schema.properties ?? {}) as object)) {
        variants.push({ ...body, [field]: undefined });
        for (const value of VALUES) variants.push({ ...body, [field]: value });
      }
      expect([path, gateway.fits(schema, body)]).toEqual([path, true]);
      for (const variant of variants) {
        const sent = JSON.parse(JSON.stringify(variant)) as unknown;
        const given = { body: sent, isValid: gateway.fits(schema, sent) };
        found.push(...(await compare(gateway, [method, path, operation], given)));
      }
    }
    expect(found).toEqual([]);
  });

  it('for every parameter of every query', async () => {
    const gateway = await setUp();
    const found: string[] = [];
    for (const [method, path, operation] of operationsOf(gateway.document)) {
      if (method !== 'get') continue;
      found.push(...(await compare(gateway, [method, path, operation], { isValid: true })));
      for (const { name, in: at, schema } of operation.parameters ?? []) {
        if (at !== 'query') continue;
        for (const text of [...QUERY_VALUES, ...((schema.enum ?? []) as readonly string[])]) {
          const value = schema.type === 'integer' && text !== '' ? Number(text) : text;
          const given = { query: `?${name}=${encodeURIComponent(text)}`, isValid: gateway.fits(schema, value) };
          found.push(...(await compare(gateway, [method, path, operation], given)));
        }
      }
    }
    expect(found).toEqual([]);
  });
});
