import { QuartermasterError } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { malformed, readEvents } from '@quartermaster/core/internal';
import { type LoopOptions, runLoop, runWhole, type Whole } from '@quartermaster/core/loop';
import type { Endpoint } from '../dialect.ts';
import type { Ask } from './resend.ts';

/** In characters. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** The part of a dialect that says how its responses are sent over HTTP. */
export interface StreamedDialect<Part, Whole_> {
  readonly whole: Whole<Whole_, Part>;
  readonly endpoint: StreamEndpoint<Part>;
}

interface HttpExchange<Request, Part, Whole_> {
  readonly dialect: StreamedDialect<Part, Whole_>;
  readonly explain: Explain;
  readonly loop: Omit<LoopOptions<Request, Part>, 'upstream'>;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  readonly ask: Ask<Request>;
}

/** Runs the search loop over a host, and answers as the host would. Throws an `UpstreamRefusal` for what the host rejects. */
export function answerRequest<Request, Part, Whole_>(exchange: HttpExchange<Request, Part, Whole_>): Promise<Response> {
  return exchange.stream ? answerStream(exchange) : answerWhole(exchange);
}

/**
 * A host's refusal is forwarded unchanged. A request that can't be served is rejected in the dialect's own format: thrown, it would look
 * like a broken connection, and SDKs would retry.
 */
export async function orRefusal(
  answer: () => Promise<Response>,
  refuse: (error: QuartermasterError) => Response,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof UpstreamRefusal) return error.response;
    if (error instanceof QuartermasterError && !(error instanceof UpstreamError)) return refuse(error);
    throw error;
  }
}

async function answerWhole<Request, Part, Whole_>(exchange: HttpExchange<Request, Part, Whole_>): Promise<Response> {
  let headers = new Headers();
  const body = await runWhole({
    ...exchange.loop,
    whole: exchange.dialect.whole,
    async upstream(request, signal) {
      const response = accepted(await exchange.ask(request, signal));
      headers = keptHeaders(response.headers);
      return readWhole<Whole_>(response);
    },
  });
  return Response.json(body, { headers });
}

/** Answers once the first part has arrived: an error before that keeps its status, and the SDK can retry. */
async function answerStream<Request, Part, Whole_>(exchange: HttpExchange<Request, Part, Whole_>): Promise<Response> {
  const { dialect, explain } = exchange;
  let headers = new Headers();
  const rest = runLoop<Request, Part>({
    ...exchange.loop,
    async *upstream(request, signal) {
      const response = accepted(await exchange.ask(request, signal));
      headers = keptHeaders(response.headers);
      yield* readParts(dialect.whole, response);
    },
  });
  try {
    return streamResponse(dialect.endpoint, { first: await rest.next(), rest, headers, explain });
  } catch (error) {
    // A stream that begins with the host's own error is forwarded as one.
    const told = error instanceof UpstreamRefusal ? undefined : await explain(error);
    if (told === undefined) throw error;
    return eventStream(told, headers);
  }
}

/** A whole response to a stream request is read as well. */
async function* readParts<Part, Whole_>(
  whole: Whole<Whole_, Part>,
  response: Response,
): AsyncGenerator<Part, void, undefined> {
  if (response.headers.get('content-type')?.includes('application/json') === true) {
    yield* whole.toParts(await readWhole<Whole_>(response));
    return;
  }
  if (response.body === null) return;
  for await (const { data } of readEvents(response.body, { maxEventLength: LONGEST_EVENT, tooLong })) {
    if (data.trim() === '[DONE]') return;
    yield parsePart<Part>(data);
  }
}

function tooLong(maxEventLength: number): UpstreamError {
  return malformed(`An event of the stream is longer than ${maxEventLength} characters`);
}

function accepted(response: Response): Response {
  if (!response.ok) throw new UpstreamRefusal(response);
  return response;
}

async function readWhole<Whole_>(response: Response): Promise<Whole_> {
  try {
    return (await response.json()) as Whole_;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw malformed("The host's answer is not JSON", { cause });
  }
}

function parsePart<Part>(data: string): Part {
  try {
    return JSON.parse(data) as Part;
  } catch (cause) {
    throw malformed("An event of the host's stream is not JSON", { cause });
  }
}

/** Headers that describe the host's body don't describe ours. */
function keptHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'content-type', 'transfer-encoding']) kept.delete(name);
  return kept;
}

/** A host's response that is not a success: forwarded unchanged, so that the client's SDK retries or throws as usual. */
export class UpstreamRefusal extends UpstreamError {
  override readonly name = 'UpstreamRefusal';
  readonly response: Response;

  constructor(response: Response) {
    const { status } = response;
    super({ code: 'refused', message: `The host answered with status ${status}`, status, context: { status } });
    this.response = response;
  }

  /** Its body, for a stream that has already begun; undefined if it contains no error. */
  async told(): Promise<(JsonObject & { readonly error: JsonObject }) | undefined> {
    const body: unknown = await this.response.json().catch(() => undefined);
    return isJsonObject(body) && isJsonObject(body.error) ? { ...body, error: body.error } : undefined;
  }
}

/** How a dialect writes its streams. */
type StreamEndpoint<Part> = Pick<Endpoint<Part>, 'writePart' | 'streamEnd'>;

/** Ends a stream in which something failed. Undefined: it just breaks off, because there is nothing to report. */
export type Explain = (error: unknown) => Promise<string | undefined>;

interface StreamSource<Part> {
  /** Already received: a host's refusal must keep its own status instead of breaking a stream. */
  readonly first: IteratorResult<Part>;
  readonly rest: AsyncIterableIterator<Part>;
  readonly headers: Headers;
  readonly explain: Explain;
}

/** A streaming response. The parts stop when the reader stops. */
export function streamResponse<Part>(endpoint: StreamEndpoint<Part>, source: StreamSource<Part>): Response {
  const { rest } = source;
  let next: IteratorResult<Part> | undefined = source.first;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const result = next ?? (await rest.next());
        next = undefined;
        if (result.done !== true) return controller.enqueue(encoder.encode(endpoint.writePart(result.value)));
        if (endpoint.streamEnd !== '') controller.enqueue(encoder.encode(endpoint.streamEnd));
        controller.close();
      } catch (error) {
        const told = await source.explain(error);
        if (told === undefined) return controller.error(error);
        controller.enqueue(encoder.encode(told));
        controller.close();
      }
    },
    async cancel() {
      await rest.return?.();
    },
  });
  return eventStream(body, source.headers);
}

/** The body as a stream of events; all other headers stay. */
function eventStream(body: BodyInit, given: Headers): Response {
  const headers = new Headers(given);
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  return new Response(body, { headers });
}
