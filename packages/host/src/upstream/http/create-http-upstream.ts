import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { deepestReason, readEvents } from '@quartermaster/core/internal';
import {
  DIALECTS,
  type DialectName,
  type DialectUpstream,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  type UpstreamClient,
} from '../dialect.ts';
import { createDeadline, retriesFor, retry, retryStream, withinDeadline } from '../internal/retry.ts';
import { HTTP_LIMITS, HTTP_TIMEOUTS, type HttpUpstreamOptions } from './http-upstream-options.ts';
import { type HttpExchange, parseJson, post, readJson, refusing, stepOf, tooLong, writeRequest } from './post.ts';
import { streamedError } from './refused-error.ts';

/**
 * An upstream that speaks the client's dialect itself: bodies and parts pass unchanged, so that signatures, caching,
 * citations, betas and unknown fields survive. Failures before the first part are retried if that may help; after it
 * they are thrown, because the client has begun to read.
 */
export function createHttpUpstream<D extends DialectName>(options: HttpUpstreamOptions<D>): DialectUpstream<D> {
  return open(options, {});
}

function open<D extends DialectName>(options: HttpUpstreamOptions<D>, client: UpstreamClient): DialectUpstream<D> {
  const { dialect } = options;
  const exchange: HttpExchange<D> = { options, client };
  return {
    dialect,
    transport: DIALECTS[dialect].endpoint.transport,
    takesWritten: true,
    stream: (request, signal) =>
      retryStream(() => readStream(exchange, request, signal), signal, retriesFor(options.retries, client, 'stream')),
    whole: (request, signal) =>
      retry(() => askWhole(exchange, request, signal), signal, retriesFor(options.retries, client, 'whole')),
    forClient: (next) => open(options, { ...client, ...next }),
  };
}

async function* readStream<D extends DialectName>(
  exchange: HttpExchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): AsyncGenerator<PartOf<D>, void, undefined> {
  const { options } = exchange;
  const { connectMs, idleMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const { maxEventLength, maxBodyBytes } = { ...HTTP_LIMITS, ...options.limits };
  const body = writeRequest(options.dialect, request, 'stream');
  const deadline = createDeadline(stepOf(options, signal));
  try {
    deadline.allow(connectMs, 'no headers');
    const response = await post(exchange, { body, deadline });
    const allow = (): void => deadline.allow(idleMs, 'nothing more of its stream');
    allow();
    // A whole response to a stream request is read as well.
    const source = isJson(response)
      ? wholeParts(await readWhole(response, options, maxBodyBytes), options.dialect)
      : eventParts<D>(response, { maxEventLength, onChunk: allow });
    yield* checked(source, options.dialect, { headers: response.headers, ...refusing(options) });
  } catch (error) {
    throw deadline.reasonFor(error);
  } finally {
    deadline.stop();
  }
}

async function* eventParts<D extends DialectName>(
  response: Response,
  reading: { readonly maxEventLength: number; readonly onChunk: () => void },
): AsyncGenerator<PartOf<D>, void, undefined> {
  if (response.body === null) return;
  for await (const { data } of readEvents(response.body, { ...reading, tooLong })) {
    if (data === '[DONE]') return;
    const part = parseJson(data);
    if (!isJsonObject(part)) {
      const message = `A part of the upstream's stream is not an object: ${data.slice(0, 200)}`;
      throw new UpstreamError({ code: 'malformed', message });
    }
    yield part as PartOf<D>;
  }
}

/** Any failure to read an answer is the host's, which was reached. */
function wholeParts<D extends DialectName>(answer: ResponseOf<D>, dialect: D): readonly PartOf<D>[] {
  try {
    return DIALECTS[dialect].whole.toParts(answer);
  } catch (cause) {
    throw unreadable(deepestReason(cause), cause);
  }
}

/** A whole response. An error in its place, with any status, is thrown. */
async function readWhole<D extends DialectName>(
  response: Response,
  options: HttpUpstreamOptions<D>,
  maxBytes: number,
): Promise<ResponseOf<D>> {
  const answer = await readJson(response, maxBytes);
  if (!isJsonObject(answer)) throw unreadable('it is not an object');
  const { endpoint } = DIALECTS[options.dialect];
  const error = endpoint.errorIn(answer as PartOf<D>);
  if (error !== undefined) throw streamedError(error, answer, { headers: response.headers, ...refusing(options) });
  const problem = endpoint.problemInWhole(answer);
  if (problem === undefined) return answer as ResponseOf<D>;
  throw isJsonObject(answer.error)
    ? streamedError(answer.error, answer, { headers: response.headers, ...refusing(options) })
    : unreadable(problem);
}

function unreadable(problem: string, cause?: unknown): UpstreamError {
  return new UpstreamError({ code: 'malformed', message: `The upstream's answer can't be read: ${problem}`, cause });
}

/** Throws errors among the parts, for parts that can't be read, and for an end that comes too early. */
async function* checked<D extends DialectName>(
  source: AsyncIterable<PartOf<D>> | Iterable<PartOf<D>>,
  dialect: D,
  answer: Parameters<typeof streamedError>[2],
): AsyncGenerator<PartOf<D>, void, undefined> {
  const { endpoint } = DIALECTS[dialect];
  let isComplete = false;
  for await (const part of source) {
    const error = endpoint.errorIn(part);
    if (error !== undefined) throw streamedError(error, part as JsonObject, answer);
    const problem = endpoint.problemInPart(part as JsonObject);
    if (problem !== undefined) throw unreadable(problem);
    isComplete ||= endpoint.isComplete(part);
    yield part;
  }
  if (isComplete) return;
  const message = 'The upstream ended its stream before the response was complete';
  throw new UpstreamError({ code: 'cut_off', message });
}

async function askWhole<D extends DialectName>(
  exchange: HttpExchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): Promise<ResponseOf<D>> {
  const { options } = exchange;
  const { wholeMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const { maxBodyBytes } = { ...HTTP_LIMITS, ...options.limits };
  const body = writeRequest(options.dialect, request, 'whole');
  return withinDeadline(stepOf(options, signal), async (deadline) => {
    deadline.allow(wholeMs, 'no whole response');
    const response = await post(exchange, { body, deadline });
    return readWhole(response, options, maxBodyBytes);
  });
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('application/json') === true;
}
