import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@quartermaster/core/catalog';
import { checkValue } from '@quartermaster/host/schema';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { inProcess, testHub } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { createApi } from './api.ts';
import { writeClientTypes } from './client-types.fixture.ts';
import type { Schema } from './schema.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const MODEL_REQUEST = {
  model: 'claude-test',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [
    { name: 'tool_search_tool_bm25', type: 'tool_search_tool_bm25_20251119' },
    { name: 'get_weather', input_schema: { type: 'object' }, defer_loading: true },
  ],
};

async function setUp() {
  const gateway = await runningGateway({
    upstreams: scriptedUpstreams({ anthropic: [message([{ text: 'Hello.' }], 'end_turn')] }),
    mcp: { hub: testHub({ mail: inProcess({ send_mail: { description: 'Send a mail <!-- hidden -->' } }) }) },
    lint: (tools) => tools.map(({ id }) => ({ tool: id, rule: 'test', level: 'warning', message: 'look' })),
    settings: { batchConcurrency: 0 },
  });
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
  return { ...gateway, document };
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, and names each operation once', async () => {
    const { document } = await setUp();
    expect(document.openapi).toBe('3.1.0');
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has every route that is served, because a route is served by being described', () => {
    const folder = new URL('../routes/', import.meta.url);
    const others = readdirSync(folder).filter((file) => {
      return /\bapp\.(?:get|post|put|patch|delete|on)\(/.test(readFileSync(new URL(file, folder), 'utf8'));
    });
    // The console's files are a page, not an API.
    expect(others).toEqual(['console-routes.ts']);
    const app = new Hono();
    const api = createApi(app);
    api.get('/v1/things/:id{.+}', { endpoint: 'things', summary: 'A thing.' }, (context) => context.text('thing'));
    expect(api.routes.map(({ method, path }) => [method, path])).toEqual([['get', '/v1/things/{id}']]);
    expect(app.routes.map(({ method, path }) => [method, path])).toEqual([['GET', '/v1/things/:id{.+}']]);
  });

  it('is what the types of the client package are written from (vitest -u writes them again)', async () => {
    const { document } = await setUp();
    await expect(writeClientTypes({ ...document } as unknown as JsonObject)).toMatchFileSnapshot(
      '../../../client/src/api.ts',
    );
  });

  it.each([
    ['get', '/v1/catalogs', '/v1/catalogs'],
    ['get', '/v1/catalogs/{name}', '/v1/catalogs/acme'],
    ['get', '/v1/catalogs/{name}', '/v1/catalogs/mail'],
    ['get', '/v1/catalogs/{name}/usage', '/v1/catalogs/acme/usage'],
    ['get', '/v1/catalogs/{name}/versions', '/v1/catalogs/acme/versions'],
    ['get', '/v1/catalogs/{name}/tools', '/v1/catalogs/acme/tools'],
    ['get', '/v1/catalogs/{name}/tools', '/v1/catalogs/mail/tools'],
    ['post', '/v1/catalogs/{name}/search', '/v1/catalogs/acme/search'],
    ['post', '/v1/catalogs/{name}/evaluate', '/v1/catalogs/acme/evaluate'],
    ['post', '/v1/search', '/v1/search'],
    ['get', '/v1/search/engines', '/v1/search/engines'],
    ['get', '/v1/servers', '/v1/servers'],
    ['get', '/v1/servers/{name}', '/v1/servers/mail'],
    ['post', '/v1/servers/{name}/retry', '/v1/servers/mail/retry'],
    ['post', '/v1/servers/{name}/sign-in', '/v1/servers/mail/sign-in'],
    ['get', '/v1/sign-ins', '/v1/sign-ins'],
    ['patch', '/v1/policies', '/v1/policies'],
    ['get', '/v1/policies', '/v1/policies'],
    ['get', '/v1/approvals', '/v1/approvals'],
    ['get', '/v1/activity', '/v1/activity'],
    ['get', '/v1/savings', '/v1/savings'],
    ['get', '/v1/models', '/v1/models'],
    ['get', '/livez', '/livez'],
    ['get', '/readyz', '/readyz'],
    // The last ones: with a key the gateway is closed.
    ['post', '/v1/keys', '/v1/keys'],
  ])('says what %s %s answers: %s', async (method, path, address) => {
    const { url, post, document } = await setUp();
    const tools = [{ name: 'get_weather', description: 'The weather', input_schema: { type: 'object' } }];
    await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify(tools) });
    await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }).then((response) => response.text());
    await (await post('/v1/messages', MODEL_REQUEST)).text();
    const bodies: Readonly<Record<string, object>> = {
      '/v1/catalogs/acme/search': {
        query: 'weather',
        explain: true,
        schema: true,
        why: 'get_weather',
        compare: ['bm25'],
      },
      '/v1/catalogs/acme/evaluate': { cases: [{ query: 'weather', tools: ['get_weather'] }] },
      '/v1/search': { query: 'weather', tools },
      '/v1/policies': { changes: [{ kind: 'server', name: 'mail', policy: 'always' }] },
      '/v1/keys': {
        name: 'app',
        role: 'admin',
        limits: { requestsPerMinute: 5, tokensPerDay: 1000 },
        expires_at: '2999-01-01T00:00:00Z',
      },
    };
    const body = method === 'get' ? undefined : JSON.stringify(bodies[address] ?? {});
    const response = await fetch(url + address, {
      method: method.toUpperCase(),
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBe(200);
    const schema = document.paths[path]?.[method]?.responses['2XX']?.content['application/json']?.schema;
    const check = checkValue({ ...schema, components: { ...document.components } }, await response.json());
    expect(check).toEqual({ kind: 'good', unchecked: [] });
  });
});
