import { isJsonObject, runLoop, runWhole, type Upstream } from '@quartermaster/core';
import { loopSettings } from '../internal/request-toolbox.ts';
import { readEvents } from '../internal/server-sent-events.ts';
import type {
  AnthropicErrorBody,
  AnthropicEvent,
  AnthropicRequest,
  AnthropicResponse,
} from './anthropic-shapes-2026-11.ts';
import { type AnthropicToolSearchOptions, type RequestPlan, requestPlanner } from './plan-request.ts';
import { streamResponse } from './stream-response.ts';
import { UpstreamEventError } from './upstream-event-error.ts';
import { anthropicWhole } from './whole.ts';

/** The part of an Anthropic client that is needed: any of the SDK's, those for other platforms included. */
export interface AnthropicClient {
  readonly baseURL: string;
  readonly middleware: readonly unknown[];
  withOptions(options: object): unknown;
}

/** A request as the SDK hands it to its middleware. */
export interface AnthropicHttpRequest extends RequestInit {
  url: string;
  headers: Headers;
}

export type AnthropicMiddleware = (request: AnthropicHttpRequest, next: SendRequest) => Promise<Response>;

type SendRequest = (request: AnthropicHttpRequest) => Promise<Response>;

/**
 * A client like the one given, with tool search: `messages.create`, `messages.stream`, `beta.messages` and its tool runner
 * work as before, and the model no longer reads every tool. Tools stay in the requests; where none is marked as deferred, the gate
 * decides. On a host that has tool search of its own, requests that ask for it pass untouched.
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
  const planRequest = requestPlanner(options, options.transport);
  return async (http, next) => {
    const endpoint = endpointOf(http);
    const request = endpoint === undefined ? undefined : readBody(http.body);
    if (request === undefined) return next(http);
    const planned = planRequest(request);
    if (planned.kind === 'pass') return next(http);
    if (planned.kind === 'render') return next(withBody(http, planned.request));
    if (endpoint === 'count_tokens') return next(withBody(http, renderOnce(request, planned)));
    if (isJsonObject(request.thread)) return refuseThread(request.thread.type === 'continue');
    return respond({ http, next, request, planned, options });
  };
}

interface Exchange {
  readonly http: AnthropicHttpRequest;
  readonly next: SendRequest;
  readonly request: AnthropicRequest;
  readonly planned: RequestPlan & { readonly kind: 'loop' };
  readonly options: AnthropicToolSearchOptions;
}

/** Runs the loop over the host. What the host refuses comes back as it refused it, so that the SDK retries or throws as ever. */
async function respond(exchange: Exchange): Promise<Response> {
  const { http, next, request, planned, options } = exchange;
  const { wire, toolbox, plan } = planned;
  let headers: Headers | undefined;
  const send = async (rendered: AnthropicRequest, signal: AbortSignal): Promise<Response> => {
    const response = await next(withBody(http, rendered, signal));
    if (!response.ok) throw new UpstreamRefusal(response);
    headers ??= keptHeaders(response.headers);
    return response;
  };
  const common = {
    wire,
    toolbox,
    plan,
    request,
    ...loopSettings(options),
    ...(http.signal === null || http.signal === undefined ? {} : { signal: http.signal }),
  };
  try {
    if (!planned.stream) {
      const message = await runWhole({
        ...common,
        whole: anthropicWhole,
        upstream: async (rendered, signal) => (await (await send(rendered, signal)).json()) as AnthropicResponse,
      });
      return Response.json(message, { headers: headers ?? new Headers() });
    }
    const upstream: Upstream<AnthropicRequest, AnthropicEvent> = async function* (rendered, signal) {
      yield* readResponse(await send(rendered, signal));
    };
    const loop = runLoop({ ...common, upstream });
    const first = await loop.next().catch(firstEvent);
    return streamResponse(first, loop, { headers: headers ?? new Headers(), explain });
  } catch (error) {
    if (error instanceof UpstreamRefusal) return error.response;
    throw error;
  }
}

/** A host that answers with a whole message though a stream was asked for is read all the same. */
async function* readResponse(response: Response): AsyncGenerator<AnthropicEvent, void, undefined> {
  if (response.headers.get('content-type')?.includes('application/json') === true) {
    yield* anthropicWhole.apart((await response.json()) as AnthropicResponse);
    return;
  }
  if (response.body === null) return;
  for await (const data of readEvents(response.body)) yield JSON.parse(data) as AnthropicEvent;
}

class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal';
  readonly response: Response;

  constructor(response: Response) {
    super(`The host answered with status ${response.status}`);
    this.response = response;
  }
}

/** A stream that begins with an error event is passed on as one; any other failure is no stream yet. */
function firstEvent(error: unknown): IteratorResult<AnthropicEvent> {
  if (error instanceof UpstreamEventError) return { done: false, value: { type: 'error', error: error.body } };
  throw error;
}

/** The error event for a host that fails when the stream is already under way. */
async function explain(error: unknown): Promise<AnthropicErrorBody | undefined> {
  if (error instanceof UpstreamEventError) return error.body;
  if (!(error instanceof UpstreamRefusal)) return undefined;
  const { status } = error.response;
  const body: unknown = await error.response.json().catch(() => undefined);
  const told = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  const { type = 'api_error', message = `The host answered with status ${status}` } = told;
  return { ...told, type: String(type), message: String(message) };
}

/**
 * A thread keeps the conversation at the host, where we could neither read nor render it. The SDK takes this refusal as the
 * request to send the whole history instead.
 */
function refuseThread(isContinued: boolean): Response {
  const error = isContinued
    ? {
        type: 'not_found_error',
        message: 'Tool search keeps no threads; send the whole conversation.',
        details: { error_code: 'thread_not_found' },
      }
    : {
        type: 'invalid_request_error',
        message: 'Tool search needs the whole conversation in each request, so it keeps no threads.',
        details: { error_code: 'thread_unsupported_request', unsupported: [] },
      };
  return Response.json({ type: 'error', error, request_id: null }, { status: isContinued ? 404 : 400 });
}

function renderOnce(request: AnthropicRequest, planned: RequestPlan & { readonly kind: 'loop' }): AnthropicRequest {
  const { wire, toolbox, plan } = planned;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}

function endpointOf(http: AnthropicHttpRequest): 'messages' | 'count_tokens' | undefined {
  if (http.method?.toUpperCase() !== 'POST') return undefined;
  const path = new URL(http.url).pathname;
  if (path.endsWith('/v1/messages')) return 'messages';
  return path.endsWith('/v1/messages/count_tokens') ? 'count_tokens' : undefined;
}

/** Undefined for a body that is no request: the host can say so better. */
function readBody(body: unknown): AnthropicRequest | undefined {
  if (typeof body !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (!isJsonObject(value) || !Array.isArray(value.messages) || !value.messages.every(isJsonObject)) return undefined;
    return value as unknown as AnthropicRequest;
  } catch {
    return undefined;
  }
}

function withBody(http: AnthropicHttpRequest, request: AnthropicRequest, signal?: AbortSignal): AnthropicHttpRequest {
  const headers = new Headers(http.headers);
  headers.delete('content-length');
  return { ...http, headers, body: JSON.stringify(request), ...(signal === undefined ? {} : { signal }) };
}

/** What describes the host's body does not describe ours. */
function keptHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'content-type', 'transfer-encoding']) kept.delete(name);
  return kept;
}

function transportOf(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return HOSTS.find(([ending]) => host.endsWith(ending))?.[1] ?? 'unknown';
}

const HOSTS: readonly (readonly [string, string])[] = [
  ['.anthropic.com', 'anthropic-messages'],
  ['.amazonaws.com', 'bedrock-invoke'],
  ['aiplatform.googleapis.com', 'vertex-anthropic'],
];
