import type { QuartermasterError } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { planHistory, renderOnce } from '@quartermaster/core/loop';
import { answerRequest, type HttpDialect, orRefusal } from '../internal/answer-request.ts';
import { loopSettings } from '../internal/request-toolbox.ts';
import { readJsonBody, resend } from '../internal/resend.ts';
import { UpstreamRefusal } from '../internal/upstream-refusal.ts';
import type {
  AnthropicErrorBody,
  AnthropicEvent,
  AnthropicRequest,
  AnthropicResponse,
} from './anthropic-shapes-2026-11.ts';
import { type AnthropicToolSearchOptions, requestPlanner } from './plan-request.ts';
import { writeErrorEvent, writeNamedEvent } from './stream-response.ts';
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

/** A middleware for Anthropic's client. */
export type AnthropicMiddleware = (request: AnthropicHttpRequest, next: SendRequest) => Promise<Response>;

type SendRequest = (request: AnthropicHttpRequest) => Promise<Response>;

/**
 * A client like the one given, with tool search: `messages.create`, `messages.stream`, `beta.messages` and its tool runner
 * work as before, and the model no longer reads every tool. Tools stay in the requests; where none is marked as deferred, the gate
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
  const plan = requestPlanner(options, options.transport);
  const settings = loopSettings(options);
  return async (http, next) => {
    const endpoint = endpointOf(http);
    const request = endpoint === undefined ? undefined : readRequest(http.body);
    if (request === undefined) return next(http);
    return orRefusal(async () => {
      const { transcript } = settings;
      const planned = await planHistory(plan(request), defined({ transcript }));
      const ask = resend<AnthropicRequest, AnthropicHttpRequest>(http, next);
      if (planned.kind !== 'loop') return planned.request === request ? next(http) : ask(planned.request);
      if (endpoint === 'count_tokens') return ask(renderOnce(planned));
      if (isJsonObject(request.thread)) return refuseThread(request.thread.type === 'continue');
      const signal = http.signal ?? undefined;
      const loop = { ...planned, ...settings, ...defined({ signal }) };
      return answerRequest({ dialect: DIALECT, loop, stream: request.stream === true, ask });
    }, refuse);
  };
}

const DIALECT: HttpDialect<AnthropicEvent, AnthropicResponse> = {
  whole: anthropicWhole,
  writePart: writeNamedEvent,
  streamEnd: '',
  async explain(error) {
    if (error instanceof UpstreamEventError) return writeErrorEvent(error.body);
    return error instanceof UpstreamRefusal ? writeErrorEvent(await explainRefusal(error)) : undefined;
  },
};

async function explainRefusal(refusal: UpstreamRefusal): Promise<AnthropicErrorBody> {
  const told = (await refusal.told())?.error ?? {};
  const { type = 'api_error', message = refusal.message } = told;
  return { ...told, type: String(type), message: String(message) };
}

/** As the API itself refuses a request. */
function refuse({ message }: QuartermasterError): Response {
  return refuseWith(400, { type: 'invalid_request_error', message });
}

function refuseWith(status: number, error: object): Response {
  return Response.json({ type: 'error', error, request_id: null }, { status });
}

/**
 * A thread keeps the conversation at the host, where we could neither read nor render it. The SDK takes this refusal as the
 * request to send the whole history instead.
 */
function refuseThread(isContinued: boolean): Response {
  if (isContinued) {
    return refuseWith(404, {
      type: 'not_found_error',
      message: 'Tool search keeps no threads; send the whole conversation.',
      details: { error_code: 'thread_not_found' },
    });
  }
  return refuseWith(400, {
    type: 'invalid_request_error',
    message: 'Tool search needs the whole conversation in each request, so it keeps no threads.',
    details: { error_code: 'thread_unsupported_request', unsupported: [] },
  });
}

function endpointOf(http: AnthropicHttpRequest): 'messages' | 'count_tokens' | undefined {
  if (http.method?.toUpperCase() !== 'POST') return undefined;
  const path = new URL(http.url).pathname;
  if (path.endsWith('/v1/messages')) return 'messages';
  return path.endsWith('/v1/messages/count_tokens') ? 'count_tokens' : undefined;
}

function readRequest(body: unknown): AnthropicRequest | undefined {
  const value = readJsonBody(body);
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
