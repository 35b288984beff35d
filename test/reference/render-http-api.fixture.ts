import { createGateway } from '@quartermaster/gateway';
import { createHub } from '@quartermaster/mcp';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

/** Every route of the gateway's own OpenAPI document, with what it does. */
export async function renderHttpApi(): Promise<string> {
  const { paths } = await readDocument();
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary }]) => ({ path, method: method.toUpperCase(), summary })),
  );
  routes.sort((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
  const rows = routes.map(({ path, method, summary }) => `| \`${method} ${path}\` | ${summary} |`);
  return `# HTTP API

Every endpoint of the gateway. This page is generated from the gateway's OpenAPI document,
\`GET /openapi.json\`, which also has the fields of requests and answers. Requests need a key if the
gateway has any, as \`x-api-key\` or \`Authorization: Bearer\`; the probes, the document and the console
at \`/\` do not. [The gateway guide](../guides/gateway.md) has examples, and [Errors](errors.md) lists
the statuses.

| endpoint | what it does |
|---|---|
${rows.join('\n')}
`;
}

/** Of a gateway with MCP servers, so that none of its routes is missing. */
async function readDocument(): Promise<OpenApi> {
  const hub = createHub({ servers: {} });
  const gateway = createGateway({
    ...{ mcp: { hub }, workerUrl: false },
    upstreams: { resolve: async () => undefined, models: async () => [] },
  });
  try {
    const response = await gateway.fetch(new Request('http://127.0.0.1/openapi.json'));
    return (await response.json()) as OpenApi;
  } finally {
    await gateway.close();
    await hub.close();
  }
}
