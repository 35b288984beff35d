import { RequestError, UpstreamError } from '@quartermaster/core/errors';
import { type Clock, deepestReason, defined, readResponseText, SYSTEM_CLOCK } from '@quartermaster/core/internal';
import { DIALECTS, type DialectName, type DialectOf, type RequestOf, type UpstreamClient } from '../dialect.ts';
import type { Deadline, Step } from '../internal/retry.ts';
import { SEAL_PREFIX } from '../internal/seal.ts';
import type { HttpUpstreamOptions } from './http-upstream-options.ts';
import { quoteAnswer, type Refusing, redirectedError, refusedError } from './refused-error.ts';

/** A host, and the client of the request. */
export interface HttpExchange<D extends DialectName> {
  readonly options: HttpUpstreamOptions<D>;
  readonly client: UpstreamClient;
}

interface Posting {
  /** As returned by `writeBody`. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** @default POST */
  readonly method?: string;
  /** @default application/json */
  readonly contentType?: string;
  /** @default the dialect's path of responses */
  readonly path?: string;
  readonly deadline: Deadline;
}

/** Sends a body. Throws if the answer is not a success. */
export async function post<D extends DialectName>(
  { options, client }: HttpExchange<D>,
  { body, path, deadline, method = 'POST', contentType = 'application/json' }: Posting,
): Promise<Response> {
  const endpoint = DIALECTS[options.dialect].endpoint;
  const { fetch: ask = fetch, apiKey } = options;
  const headers = requestHeaders({ options, client });
  headers.set('content-type', contentType);
  if (apiKey !== undefined) endpoint.authorize(headers, apiKey);
  const response = await ask(endpointUrl(options.baseUrl ?? endpoint.baseUrl, path ?? endpoint.path), {
    method,
    headers,
    ...defined({ body }),
    signal: deadline.signal,
    // A key in a custom header would be sent to the target of a redirect.
    redirect: 'manual',
  });
  client.onResponse?.({ status: response.status, headers: response.headers });
  if (isRedirect(response)) throw await redirectedError(response);
  if (response.ok) return response;
  throw await refusedError(response, clockOf(options), refusing(options));
}

/** What an error of a host has to be read with. */
export function refusing<D extends DialectName>(options: HttpUpstreamOptions<D>): Required<Refusing> {
  const { dialect, apiKey } = options;
  const sent = new Headers(options.headers);
  if (apiKey !== undefined) DIALECTS[dialect].endpoint.authorize(sent, apiKey);
  return { sent, isClientCredential: sendsClientCredential(options) };
}

function sendsClientCredential<D extends DialectName>(options: HttpUpstreamOptions<D>): boolean {
  return options.forwardsAuthorization === true && options.apiKey === undefined;
}

/** The base may or may not end with the version that the path begins with. */
export function endpointUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? `${base}${path.slice(3)}` : `${base}${path}`;
}

/** One exchange with a host, for a deadline: a broken connection becomes an error of the upstream. */
export function stepOf<D extends DialectName>(options: HttpUpstreamOptions<D>, signal: AbortSignal): Step {
  return { clock: clockOf(options), signal, explain: unreachable };
}

export function unreachable(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const message = `The upstream can't be reached: ${deepestReason(error)}`;
  return new UpstreamError({ code: 'unreachable', message, cause: error });
}

function clockOf<D extends DialectName>(options: HttpUpstreamOptions<D>): Clock {
  return options.retries?.clock ?? SYSTEM_CLOCK;
}

/** The headers of a request: the configured ones, and those of the client's that its API reads and no configured one overrides. */
function requestHeaders<D extends DialectName>({ options, client }: HttpExchange<D>): Headers {
  const sent = new Headers(options.headers);
  for (const [name, value] of client.headers ?? []) {
    const isForwarded = isRead(name) || (sendsClientCredential(options) && CREDENTIALS.has(name));
    if (isForwarded && !sent.has(name)) sent.set(name, value);
  }
  return sent;
}

/**
 * Lists the headers that are forwarded; cookies, keys and hop headers of the client are not. Neither is an idempotency key:
 * one response of ours may take several different requests.
 */
function isRead(name: string): boolean {
  return READ.has(name) || READ_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);
const READ: ReadonlySet<string> = new Set(['user-agent', 'x-app', 'traceparent', 'tracestate', 'baggage']);
const READ_PREFIXES = ['anthropic-', 'openai-', 'x-stainless-', 'x-claude-code-'];

/** What a request asks for: its body says whether it wants a stream. */
export type Asking = 'stream' | 'whole' | 'count';

/**
 * A request whose body is already written, in the place of the request. For hosts that take bodies as they are (`takesWritten`): a large
 * body can be written on one thread and sent by another, which never has to look at its values.
 */
export class WrittenRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** The start of the body, of at least `length` characters where it has as many. */
  start(length: number): string {
    // A character takes at most three bytes for each UTF-16 unit.
    return new TextDecoder().decode(this.bytes.subarray(0, length * 3 + 1));
  }
}

/** The body of a request to a host that speaks its dialect. Throws a `RequestError` if it is nested too deeply. */
export function writeRequest<Name extends DialectName>(
  dialect: Name,
  request: RequestOf<Name> | WrittenRequest,
  asking: Asking,
): string | Uint8Array<ArrayBuffer> {
  if (request instanceof WrittenRequest) return request.bytes;
  const { codec }: DialectOf<Name> = DIALECTS[dialect];
  // Few conversations have seals. To look for them in the text takes less than to look at every block.
  const written = serialise(fieldsOf(request, asking));
  const mayHaveSeals = written.head.includes(SEAL_PREFIX) || written.tail.includes(SEAL_PREFIX);
  if (!mayHaveSeals || codec.withoutSeals === undefined) return joined(written);
  return writeBody(fieldsOf(codec.withoutSeals(request), asking));
}

function fieldsOf(request: object, asking: Asking): object {
  if (asking === 'count') return request;
  if (asking === 'stream') return { ...request, stream: true };
  const { stream: _, stream_options: __, ...whole } = request as Partial<Record<string, unknown>>;
  return whole;
}

/**
 * A request's body. Throws a `RequestError` if it is nested too deeply to be serialized. An array of tools that is the same object in
 * several requests is serialized once: with many tools that is most of the body.
 */
export function writeBody(body: object): string | Uint8Array<ArrayBuffer> {
  return joined(serialise(body));
}

/** A body, with its tools apart if they were serialized before. */
interface Serialised {
  readonly head: string;
  readonly tools?: Uint8Array;
  readonly tail: string;
}

function serialise(body: object): Serialised {
  try {
    const tools = 'tools' in body && Array.isArray(body.tools) ? writtenTools(body.tools) : undefined;
    return tools === undefined ? { head: JSON.stringify(body), tail: '' } : around(body, tools);
  } catch (cause) {
    if (isTooDeep(cause)) throw new RequestError('invalid_request', 'The request is nested too deeply', { cause });
    throw cause;
  }
}

/** Whether an error is the engine's own limit on nesting. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** Fewer tools are serialized as fast as they are copied. */
const LEAST_TOOLS = 10;

const SEEN = Symbol('seen once');

/** By the array itself, which callers don't change. Cached from its second request on: most arrays of callers without a cache have only one. */
const written = new WeakMap<readonly unknown[], Uint8Array | typeof SEEN>();

function writtenTools(tools: readonly unknown[]): Uint8Array | undefined {
  if (tools.length < LEAST_TOOLS) return undefined;
  const known = written.get(tools);
  if (known === undefined) {
    written.set(tools, SEEN);
    return undefined;
  }
  if (known !== SEEN) return known;
  const bytes = encoder.encode(JSON.stringify(tools));
  written.set(tools, bytes);
  return bytes;
}

/** The fields before and after `tools` stay where they are: a provider's prompt cache may depend on the order. */
function around(body: object, tools: Uint8Array): Serialised {
  const entries = Object.entries(body);
  const at = entries.findIndex(([name]) => name === 'tools');
  const before = inner(entries.slice(0, at));
  const after = inner(entries.slice(at + 1));
  return {
    head: `{${before}${before === '' ? '' : ','}"tools":`,
    tools,
    tail: `${after === '' ? '' : ','}${after}}`,
  };
}

function joined({ head, tools, tail }: Serialised): string | Uint8Array<ArrayBuffer> {
  if (tools === undefined) return head;
  const [before, after] = [encoder.encode(head), encoder.encode(tail)];
  const bytes = new Uint8Array(before.length + tools.length + after.length);
  bytes.set(before);
  bytes.set(tools, before.length);
  bytes.set(after, before.length + tools.length);
  return bytes;
}

/** Without the braces. */
function inner(entries: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(entries)).slice(1, -1);
}

const encoder = new TextEncoder();

/** An answer that exceeds the limit. Asking again would return as much. */
export function tooLarge(maxBytes: number): UpstreamError {
  const message = `The upstream's answer is larger than ${maxBytes} bytes`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}

/** An event that does not end within the limit. */
export function tooLong(maxEventLength: number): UpstreamError {
  const message = `An event of the upstream's stream is longer than ${maxEventLength} characters`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}

/** A body as JSON. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const { text, isCut } = await readResponseText(response, maxBytes);
  if (isCut) throw tooLarge(maxBytes);
  return parseJson(text);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The upstream sent something that is not JSON: ${JSON.stringify(quoteAnswer(text).slice(0, 200))}`;
    throw new UpstreamError({ code: 'malformed', message, cause });
  }
}

export function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}
