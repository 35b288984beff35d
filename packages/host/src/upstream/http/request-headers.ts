export interface RequestHeaderOptions {
  /** Sent with every request, before what the client sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client: Headers | undefined;
  readonly forwardsAuthorization: boolean;
}

/** The headers of a request: the configured ones, and of the client's those that its API reads. */
export function requestHeaders({ headers, client, forwardsAuthorization }: RequestHeaderOptions): Headers {
  const sent = new Headers(headers);
  for (const [name, value] of client ?? []) {
    const isForwarded = isRead(name) || (forwardsAuthorization && CREDENTIALS.has(name));
    if (isForwarded && !sent.has(name)) sent.set(name, value);
  }
  sent.set('content-type', 'application/json');
  return sent;
}

/**
 * A list of what goes, not of what stays: cookies, keys and hop headers of the client are no one else's. An idempotency key
 * stays too, because one response of ours may take several requests, which are not the same.
 */
function isRead(name: string): boolean {
  return READ.has(name) || READ_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);
const READ: ReadonlySet<string> = new Set(['user-agent', 'x-app', 'traceparent', 'tracestate', 'baggage']);
const READ_PREFIXES = ['anthropic-', 'openai-', 'x-stainless-', 'x-claude-code-'];
