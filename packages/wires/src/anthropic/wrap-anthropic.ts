import { QuartermasterError } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planHistory, renderOnce } from '@quartermaster/core/loop';
import { answerRequest, orRefusal, UpstreamRefusal } from '../internal/answer-request.ts';
import { loopSettings } from '../internal/request-toolbox.ts';
import { readJsonBody, resend } from '../internal/resend.ts';
import { anthropicDialect, refuseThread, writeErrorEvent } from './anthropic-dialect.ts';
import type { AnthropicEvent, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { createLocalBatches, type LocalBatches } from './local-batches.ts';
import { type AnthropicToolSearchOptions, anthropicPlanner } from './plan-request.ts';
import { UpstreamEventError } from './whole.ts';

/** The part of an Anthropic client that is needed: any of the SDK's, including those for other platforms. */
export interface AnthropicClient {
  readonly baseURL: string;
  readonly middleware: readonly unknown[];
  withOptions(options: object): unknown;
}

/** A request as the SDK passes it to its middleware. */
export interface AnthropicHttpRequest extends RequestInit {
  url: string;
  headers: Headers;
}

/** A middleware for Anthropic's client. */
export type AnthropicMiddleware = (request: AnthropicHttpRequest, next: SendRequest) => Promise<Response>;

type SendRequest = (request: AnthropicHttpRequest) => Promise<Response>;

/**
 * A client like the given one, with tool search: `messages.create`, `messages.stream`, `messages.batches`, `beta.messages` and its
 * tool runner work as before, and the model no longer reads every tool. A batch whose requests need a search that its host does not
 * run is processed here: in this process, four requests at a time, at the price of single requests. Tools stay in the requests; where none is marked as deferred, the gate
 * decides. On a host that has tool search of its own, requests that ask for it pass untouched.
 *
 * @example
 * const client = withToolSearch(new Anthropic());
 * await client.messages.create({ model, max_tokens, messages, tools: [regexSearchTool(), ...tools.map(deferred)] });
 */
export function withToolSearch<Client extends AnthropicClient>(
  client: Client,
  options: AnthropicToolSearchOptions = {},
): Client {
  const transport = options.transport ?? transportOf(client.baseURL);
  const middleware = toolSearchMiddleware({ ...options, transport });
  return client.withOptions({ middleware: [...client.middleware, middleware] }) as Client;
}

/** The same as a middleware, for `new Anthropic({ middleware: [toolSearchMiddleware({ transport })] })`. */
export function toolSearchMiddleware(
  options: AnthropicToolSearchOptions & { readonly transport: string },
): AnthropicMiddleware {
  const plan = anthropicPlanner(options, options.transport);
  const settings = loopSettings(options);
  const batches = createLocalBatches();
  const planFor = (request: AnthropicRequest) =>
    planHistory(plan(request), defined({ transcript: settings.transcript }));

  async function answer(http: AnthropicHttpRequest, next: SendRequest, request: AnthropicRequest): Promise<Response> {
    const planned = await planFor(request);
    const ask = resend<AnthropicRequest, AnthropicHttpRequest>(http, next);
    if (planned.kind !== 'loop') return planned.request === request ? next(http) : ask(planned.request);
    if (endpointOf(http) === 'count_tokens') return ask(renderOnce(planned));
    refuseThread(request);
    const signal = http.signal ?? undefined;
    const loop = { ...planned, ...settings, ...defined({ signal }) };
    return answerRequest({ dialect: anthropicDialect, explain, loop, stream: request.stream === true, ask });
  }

  return async (http, next) => {
    switch (endpointOf(http)) {
      case undefined:
        return next(http);
      case 'batches':
        return answerBatches({ http, next, batches, planFor, answer });
      default: {
        const request = readRequest(readJsonBody(http.body));
        return request === undefined ? next(http) : orRefusal(() => answer(http, next, request), refuse);
      }
    }
  };
}

/**
 * A batch goes to its host if the host can answer each of its requests alone. Otherwise all of them run here, each as a
 * separate request.
 */
async function answerBatches(options: {
  readonly http: AnthropicHttpRequest;
  readonly next: SendRequest;
  readonly batches: LocalBatches;
  planFor(request: AnthropicRequest): Promise<Planned<AnthropicRequest, AnthropicEvent>>;
  answer(http: AnthropicHttpRequest, next: SendRequest, request: AnthropicRequest): Promise<Response>;
}): Promise<Response> {
  const { http, next, batches, planFor, answer } = options;
  const own = batches.answer(http);
  if (own !== undefined) return own;
  const url = new URL(http.url);
  if (!url.pathname.endsWith('/batches')) return next(http);
  if (http.method?.toUpperCase() !== 'POST') return withListed(await next(http), url, batches);
  const body = readJsonBody(http.body);
  const items = readItems(body);
  if (items === undefined) return next(http);
  return orRefusal(async () => {
    const planned = await Promise.all(items.map((item) => planItem(item, planFor)));
    const passed = planned.flatMap((one) => (one === undefined || one.kind === 'loop' ? [] : [one.request]));
    if (passed.length === items.length) {
      if (passed.every((request, index) => request === items[index]?.params)) return next(http);
      const requests = passed.map((params, index) => ({ ...items[index]?.item, params }));
      return resend<object, AnthropicHttpRequest>(http, next)({ ...body, requests });
    }
    const { signal: _, ...rest } = http;
    const messages = `${url.origin}${url.pathname.replace(/\/batches$/, '')}${url.search}`;
    return batches.create(
      items.map(({ customId, params }) => ({
        customId,
        run: (signal) =>
          orRefusal(async () => {
            const request = readRequest(params);
            if (request === undefined) throw new RequestError('invalid_request', 'messages: Field required');
            const whole = { ...request, stream: false };
            const headers = new Headers(http.headers);
            headers.delete('content-length');
            headers.delete('idempotency-key');
            return answer({ ...rest, url: messages, headers, signal, body: JSON.stringify(whole) }, next, whole);
          }, refuse),
      })),
      `${url.origin}${url.pathname}`,
    );
  }, refuse);
}

type PlannedItem = Planned<AnthropicRequest, AnthropicEvent> | { readonly kind: 'pass'; readonly request: JsonObject };

/** Undefined for a request that is refused: it fails alone. One that can't be read is the host's to refuse, unless others run here. */
async function planItem(
  { params }: ReadItem,
  planFor: (request: AnthropicRequest) => Promise<Planned<AnthropicRequest, AnthropicEvent>>,
): Promise<PlannedItem | undefined> {
  const request = readRequest(params);
  if (request === undefined) return { kind: 'pass', request: params };
  try {
    return await planFor(request);
  } catch (error) {
    if (error instanceof QuartermasterError) return undefined;
    throw error;
  }
}

/** The host's list, preceded by the batches that run here; a host without batches has none of its own. */
async function withListed(response: Response, url: URL, batches: LocalBatches): Promise<Response> {
  const own = batches.list();
  if (own.length === 0 || url.searchParams.has('after_id') || url.searchParams.has('before_id')) return response;
  const page = response.ok ? readJsonBody(await response.text()) : undefined;
  const data = [...own, ...(Array.isArray(page?.data) ? page.data : [])];
  const ids = { first_id: own[0]?.id ?? null, last_id: page?.last_id ?? own.at(-1)?.id ?? null };
  return Response.json({ ...page, data, ...ids, has_more: page?.has_more === true });
}

interface ReadItem {
  readonly item: JsonObject;
  readonly customId: string;
  readonly params: JsonObject;
}

/** Undefined for a batch that the host rejects with its own message. */
function readItems(body: JsonObject | undefined): readonly ReadItem[] | undefined {
  if (!Array.isArray(body?.requests) || body.requests.length === 0) return undefined;
  const items = body.requests.flatMap((item: unknown): ReadItem[] => {
    const { custom_id: customId, params } = isJsonObject(item) ? item : {};
    return isJsonObject(item) && typeof customId === 'string' && isJsonObject(params)
      ? [{ item, customId, params }]
      : [];
  });
  const isUnique = new Set(items.map(({ customId }) => customId)).size === items.length;
  return items.length === body.requests.length && isUnique ? items : undefined;
}

async function explain(error: unknown): Promise<string | undefined> {
  if (error instanceof UpstreamEventError) return writeErrorEvent(error.body);
  if (!(error instanceof UpstreamRefusal)) return undefined;
  const told = (await error.told())?.error ?? {};
  const { type = 'api_error', message = error.message } = told;
  return writeErrorEvent({ ...told, type: String(type), message: String(message) });
}

/** As the API itself rejects a request. */
function refuse({ message, context }: QuartermasterError): Response {
  const { details } = context;
  const [status, type] = context.status === 404 ? [404, 'not_found_error'] : [400, 'invalid_request_error'];
  return Response.json(
    { type: 'error', error: { type, message, ...defined({ details }) }, request_id: null },
    { status },
  );
}

function endpointOf(http: AnthropicHttpRequest): 'messages' | 'count_tokens' | 'batches' | undefined {
  const path = new URL(http.url).pathname;
  if (/\/v1\/messages\/batches(?:\/|$)/.test(path)) return 'batches';
  if (http.method?.toUpperCase() !== 'POST') return undefined;
  if (path.endsWith('/v1/messages')) return 'messages';
  return path.endsWith('/v1/messages/count_tokens') ? 'count_tokens' : undefined;
}

function readRequest(value: JsonObject | undefined): AnthropicRequest | undefined {
  const isRequest = Array.isArray(value?.messages) && value.messages.every(isJsonObject);
  return isRequest ? (value as unknown as AnthropicRequest) : undefined;
}

function transportOf(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? 'unknown';
}

/** As the SDKs address them. On AWS the Claude Platform is Anthropic's own API, and Bedrock is not. */
const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/\.anthropic\.com$/, 'anthropic-messages'],
  [/^aws-external-anthropic\..+\.api\.aws$/, 'anthropic-messages'],
  [/\.amazonaws\.com$|^bedrock-.+\.api\.aws$/, 'bedrock-invoke'],
  [/(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/, 'vertex-anthropic'],
];
