import type { QuartermasterError } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import { planHistory, resolveReferences } from '@quartermaster/core/loop';
import { answerRequest, orRefusal, UpstreamRefusal } from './answer-request.ts';
import {
  type AdaptedDialect,
  type OpenAIToolSearchOptions,
  type RequestBody,
  requestPreparer,
} from './prepare-request.ts';
import { loopSettings } from './request-toolbox.ts';
import { readJsonBody, resend } from './resend.ts';

/**
 * A `fetch` with tool search. It works below the SDK's methods, so every helper works as it is: requests to the endpoint are
 * answered by the search loop, all others pass.
 */
export function searchFetch<Request extends RequestBody, Part, Response_>(
  adapted: AdaptedDialect<Request, Part, Response_>,
  options: OpenAIToolSearchOptions,
  send: typeof fetch,
): typeof fetch {
  const prepare = requestPreparer(adapted, options);
  const { dialect } = adapted;
  const settings = loopSettings(options);
  return async (input, init = {}) => {
    const target = readTarget(adapted, input, init);
    if (target === undefined) return send(input, init);
    const { host } = target;
    return orRefusal(async () => {
      const request = await resolveReferences<Request, Part>({
        wire: dialect.wire,
        request: target.request,
        transcript: settings.transcript,
      });
      const prepared = prepare(request, host);
      const ask = resend<Request, RequestInit>(init, (resent) => send(input, resent));
      if (prepared === undefined) return request === target.request ? send(input, init) : ask(request);
      const { isLocal } = prepared;
      const planned = await planHistory(prepared.planned, {
        transcript: settings.transcript,
        isContinued: request !== target.request,
      });
      if (planned.kind !== 'loop') return planned.request === target.request ? send(input, init) : ask(planned.request);
      const { stream } = planned.opened;
      const signal = init.signal ?? undefined;
      const loop = { ...planned, ...settings, asked: target.request, ...defined({ isLocal, signal }) };
      return answerRequest({ dialect, explain, loop, stream, ask });
    }, refuse);
  };
}

interface Target<Request> {
  readonly request: Request;
  readonly host: string;
}

/** Undefined if it is not a request to the endpoint. */
function readTarget<Request extends RequestBody, Part, Response_>(
  { dialect, isRequest }: AdaptedDialect<Request, Part, Response_>,
  input: RequestInfo | URL,
  init: RequestInit,
): Target<Request> | undefined {
  if (input instanceof Request || init.method?.toUpperCase() !== 'POST') return undefined;
  const url = new URL(input);
  const body = url.pathname.endsWith(dialect.endpoint.path) ? readJsonBody(init.body) : undefined;
  if (body === undefined || !isRequest(body)) return undefined;
  return { request: body as unknown as Request, host: url.hostname };
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
