import { readSources } from './read-source.fixture.ts';

/** Every route that the gateway mounts, with what it does. A route without a text here fails the test. */
export function renderHttpApi(): string {
  const routes = routesIn(readSources('packages/gateway/src/routes'));
  const rows = routes.map(
    (route) => `| \`${route}\` | ${ROUTES[route] ?? 'MISSING: describe it in render-http-api.fixture.ts'} |`,
  );
  return `# HTTP API

Every endpoint of the gateway. This page is made from the routes that it mounts. Requests need a key
if the gateway has any, as \`x-api-key\` or \`Authorization: Bearer\`; the probes and \`/\` do not.
[The gateway guide](../guides/gateway.md) has examples, and [Errors](errors.md) lists the statuses.

| endpoint | what it does |
|---|---|
${rows.join('\n')}
`;
}

function routesIn(source: string): readonly string[] {
  const mounted = [...source.matchAll(/app\.(get|post|put|delete|all|patch)\(\s*'([^']+)'/g)].map(
    ([, method = '', path = '']) => `${method === 'all' ? 'ANY' : method.toUpperCase()} ${path}`,
  );
  // Those of the models' APIs are mounted by dialect.
  const dialects = [...readSources('packages/wires/src').matchAll(/^ {4,6}path: '(\/v1\/[^']+)'/gm)];
  const surfaces = dialects.map(([, path = '']) => `POST ${path}`);
  const shown = [...mounted, ...surfaces].map((route) => route.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}'));
  return [...new Set(shown)].sort((a, b) => pathOf(a).localeCompare(pathOf(b), 'en') || a.localeCompare(b, 'en'));
}

function pathOf(route: string): string {
  return route.split(' ')[1] ?? '';
}

const ROUTES: Readonly<Record<string, string>> = {
  'GET /': 'the console, or one line of text if it is not installed',
  'GET /livez': 'whether the process responds',
  'GET /readyz': 'whether the store and the upstreams can be used; 503 with `reasons` if not',
  'GET /healthz': 'whether the store can be used',
  'GET /metrics': 'metrics in the text format of Prometheus',
  'ANY /mcp': 'the configured MCP servers as one, over Streamable HTTP',
  'POST /v1/messages': 'Anthropic’s Messages API, streaming or not',
  'POST /v1/messages/count_tokens': 'the tokens of a request, as the upstream counts them',
  'POST /v1/messages/batches': 'create a batch of messages',
  'GET /v1/messages/batches': 'list the batches of this key',
  'GET /v1/messages/batches/{id}': 'read a batch',
  'GET /v1/messages/batches/{id}/results': 'read the results of a batch, one line each',
  'POST /v1/messages/batches/{id}/cancel': 'cancel what has not started',
  'DELETE /v1/messages/batches/{id}': 'delete a batch and its results',
  'POST /v1/chat/completions': 'OpenAI’s Chat Completions API, streaming or not',
  'POST /v1/responses': 'OpenAI’s Responses API, streaming or not',
  'GET /v1/responses/{id}': 'read a stored response',
  'GET /v1/responses/{id}/input_items': 'list the input of a stored response',
  'DELETE /v1/responses/{id}': 'delete a stored response',
  'GET /v1/models': 'list the models that this key may use',
  'GET /v1/models/{id}': 'describe one model',
  'GET /v1/catalogs': 'list the named catalogs that this key may use',
  'GET /v1/catalogs/{name}': 'read a catalog with its definitions',
  'PUT /v1/catalogs/{name}': 'create or replace a catalog; needs the role publisher or admin',
  'DELETE /v1/catalogs/{name}': 'delete a catalog; needs the role publisher or admin',
  'GET /v1/catalogs/{name}/usage': 'how often its tools were called, and which to pin',
  'POST /v1/catalogs/{name}/search': 'search a catalog without a model',
  'POST /v1/catalogs/{name}/evaluate': 'measure labelled requests on a catalog',
  'POST /v1/search': 'search the tools in the request without a model',
  'GET /v1/search/engines': 'list the search engines that are available',
  'GET /v1/activity': 'list the latest requests of this key, or of all keys for an admin',
  'GET /v1/activity/live': 'the same as server-sent events, as they happen',
  'GET /v1/activity/{id}': 'one request by its `request-id`',
  'GET /v1/savings': 'tokens kept out and added, by day, model and key',
};
