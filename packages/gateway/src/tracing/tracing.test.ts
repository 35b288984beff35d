import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { configuredUpstreams } from '../configured-upstreams.ts';
import { asking, THIS_MACHINE } from '../connector/connector.fixture.ts';
import { inProcess, listeningServer, testHub } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedHost } from '../scripted-host.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { openTracing } from './index.ts';

interface Receiver {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }[];
}

/** A collector, as far as spans are concerned: takes what is posted. */
async function receiver(): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(200, { 'content-type': request.headers['content-type'] }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

function sentTo({ requests }: Receiver): readonly Sent[] {
  return requests.map(({ body }) => JSON.parse(body.toString('utf8')) as Sent);
}

function spansIn(to: Receiver): readonly SentSpan[] {
  return sentTo(to).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

function facts(attributes: SentSpan['attributes']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The exporter reads the environment of the process. */
function setEnvironment(url: string, more: Readonly<Record<string, string>> = {}): void {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  for (const [name, value] of Object.entries(more)) vi.stubEnv(name, value);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const TOOLS = [
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  { name: 'get_weather', description: 'Get the weather', input_schema: { type: 'object' }, defer_loading: true },
];
const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content: 'Weather?' }], tools: TOOLS };

async function traced(options: Partial<Parameters<typeof runningGateway>[0]> = {}) {
  const tracing = await openTracing();
  if (tracing === undefined) throw new Error('Nothing is traced');
  return runningGateway({ upstreams: scriptedUpstreams({}), ...options, tracing });
}

describe('tracing', () => {
  it('sends a span for the request, each round and the search, in the trace of the client, and on to the host', async () => {
    const collector = await receiver();
    setEnvironment(collector.url, {
      OTEL_SERVICE_NAME: 'tools-gateway',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
    });
    const host = await scriptedHost('anthropic', ({ turn }) =>
      turn === 0 ? { call: 'tool_search_tool_bm25', input: { query: 'weather' } } : { text: 'Sunny.' },
    );
    const upstreams = configuredUpstreams([
      { models: ['*'], provider: 'anthropic', baseUrl: host.url, apiKey: 'none', toolSearch: 'local' },
    ]);
    const gateway = await traced({ upstreams });
    await (await gateway.post('/v1/messages', ASK, { traceparent: TRACEPARENT, tracestate: 'vendor=1' })).text();
    await gateway.stop();

    const [first] = collector.requests;
    expect(first).toMatchObject({ path: '/v1/traces', headers: { authorization: 'Bearer collector' } });
    const [sent] = sentTo(collector);
    expect(facts(sent?.resourceSpans[0]?.resource.attributes ?? [])).toMatchObject({ 'service.name': 'tools-gateway' });
    const spans = spansIn(collector);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [request] = named('POST messages');
    expect(request).toMatchObject({ parentSpanId: PARENT, kind: 2 });
    expect(facts(request?.attributes ?? [])).toMatchObject({
      ...{ 'http.response.status_code': 200, 'gen_ai.request.model': 'claude-test' },
      ...{ 'http.request.method': 'POST', 'url.path': '/v1/messages', 'url.scheme': 'http' },
      ...{ 'quartermaster.decision': 'defer', 'quartermaster.searches': 1, 'quartermaster.rounds': 2 },
      ...{ 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 10 },
    });
    const [search] = named('execute_tool tool_search');
    expect(search?.parentSpanId).toBe(request?.spanId);
    expect(facts(search?.attributes ?? [])).toMatchObject({
      ...{ 'gen_ai.operation.name': 'execute_tool', 'quartermaster.search.verdict': 'match' },
      'gen_ai.tool.call.id': expect.any(String),
      'quartermaster.search.engine': 'bm25',
    });
    const rounds = named('chat claude-test');
    expect(rounds.map(({ parentSpanId, kind }) => [parentSpanId, kind])).toEqual([
      [request?.spanId, 3],
      [request?.spanId, 3],
    ]);
    expect(facts(rounds[0]?.attributes ?? [])).toMatchObject({
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 },
    });
    expect(host.requests.map(({ headers }) => headers.traceparent)).toEqual(
      rounds.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
    );
    expect(host.requests[0]?.headers.tracestate).toBe('vendor=1');
  });

  it('sends a span for a call of a tool through /mcp, and hands the trace to the server', async () => {
    const collector = await receiver();
    setEnvironment(collector.url);
    const hub = testHub({ mail: inProcess({ send_mail: { run: (_, meta) => JSON.stringify(meta) } }) });
    const gateway = await traced({ mcp: { hub, form: 'inline' } });
    const params = { name: 'mail__send_mail', arguments: {} };
    const headers = { accept: 'application/json, text/event-stream', traceparent: TRACEPARENT };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const answer = await gateway.post('/mcp', body, headers);
    const told = await answer.text();
    await gateway.stop();
    const spans = spansIn(collector);
    const request = spans.find(({ name }) => name === 'POST mcp');
    const call = spans.find(({ name }) => name === 'tools/call send_mail');
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId, kind: 3 });
    expect(facts(call?.attributes ?? [])).toMatchObject({
      ...{ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'send_mail', 'quartermaster.mcp.server': 'mail' },
    });
    expect(told).toContain(`00-${TRACE}-${call?.spanId}-01`);
    // No model was called.
    expect(facts(request?.attributes ?? [])).toMatchObject({ 'quartermaster.searches': 0 });
    for (const fact of ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'quartermaster.rounds']) {
      expect(facts(request?.attributes ?? [])).not.toHaveProperty([fact]);
    }
  });

  it('puts a call through /mcp in the trace of its _meta, where its request is in none', async () => {
    const collector = await receiver();
    setEnvironment(collector.url);
    const hub = testHub({ mail: inProcess({ send_mail: { run: (_, meta) => JSON.stringify(meta) } }) });
    const gateway = await traced({ mcp: { hub, form: 'inline' } });
    const params = { name: 'mail__send_mail', arguments: {}, _meta: { traceparent: TRACEPARENT, tracestate: 'a=1' } };
    const headers = { accept: 'application/json, text/event-stream' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const told = await (await gateway.post('/mcp', body, headers)).text();
    await gateway.stop();
    const call = spansIn(collector).find(({ name }) => name === 'tools/call send_mail');
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 3 });
    expect(told).toContain(`00-${TRACE}-${call?.spanId}-01`);
    expect(told).toContain('a=1');
  });

  it.each([
    ['google', 'gcp.gemini'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['anthropic', 'anthropic'],
    ['cerebras', 'cerebras'],
  ])('names the provider %s as the conventions do: %s', async (name, provider) => {
    const collector = await receiver();
    setEnvironment(collector.url);
    const scripted = scriptedUpstreams({ anthropic: [message([{ text: 'Hello.' }], 'end_turn')] });
    const gateway = await traced({
      upstreams: {
        ...scripted,
        async resolve(model) {
          const upstream = await scripted.resolve(model);
          return upstream === undefined ? undefined : { ...upstream, name };
        },
      },
    });
    await (await gateway.post('/v1/messages', ASK)).text();
    await gateway.stop();
    const round = spansIn(collector).find((span) => span.name === 'chat claude-test');
    expect(facts(round?.attributes ?? [])).toMatchObject({ 'gen_ai.provider.name': provider });
  });

  it('does the same for servers that a request names', async () => {
    const collector = await receiver();
    setEnvironment(collector.url);
    const metas: unknown[] = [];
    const crm = await listeningServer({ find: { run: (_, meta) => String(metas.push(meta)) } });
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([{ call: 'crm_find', id: 'f', input: {} }], 'tool_use'),
        message([{ text: 'Found.' }], 'end_turn'),
      ],
    });
    const gateway = await traced({ upstreams, connector: THIS_MACHINE });
    const asked = { ...asking(crm.url), messages: ASK.messages };
    const answer = await gateway.post('/v1/messages', asked, { 'anthropic-beta': 'mcp-client-2025-11-20' });
    expect(await answer.text()).toContain('Found.');
    await gateway.stop();
    const call = spansIn(collector).find(({ name }) => name === 'tools/call find');
    expect(metas).toMatchObject([{ traceparent: `00-${call?.traceId}-${call?.spanId}-01` }]);
  });

  it('sends protobuf by default, and marks what failed', async () => {
    const collector = await receiver();
    setEnvironment(collector.url, { OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    const gateway = await traced();
    await (await gateway.post('/v1/messages', ASK)).text();
    await gateway.stop();
    const [sent] = collector.requests;
    expect(sent?.headers['content-type']).toBe('application/x-protobuf');
    expect(sent?.body.toString('latin1')).toContain('POST messages');
    expect(sent?.body.toString('latin1')).toContain('error.type');
  });

  it('leaves out what the sampler leaves out', async () => {
    const collector = await receiver();
    setEnvironment(collector.url, { OTEL_TRACES_SAMPLER: 'always_off' });
    const gateway = await traced();
    await (await fetch(`${gateway.url}/v1/models`)).text();
    await gateway.stop();
    expect(collector.requests).toEqual([]);
  });

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
  ])('is off with %o', async (env) => {
    expect(await openTracing(env)).toBeUndefined();
  });

  it.each([
    { OTEL_TRACES_EXPORTER: 'zipkin' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ])('says what it does not support: %o', async (env) => {
    await expect(openTracing(env)).rejects.toThrow(/allowed: (otlp|http\/protobuf)/);
  });
});
