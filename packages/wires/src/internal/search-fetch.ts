import { isJsonObject, QuartermasterError, runLoop, runWhole } from '@quartermaster/core';
import {
  type Endpoint,
  type OpenAIToolSearchOptions,
  type RequestBody,
  requestPreparer,
  type SearchLoop,
} from './prepare-request.ts';
import { loopSettings } from './request-toolbox.ts';
import { readEvents } from './server-sent-events.ts';

/**
 * A `fetch` with tool search in it. Below the SDK's methods, so that every helper works as it is: requests to the endpoint are
 * answered by the search loop, all others pass.
 */
export function searchFetch<Request extends RequestBody, Part extends object, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  options: OpenAIToolSearchOptions,
  send: typeof fetch,
): typeof fetch {
  const prepare = requestPreparer(endpoint, options);
  return async (input, init = {}) => {
    const request = readRequest(endpoint, input, init);
    if (request === undefined) return send(input, init);
    try {
      const prepared = prepare(request, hostOf(input));
      if (prepared === undefined) return await send(input, init);
      let round = 0;
      const ask = (body: Request, signal?: AbortSignal): Promise<Response> => {
        round += 1;
        return send(input, withBody(init, body, { round, signal: signal ?? init.signal ?? undefined }));
      };
      const { plan, toolbox, wire } = prepared;
      if (!prepared.isLoop) {
        const view = toolbox.view(plan, wire.recall(prepared.request, plan));
        const rendered = wire.render(prepared.request, view, (found, before) => toolbox.tell({ plan, found, before }));
        return await (rendered === request ? send(input, init) : ask(rendered));
      }
      const { stream } = wire.open(request);
      const signal = init.signal ?? undefined;
      const loop = { ...prepared, ...loopSettings(options), ...(signal === undefined ? {} : { signal }) };
      return await (stream ? respondStream(endpoint, loop, ask) : respondWhole(endpoint, loop, ask));
    } catch (error) {
      if (error instanceof Refusal) return error.response;
      // Thrown, it would look like a broken connection, and the SDK would try again.
      if (error instanceof QuartermasterError) return refuse(error);
      throw error;
    }
  };
}

type Ask<Request> = (request: Request, signal: AbortSignal) => Promise<Response>;

async function respondWhole<Request, Part, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  loop: SearchLoop<Request, Part>,
  ask: Ask<Request>,
): Promise<Response> {
  let headers = new Headers();
  const body = await runWhole({
    ...loop,
    whole: endpoint.whole,
    async upstream(request, signal) {
      const response = await accepted(ask(request, signal));
      headers = keptHeaders(response.headers);
      return (await response.json()) as Response_;
    },
  });
  return Response.json(body, { headers });
}

/** Answers once the first part is there: an error before it keeps its status, and the SDK can try again. */
async function respondStream<Request, Part extends object, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  loop: SearchLoop<Request, Part>,
  ask: Ask<Request>,
): Promise<Response> {
  let headers = new Headers();
  const parts = runLoop<Request, Part>({
    ...loop,
    async *upstream(request, signal) {
      const response = await accepted(ask(request, signal));
      headers = keptHeaders(response.headers);
      yield* readParts(endpoint, response);
    },
  });
  let next: IteratorResult<Part> | undefined = await parts.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const result = next ?? (await parts.next());
        next = undefined;
        controller.enqueue(
          encoder.encode(result.done === true ? endpoint.streamEnd : endpoint.writePart(result.value)),
        );
        if (result.done === true) controller.close();
      } catch (error) {
        if (!(error instanceof Refusal)) return controller.error(error);
        controller.enqueue(encoder.encode(`event: error\ndata: ${JSON.stringify(await toldBy(error.response))}\n\n`));
        controller.close();
      }
    },
    async cancel() {
      await parts.return?.();
    },
  });
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  return new Response(body, { headers });
}

/** A host that answers whole though a stream was asked for is read all the same. */
async function* readParts<Request, Part, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  response: Response,
): AsyncGenerator<Part, void, undefined> {
  if (response.headers.get('content-type')?.includes('application/json') === true) {
    yield* endpoint.whole.apart((await response.json()) as Response_);
    return;
  }
  if (response.body === null) return;
  for await (const data of readEvents(response.body)) {
    if (data === '[DONE]') return;
    yield JSON.parse(data) as Part;
  }
}

/** An answer of the host's that is no success: handed to the client as it came. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly response: Response;

  constructor(response: Response) {
    super(`The host answered with status ${response.status}`);
    this.response = response;
  }
}

async function accepted(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  if (!response.ok) throw new Refusal(response);
  return response;
}

/** The body of an error, for a stream that is already under way. */
async function toldBy(response: Response): Promise<object> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isJsonObject(body) && isJsonObject(body.error)) return body;
  const message = `The host answered with status ${response.status}`;
  return { error: { message, type: 'api_error', code: String(response.status), param: null } };
}

function refuse(error: QuartermasterError): Response {
  const { setting } = error.context;
  const param = typeof setting === 'string' ? setting : null;
  const body = { error: { message: error.message, type: 'invalid_request_error', code: error.code, param } };
  return Response.json(body, { status: 400 });
}

/** Undefined for what is no request to the endpoint: the host can say so better. */
function readRequest<Request extends RequestBody, Part, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  input: RequestInfo | URL,
  init: RequestInit,
): Request | undefined {
  if (input instanceof Request || typeof init.body !== 'string' || init.method?.toUpperCase() !== 'POST')
    return undefined;
  if (!new URL(input).pathname.endsWith(endpoint.path)) return undefined;
  try {
    const value: unknown = JSON.parse(init.body);
    return isJsonObject(value) && endpoint.isRequest(value) ? (value as unknown as Request) : undefined;
  } catch {
    return undefined;
  }
}

/** A key that says that two requests are the same must not stand on two that are not. */
function withBody(
  init: RequestInit,
  body: object,
  { round, signal }: { readonly round: number; readonly signal: AbortSignal | undefined },
): RequestInit {
  const headers = new Headers(init.headers);
  headers.delete('content-length');
  const key = headers.get('idempotency-key');
  if (key !== null && round > 1) headers.set('idempotency-key', `${key}-${round}`);
  return { ...init, headers, body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) };
}

/** What describes the host's body does not describe ours. */
function keptHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'content-type', 'transfer-encoding']) kept.delete(name);
  return kept;
}

function hostOf(input: RequestInfo | URL): string {
  return input instanceof Request ? '' : new URL(input).hostname;
}
