import { isJsonObject } from '@quartermaster/core';
import { SYSTEM_CLOCK } from '../clock.ts';
import {
  type Dialect,
  type DialectUpstream,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  type UpstreamClient,
  WHOLES,
} from '../dialect.ts';
import { createDeadline, type Deadline } from '../internal/deadline.ts';
import { type RetrySettings, retry } from '../internal/retry.ts';
import { UpstreamError } from '../upstream-error.ts';
import { ENDPOINTS } from './endpoints.ts';
import { readEventStream } from './read-event-stream.ts';
import { parseJson, readJson } from './read-json-body.ts';
import { refusedError, streamedError } from './refused-error.ts';
import { requestHeaders } from './request-headers.ts';

export interface HttpUpstreamOptions<D extends Dialect> {
  readonly dialect: D;
  /** Where the API is. @default the dialect's own host */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Sent with every request; the client's can't replace them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client's own credential goes upstream where `apiKey` is not set. @default false */
  readonly forwardsAuthorization?: boolean;
  /** @default the global fetch, which itself gives up after 5 minutes without headers or without a byte */
  readonly fetch?: typeof fetch;
  readonly timeouts?: HttpTimeouts;
  readonly retries?: RetrySettings;
  readonly limits?: HttpLimits;
}

export interface HttpTimeouts {
  /** Until the headers of a stream are there. @default 300_000 */
  readonly connectMs?: number;
  /** Between two chunks of a stream. @default 300_000 */
  readonly idleMs?: number;
  /** Until a whole response is there. @default 600_000 */
  readonly wholeMs?: number;
}

export interface HttpLimits {
  /** How long one event of a stream may be, in characters. @default 32 Mi */
  readonly maxEventLength?: number;
  /** How large a whole response may be. @default 128 MiB */
  readonly maxBodyBytes?: number;
}

export const HTTP_TIMEOUTS: Required<HttpTimeouts> = { connectMs: 300_000, idleMs: 300_000, wholeMs: 600_000 };
export const HTTP_LIMITS: Required<HttpLimits> = {
  maxEventLength: 32 * 1024 * 1024,
  maxBodyBytes: 128 * 1024 * 1024,
};

/**
 * An upstream that speaks the client's dialect itself: bodies and parts go through as they are, so that signatures, caching,
 * citations, betas and fields that nobody here knows survive. Failures before the first part are tried again where that may help;
 * after it they are thrown, since the client has begun to read.
 */
export function createHttpUpstream<D extends Dialect>(options: HttpUpstreamOptions<D>): DialectUpstream<D> {
  return open(options, {});
}

function open<D extends Dialect>(options: HttpUpstreamOptions<D>, client: UpstreamClient): DialectUpstream<D> {
  const { dialect } = options;
  const exchange: Exchange<D> = { options, client };
  return {
    dialect,
    transport: ENDPOINTS[dialect].transport,
    stream: (request, signal) => streamParts(exchange, request, signal),
    whole: (request, signal) => retry(() => askWhole(exchange, request, signal), signal, options.retries),
    forClient: (next) => open(options, { ...client, ...next }),
  };
}

interface Exchange<D extends Dialect> {
  readonly options: HttpUpstreamOptions<D>;
  readonly client: UpstreamClient;
}

async function* streamParts<D extends Dialect>(
  exchange: Exchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): AsyncGenerator<PartOf<D>, void, undefined> {
  const { first, rest } = await retry(() => beginStream(exchange, request, signal), signal, exchange.options.retries);
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** A stream of which the first part is there: until then everything can be tried again. */
async function beginStream<D extends Dialect>(
  exchange: Exchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): Promise<{ first: IteratorResult<PartOf<D>>; rest: AsyncGenerator<PartOf<D>, void, undefined> }> {
  const rest = readStream(exchange, request, signal);
  let first = await rest.next();
  while (first.done !== true && isPing(first.value)) first = await rest.next();
  return { first, rest };
}

async function* readStream<D extends Dialect>(
  exchange: Exchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): AsyncGenerator<PartOf<D>, void, undefined> {
  const { options } = exchange;
  const { connectMs, idleMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const { maxEventLength, maxBodyBytes } = { ...HTTP_LIMITS, ...options.limits };
  const deadline = createDeadline(clockOf(options), signal);
  try {
    deadline.allow(connectMs, 'no headers');
    const response = await send(exchange, { ...ENDPOINTS[options.dialect].clean(request), stream: true }, deadline);
    const allow = (): void => deadline.allow(idleMs, 'nothing more of its stream');
    allow();
    // A host that answers whole though a stream was asked for is read all the same.
    const source = isJson(response)
      ? wholeParts(await readJson(response, maxBodyBytes), options.dialect)
      : eventParts<D>(response, { maxEventLength, onChunk: allow });
    yield* checked(source, options.dialect, response.headers);
  } catch (error) {
    throw explained(error, deadline, signal);
  } finally {
    deadline.stop();
  }
}

async function* eventParts<D extends Dialect>(
  response: Response,
  reading: { readonly maxEventLength: number; readonly onChunk: () => void },
): AsyncGenerator<PartOf<D>, void, undefined> {
  if (response.body === null) return;
  for await (const { data } of readEventStream(response.body, reading)) {
    if (data === '[DONE]') return;
    const part = parseJson(data);
    if (!isJsonObject(part)) {
      const message = `A part of the upstream's stream is no object: ${data.slice(0, 200)}`;
      throw new UpstreamError({ code: 'malformed', message });
    }
    yield part as PartOf<D>;
  }
}

function wholeParts<D extends Dialect>(body: unknown, dialect: D): readonly PartOf<D>[] {
  if (!isJsonObject(body)) throw new UpstreamError({ code: 'malformed', message: 'The upstream answered no object' });
  return isJsonObject(body.error) ? [body as PartOf<D>] : WHOLES[dialect].apart(body as ResponseOf<D>);
}

/** Errors among the parts are thrown, and so is an end that comes too early. */
async function* checked<D extends Dialect>(
  source: AsyncIterable<PartOf<D>> | Iterable<PartOf<D>>,
  dialect: D,
  headers: Headers,
): AsyncGenerator<PartOf<D>, void, undefined> {
  const endpoint = ENDPOINTS[dialect];
  let isComplete = false;
  for await (const part of source) {
    const error = endpoint.errorIn(part);
    if (error !== undefined) throw streamedError(error, part, headers);
    isComplete ||= endpoint.completes(part);
    yield part;
  }
  if (isComplete) return;
  throw new UpstreamError({
    code: 'cut_off',
    message: 'The upstream ended its stream before the response was complete',
  });
}

async function askWhole<D extends Dialect>(
  exchange: Exchange<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): Promise<ResponseOf<D>> {
  const { options } = exchange;
  const { wholeMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const { maxBodyBytes } = { ...HTTP_LIMITS, ...options.limits };
  const deadline = createDeadline(clockOf(options), signal);
  try {
    deadline.allow(wholeMs, 'no whole response');
    const { stream: _, stream_options: __, ...body } = ENDPOINTS[options.dialect].clean(request);
    const response = await send(exchange, body, deadline);
    const answer = await readJson(response, maxBodyBytes);
    if (!isJsonObject(answer))
      throw new UpstreamError({ code: 'malformed', message: 'The upstream answered no object' });
    const error = ENDPOINTS[options.dialect].errorIn(answer as PartOf<D>);
    if (error !== undefined) throw streamedError(error, answer, response.headers);
    return answer as ResponseOf<D>;
  } catch (error) {
    throw explained(error, deadline, signal);
  } finally {
    deadline.stop();
  }
}

async function send<D extends Dialect>(exchange: Exchange<D>, body: object, deadline: Deadline): Promise<Response> {
  const { options, client } = exchange;
  const endpoint = ENDPOINTS[options.dialect];
  const { fetch: ask = fetch, forwardsAuthorization = false, apiKey } = options;
  const headers = requestHeaders({
    headers: options.headers ?? {},
    client: client.headers,
    forwardsAuthorization: forwardsAuthorization && apiKey === undefined,
  });
  if (apiKey !== undefined) endpoint.authorize(headers, apiKey);
  const response = await ask(endpointUrl(options.baseUrl ?? endpoint.baseUrl, endpoint.path), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: deadline.signal,
  });
  client.onResponse?.({ status: response.status, headers: response.headers });
  if (!response.ok) throw await refusedError(response, clockOf(options));
  return response;
}

/** The base may or may not end in the version that the path begins with. */
export function endpointUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? `${base}${path.slice(3)}` : `${base}${path}`;
}

/** The client's own abort stays what it is; a timeout and a broken connection become errors of the upstream's. */
function explained(error: unknown, deadline: Deadline, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (deadline.signal.aborted) return deadline.signal.reason;
  if (error instanceof UpstreamError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UpstreamError({ code: 'unreachable', message: `The upstream can't be reached: ${reason}`, cause: error });
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('application/json') === true;
}

function isPing(part: object): boolean {
  return 'type' in part && part.type === 'ping';
}

function clockOf<D extends Dialect>(options: HttpUpstreamOptions<D>): typeof SYSTEM_CLOCK {
  return options.retries?.clock ?? SYSTEM_CLOCK;
}
