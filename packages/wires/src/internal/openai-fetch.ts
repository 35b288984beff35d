import type { QuartermasterError, Tool, ToolboxOptions } from '@quartermaster/core';
import { isJsonObject, NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import type { Dialect } from '../dialect.ts';
import { UpstreamRefusal } from './answer-request.ts';
import { type CatalogOptions, type PlannedRequest, requestPlanner } from './request-planner.ts';
import type { ToolSearchOptions } from './request-toolbox.ts';
import { readJsonBody } from './resend.ts';
import { searchFetch } from './search-fetch.ts';
import { openaiTool } from './shown-tools.ts';

/** How tool search behaves for an OpenAI client. */
export interface OpenAIToolSearchOptions extends ToolSearchOptions, CatalogOptions {
  /** What the host supports, as a row of `transports`. @default by the request's address; an unknown host supports functions only */
  readonly transport?: string;
  /** Runs the catalog's tools inside the loop. Without it the client gets their calls like any other. */
  readonly execute?: NonNullable<ToolboxOptions['execute']>;
  readonly hooks?: NonNullable<ToolboxOptions['hooks']>;
}

/** An OpenAI dialect, plus the questions that the SDK adapter asks about a request. */
export interface AdaptedDialect<Request, Part, Response_> {
  readonly dialect: Dialect<Request, Part, Response_, 'openai-chat' | 'openai-responses'>;
  isRequest(value: object): boolean;
  readTools(request: Request): readonly Tool[];
  /** Definitions that are in the messages, not in `tools`. */
  loadedTools(request: Request): readonly unknown[];
  /** Whether the request has traces of tool search: marks, search tools, past searches. */
  isMarked(request: Request): boolean;
}

/** What every request of these endpoints has. */
export interface RequestBody {
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** A `fetch` with tool search for one of OpenAI's endpoints. */
export function openaiFetch<Request extends RequestBody, Part, Response_>(
  adapted: AdaptedDialect<Request, Part, Response_>,
  options: OpenAIToolSearchOptions & { readonly fetch?: typeof fetch },
): typeof fetch {
  const { fetch: send = globalThis.fetch, ...rest } = options;
  const { dialect, isRequest } = adapted;
  const { wire, endpoint, api, name: format } = dialect;
  const plan = requestPlanner(rest, {
    ...{ name: endpoint.transport, maxNameLength: api.maxNameLength, nameTemplate: NAME_TEMPLATES.proxy },
    hasSearch: true,
    ownOptions: { catalog: true, execute: true, hooks: true, fetch: true },
  });
  const planFor = (request: Request, host: string): PlannedRequest<Request, Part> => {
    const declared: readonly unknown[] = Array.isArray(request.tools) ? request.tools : [];
    const { search } = api.openSearch(request, declared.filter(isJsonObject));
    const isClient = search?.kind === 'client';
    return plan({
      ...{ wire, request, key: [request.tools, adapted.loadedTools(request)] },
      model: typeof request.model === 'string' ? request.model : undefined,
      transport: isOpenAI(host) ? endpoint.transport : 'unknown',
      search: isClient ? search : undefined,
      tools: () => adapted.readTools(request),
      needsTools: !isClient,
      executes: isClient,
      isServed: (can) => api.isServed(search, can),
      isForeign: (can) => adapted.isMarked(request) && !can.deferMark,
      declare(shown) {
        const written = shown.map(({ tool, name }) =>
          writeTool(openaiTool(tool, format), format, { name, deferred: false }),
        );
        return { ...request, tools: [...declared, ...written] };
      },
    });
  };
  const adapter = {
    ...{ wire, dialect, explain, refuse },
    read({ pathname, hostname }: URL, init: RequestInit) {
      if (init.method?.toUpperCase() !== 'POST' || !pathname.endsWith(endpoint.path)) return undefined;
      const body = readJsonBody(init.body);
      if (body === undefined || !isRequest(body)) return undefined;
      const plan = (request: Request): PlannedRequest<Request, Part> => planFor(request, hostname);
      return { request: body as unknown as Request, stream: body.stream === true, plan };
    },
  };
  return searchFetch<Request, Part, Response_>(adapter, rest, send);
}

function isOpenAI(host: string): boolean {
  return host === 'api.openai.com' || host.endsWith('.api.openai.com') || host.endsWith('.openai.azure.com');
}

/** The error event for a host that fails after the stream has begun. */
async function explain(error: unknown): Promise<string | undefined> {
  if (!(error instanceof UpstreamRefusal)) return undefined;
  const code = String(error.response.status);
  const told = (await error.told()) ?? { error: { message: error.message, type: 'api_error', code, param: null } };
  return `event: error\ndata: ${JSON.stringify(told)}\n\n`;
}

/** As the API itself rejects a request. */
function refuse(error: QuartermasterError): Response {
  const { parameter } = error.context;
  const param = typeof parameter === 'string' ? parameter : null;
  const body = { error: { message: error.message, type: 'invalid_request_error', code: error.code, param } };
  return Response.json(body, { status: 400 });
}

/** The part of an OpenAI client that is needed: any of the SDK's, including Azure's. */
export interface OpenAIClient {
  withOptions(options: { fetch: typeof fetch }): unknown;
}

/** A client like the given one, whose requests use a `fetch` made around its own. */
export function withFetch<Client extends OpenAIClient>(
  client: Client,
  wrap: (send: typeof fetch) => typeof fetch,
): Client {
  const { fetch: send = globalThis.fetch } = client as { readonly fetch?: typeof fetch };
  return client.withOptions({ fetch: wrap(send) }) as Client;
}
