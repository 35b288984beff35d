import { createGateway } from '@quartermaster/gateway';
import { createHub } from '@quartermaster/mcp';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  readonly operation: Operation;
}

/** The sections of the page, and the endpoints in them, as keys name them. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Models: ['messages', 'chat_completions', 'responses', 'count_tokens', 'models'],
  Batches: ['batches'],
  Catalogs: ['catalogs'],
  Search: ['search'],
  'MCP servers': ['mcp', 'servers', 'sign_in'],
  'Keys and the audit log': ['keys'],
  'Activity, savings and what was learned': ['insight'],
};

/** Every route of the gateway's own OpenAPI document, with what it does and takes. */
export async function renderHttpApi(): Promise<string> {
  const { paths, components } = await readDocument();
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...{ path, method: method.toUpperCase(), operation },
      tag: path.startsWith('/sign-in') ? 'sign_in' : (operation.tags?.[0] ?? ''),
    })),
  );
  routes.sort((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
  const sections = Object.entries(SECTIONS).map(([title, tags]) => {
    const some = routes.filter(({ tag }) => tags.includes(tag));
    return `## ${title}\n\n${renderTable(some, components.schemas)}`;
  });
  const named = new Set([...Object.values(SECTIONS).flat(), 'host']);
  const others = routes.filter(({ tag }) => !named.has(tag));
  const passed = routes.filter(({ tag }) => tag === 'host');
  const passedPaths = [...new Set(passed.map(({ path }) => path))];
  return `# HTTP API

Every endpoint of the gateway. This page is generated from the gateway's OpenAPI document,
\`GET /openapi.json\`, which also has the types of all fields. Requests need a key if the gateway has
any, as \`x-api-key\` or \`Authorization: Bearer\`; the probes, the document and the console at \`/\` do
not. [The gateway guide](../guides/gateway.md) has examples, and [Errors](errors.md) lists the
statuses.

*Takes* lists the query parameters, after \`?\`, and the fields of the body. Requests to models take
the fields of their own API.

${sections.join('\n\n')}

## Probes, metrics and descriptions

${renderTable(others, components.schemas)}

## Passed through to the host

These requests go to the upstream unchanged, without tool search.

| path | methods |
|---|---|
${passedPaths.map((path) => `| \`${path}\` | ${methodsOf(path, passed)} |`).join('\n')}
`;
}

function methodsOf(path: string, routes: readonly Route[]): string {
  return routes
    .filter((one) => one.path === path)
    .map(({ method }) => method)
    .join(', ');
}

function renderTable(routes: readonly Route[], schemas: OpenApi['components']['schemas']): string {
  const rows = routes.map(({ path, method, operation }) => {
    const query = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const body = schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''];
    const takes = [...(query.length === 0 ? [] : [`?${query.join('&')}`]), ...Object.keys(body?.properties ?? {})];
    const taken = takes.length === 0 ? '' : ` Takes ${takes.map((one) => `\`${one}\``).join(', ')}.`;
    return `| \`${method} ${path}\` | ${operation.summary}${taken} |`;
  });
  return ['| endpoint | what it does |', '|---|---|', ...rows].join('\n');
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
