import { UpstreamError } from '@quartermaster/core/errors';
import { deepestReason, defined } from '@quartermaster/core/internal';
import { type Clock, type Deadline, SYSTEM_CLOCK } from '../clock.ts';
import { DIALECTS, type DialectName, type DialectOf, type RequestOf, type UpstreamClient } from '../dialect.ts';
import type { HttpUpstreamOptions } from './http-upstream-options.ts';
import { isRedirect, redirectedError, refusedError } from './refused-error.ts';

/** A host, and on whose behalf it is asked. */
export interface HttpExchange<D extends DialectName> {
  readonly options: HttpUpstreamOptions<D>;
  readonly client: UpstreamClient;
}

interface Posting {
  /** As `writeBody` gives it. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** @default POST */
  readonly method?: string;
  /** @default application/json */
  readonly contentType?: string;
  /** @default where the dialect's responses come from */
  readonly path?: string;
  readonly deadline: Deadline;
}

/** Sends a body. Throws where the answer is no success. */
export async function post<D extends DialectName>(
  { options, client }: HttpExchange<D>,
  { body, path, deadline, method = 'POST', contentType }: Posting,
): Promise<Response> {
  const endpoint = DIALECTS[options.dialect].endpoint;
  const { fetch: ask = fetch, forwardsAuthorization = false, apiKey } = options;
  const isClientCredential = forwardsAuthorization && apiKey === undefined;
  const headers = requestHeaders({
    ...{ headers: options.headers ?? {}, client: client.headers },
    forwardsAuthorization: isClientCredential,
  });
  if (contentType !== undefined) headers.set('content-type', contentType);
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
  if (!response.ok) throw await refusedError(response, clockOf(options), { isClientCredential });
  return response;
}

/** The base may or may not end in the version that the path begins with. */
export function endpointUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? `${base}${path.slice(3)}` : `${base}${path}`;
}

/** The client's own abort stays what it is; a timeout and a broken connection become errors of the upstream's. */
export function explained(error: unknown, deadline: Deadline, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (deadline.signal.aborted) return deadline.signal.reason;
  if (error instanceof UpstreamError) return error;
  const message = `The upstream can't be reached: ${deepestReason(error)}`;
  return new UpstreamError({ code: 'unreachable', message, cause: error });
}

export function clockOf<D extends DialectName>(options: HttpUpstreamOptions<D>): Clock {
  return options.retries?.clock ?? SYSTEM_CLOCK;
}

/** The request without what only a translated upstream could read. */
export function unsealed<Name extends DialectName>(
  dialect: DialectOf<Name>,
  request: RequestOf<Name>,
): RequestOf<Name> {
  return dialect.codec.withoutSeals?.(request) ?? request;
}

interface RequestHeaderOptions {
  /** Sent with every request, before what the client sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client: Headers | undefined;
  readonly forwardsAuthorization: boolean;
}

/** The headers of a request: the configured ones, and of the client's those that its API reads. */
function requestHeaders({ headers, client, forwardsAuthorization }: RequestHeaderOptions): Headers {
  const sent = new Headers(headers);
  for (const [name, value] of client ?? []) {
    const isForwarded = isRead(name) || (forwardsAuthorization && CREDENTIALS.has(name));
    if (isForwarded && !sent.has(name)) sent.set(name, value);
  }
  sent.set('content-type', 'application/json');
  return sent;
}

/**
 * Lists the headers that are forwarded; cookies, keys and hop headers of the client are not. Neither is an idempotency key:
 * one response of ours may take several requests, which are not the same.
 */
function isRead(name: string): boolean {
  return READ.has(name) || READ_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);
const READ: ReadonlySet<string> = new Set(['user-agent', 'x-app', 'traceparent', 'tracestate', 'baggage']);
const READ_PREFIXES = ['anthropic-', 'openai-', 'x-stainless-', 'x-claude-code-'];
