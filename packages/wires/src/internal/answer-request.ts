import { QuartermasterError } from '@quartermaster/core';
import { UpstreamError } from '@quartermaster/core/errors';
import { readEvents } from '@quartermaster/core/internal';
import { type LoopOptions, runLoop, runWhole, type Whole } from '@quartermaster/core/loop';
import type { Ask } from './resend.ts';
import { type Explain, eventStream, type StreamEndpoint, streamResponse } from './stream-response.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** In characters. */
const LONGEST_EVENT = 64 * 1024 * 1024;

export interface HttpExchange<Request, Part, Whole_> {
  /** What of a dialect says how its responses go over HTTP. */
  readonly dialect: { readonly whole: Whole<Whole_, Part>; readonly endpoint: StreamEndpoint<Part> };
  readonly explain: Explain;
  readonly loop: Omit<LoopOptions<Request, Part>, 'upstream'>;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  readonly ask: Ask<Request>;
}

/** Runs the search loop over a host, and answers as the host would. Throws an `UpstreamRefusal` for what the host refuses. */
export function answerRequest<Request, Part, Whole_>(exchange: HttpExchange<Request, Part, Whole_>): Promise<Response> {
  return exchange.stream ? answerStream(exchange) : answerWhole(exchange);
}

/**
 * A host's refusal goes to the client as it came. A request that can't be served is refused in the dialect's own words: thrown, it would look
 * like a broken connection, and SDKs would try again.
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

/** Answers once the first part is there: an error before it keeps its status, and the SDK can try again. */
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
    // A stream that begins with the host's own error is passed on as one.
    const told = error instanceof UpstreamRefusal ? undefined : await explain(error);
    if (told === undefined) throw error;
    return eventStream(told, headers);
  }
}

/** A host that answers whole though a stream was asked for is read all the same. */
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
  return new UpstreamError({
    code: 'malformed',
    message: `An event of the stream is longer than ${maxEventLength} characters`,
  });
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
    throw new UpstreamError({ code: 'malformed', message: "The host's answer is not JSON", cause });
  }
}

function parsePart<Part>(data: string): Part {
  try {
    return JSON.parse(data) as Part;
  } catch (cause) {
    throw new UpstreamError({ code: 'malformed', message: "An event of the host's stream is not JSON", cause });
  }
}

/** What describes the host's body does not describe ours. */
function keptHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'content-type', 'transfer-encoding']) kept.delete(name);
  return kept;
}
