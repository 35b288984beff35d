import { createHash } from 'node:crypto';
import type { McpConnectorSettings } from '@quartermaster/host/config';
import { createHub, type Hub, type ListingStore, type StoredListing } from '@quartermaster/mcp';
import type { RequestedServer } from './connector-request.ts';
import type { ListingCache } from './listing-cache.ts';

/** Connections to servers for as long as they are needed: for one response, or for all rounds of a batch item. */
export interface ServerPool {
  /** Closes everything at once when it aborts. */
  readonly signal: AbortSignal;
  /** The same object for the same owner, name, address and token. Connects on demand. */
  open(server: RequestedServer, owner: string): OpenedServer;
  /** Also ends connections, listings and calls in progress. Nothing is opened after that. */
  close(): Promise<void>;
}

export interface OpenedServer {
  readonly hub: Hub;
  /** Why the server refused, if its own errors don't say. */
  status(): string | undefined;
}

export interface ServerPoolOptions {
  readonly settings: McpConnectorSettings;
  readonly fetch: typeof globalThis.fetch;
  readonly listings: ListingCache;
  readonly signal: AbortSignal;
}

export function createServerPool(options: ServerPoolOptions): ServerPool {
  const { signal } = options;
  const opened = new Map<string, OpenedServer>();
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort);
    closing ??= Promise.all([...opened.values()].map(({ hub }) => hub.close()));
    await closing;
  };
  const onAbort = (): void => void close();
  signal.addEventListener('abort', onAbort);
  return {
    signal,
    open(server, owner) {
      signal.throwIfAborted();
      // A connection opened now would never be closed.
      if (closing !== undefined) throw new Error(`The server ${server.name} can't be opened: its response has ended`);
      const key = keyOf(server, owner);
      const known = opened.get(key) ?? openServer(server, { ...options, key, owner });
      opened.set(key, known);
      return known;
    },
    close,
  };
}

/** Covers everything that identifies the server's owner: nothing is shared with others, and the key reveals none of it. */
function keyOf({ name, url, token }: RequestedServer, owner: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, name, url.href, token ?? null]))
    .digest('hex');
}

/** The limit of the Messages API for one request. */
const MOST_TOOLS = 10_000;

/** Less than for servers of the settings: any client may name one, and its list has ten times as many. */
const MOST_VALUES = 50_000;

function openServer(
  { name, url, token }: RequestedServer,
  options: ServerPoolOptions & { readonly key: string; readonly owner: string },
): OpenedServer {
  const { settings, fetch, listings, key, owner } = options;
  let refusal: number | undefined;
  const kept: ListingStore = {
    get: async (): Promise<StoredListing | undefined> => listings.get(key),
    put: async (_, listing) => listings.put(key, listing, owner),
  };
  const { connectTimeoutMs, callTimeoutMs } = settings;
  const hub = createHub({
    servers: {
      [name]: {
        url: url.href,
        ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
        ...{ connectTimeoutMs, listTimeoutMs: connectTimeoutMs, callTimeoutMs },
      },
    },
    listings: kept,
    limits: { toolsPerServer: MOST_TOOLS },
    maxMessageValues: MOST_VALUES,
    async fetch(input, init) {
      const response = await fetch(input, init);
      refusal = response.status === 401 || response.status === 403 ? response.status : undefined;
      return response;
    },
  });
  return {
    hub,
    status: () => (refusal === undefined ? undefined : `it refused the authorization (status ${refusal})`),
  };
}
