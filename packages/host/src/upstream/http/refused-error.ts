import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { limitHeadersIn, statusOfType, UpstreamError } from '@quartermaster/core/errors';
import { type Clock, cutText, readResponseText, tryParseJson } from '@quartermaster/core/internal';
import { hideCredentials } from './hide-credentials.ts';

/** How much of an error response is read: it is a message, not a response. */
export const MOST_REFUSAL_BYTES: number = 256 * 1024;

/** Above this, a status has no meaning, and can't be forwarded. */
export const HIGHEST_STATUS = 599;

/** The request that a host refuses. */
export interface Refusing {
  /** Headers with credentials of ours. The client may read its own. */
  readonly sent: Headers;
  /** Whether the client's own credential was sent. @default false */
  readonly isClientCredential?: boolean;
}

/** The text of an error response, without the credentials of its request. */
export async function readRefusal(response: Response, sent: Headers): Promise<string> {
  const { text } = await readResponseText(response, MOST_REFUSAL_BYTES).catch(() => ({ text: '' }));
  return hideCredentials(text, sent);
}

/** An answer with an error status, as an error. The envelopes of all dialects have an `error` with a `message`. */
export async function refusedError(
  response: Response,
  clock: Clock,
  { sent, isClientCredential = false }: Refusing,
): Promise<UpstreamError> {
  const text = await readRefusal(response, sent);
  if (response.status === 401 && !isClientCredential) return refusedCredentials(requestIdIn(response.headers));
  if (response.status === 407) return refusedByProxy();
  const body = tryParseJson(text);
  const told = isJsonObject(body) && isJsonObject(body.error) ? body.error : undefined;
  const reason = textIn(told, 'message') ?? textIn(body, 'message') ?? quoteAnswer(text);
  const { status, headers } = response;
  return new UpstreamError({
    ...(status > HIGHEST_STATUS ? { code: 'malformed' } : { code: 'refused', status }),
    message: `The upstream answered with status ${status}${reason === '' ? '' : `: ${reason}`}`,
    ...(isMessagesEnvelope(body) ? { type: textIn(told, 'type') } : {}),
    body: body ?? text,
    requestId: requestIdIn(headers) ?? textIn(body, 'request_id'),
    shouldRetry: shouldRetryIn(headers),
    retryAfterMs: retryAfterMs(headers, clock),
    limitHeaders: limitHeadersIn(headers),
  });
}

/** The host rejects the key in the settings. Its message may quote the key, so it is not kept. */
export function refusedCredentials(requestId?: string): UpstreamError {
  return new UpstreamError({
    ...{ code: 'refused', status: 401, refusesUs: true, shouldRetry: false, requestId },
    message: 'The upstream refused the API key of its settings (status 401); check its apiKey',
  });
}

/** Clients take a 407 for one of a proxy of their own, and don't read its answer. */
function refusedByProxy(): UpstreamError {
  return new UpstreamError({
    ...{ code: 'unreachable', shouldRetry: false },
    message: "A proxy in front of the upstream asks for credentials (status 407); check the network's settings",
  });
}

/** An answer that only says where the API is. Nothing is sent there; the address in the settings has to be corrected. */
export async function redirectedError(response: Response): Promise<UpstreamError> {
  await response.body?.cancel();
  const to = response.headers.get('location')?.slice(0, 500) ?? 'another address';
  return new UpstreamError({
    code: 'malformed',
    message: `The upstream redirects to ${to} with status ${response.status}: set baseUrl to where its API is`,
    shouldRetry: false,
  });
}

/** An error that came as a part of a stream, or as the body of an answer with status 200. */
export function streamedError(
  error: JsonObject,
  body: JsonObject,
  { headers, sent, isClientCredential = false }: Refusing & { readonly headers: Headers },
): UpstreamError {
  const type = textIn(error, 'type');
  const code = typeof error.code === 'number' && error.code >= 400 && error.code < 600 ? error.code : undefined;
  const status = code ?? statusOfType(type ?? '');
  if (status === 401 && !isClientCredential) return refusedCredentials(requestIdIn(headers));
  return new UpstreamError({
    code: 'refused',
    status,
    type,
    message: `The upstream ended its stream with ${type ?? 'an error'}: ${hideCredentials(textIn(error, 'message') ?? 'no message', sent)}`,
    body: withoutCredentials(body, sent),
    requestId: requestIdIn(headers),
    limitHeaders: limitHeadersIn(headers),
  });
}

/** Undefined if it is nested too deeply to be written. */
export function withoutCredentials(body: JsonObject, sent: Headers): unknown {
  try {
    const text = JSON.stringify(body);
    const shown = hideCredentials(text, sent);
    return shown === text ? body : tryParseJson(shown);
  } catch {
    return undefined;
  }
}

function requestIdIn(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-request-id') ?? undefined;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const after = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(after);
  if (seconds >= 0 && /^[\d.]+$/.test(after.trim())) return seconds * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

function isMessagesEnvelope(body: unknown): boolean {
  return isJsonObject(body) && body.type === 'error';
}

function textIn(object: unknown, key: string): string | undefined {
  const value = isJsonObject(object) ? object[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether the host says that another attempt is worth it. Undefined if it does not say. */
export function shouldRetryIn(headers: Headers): boolean | undefined {
  return SHOULD_RETRY[headers.get('x-should-retry') ?? ''];
}

const SHOULD_RETRY: Readonly<Record<string, boolean | undefined>> = { true: true, false: false };

/** How much of an answer that is not JSON is quoted in an error. */
const MOST_QUOTED = 500;
const MOST_TITLE = 100;

/** An upstream's message, for an error. Of a page of HTML, as proxies send it, only the title is worth repeating. */
export function quoteAnswer(text: string): string {
  const trimmed = text.trim();
  if (!/^<(?:!doctype|html|head|body|\?xml)\b/i.test(trimmed)) return cutText(trimmed, MOST_QUOTED);
  const title = /<title[^>]*>([^<]*)/i.exec(trimmed.slice(0, MOST_SEARCHED))?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
  return title === '' ? 'a page of HTML' : `an HTML page titled ${JSON.stringify(title.slice(0, MOST_TITLE))}`;
}

const MOST_SEARCHED = 10_000;
