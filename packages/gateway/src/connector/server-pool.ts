import { hash } from 'node:crypto';
import type { McpConnectorSettings } from '@quartermaster/host/config';
import { createHub, type Hub, type ListingStore, type StoredListing } from '@quartermaster/mcp';
import { ByteCache, type MemoryBudget } from '../catalogs/index.ts';
import type { RequestedServer } from './connector-request.ts';

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

/** Recent listings of servers, so that a conversation does not request them every time. In memory only. */
export interface ListingCache {
  /** The key identifies the owner of the request, the address and the token, none of which can be read from it. */
  storeFor(key: string, owner: string): ListingStore;
}

/** How long a listing is cached. */
const LISTING_MS = 60_000;

/** The memory of values per character of their text. */
const BYTES_PER_CHARACTER = 4;

export function createListingCache(now: () => number, memory: MemoryBudget): ListingCache {
  const kept = new ByteCache<{ readonly listing: StoredListing; readonly until: number }>(memory);
  return {
    storeFor: (key, owner) => ({
      async get() {
        const entry = kept.get(key);
        if (entry === undefined || now() < entry.until) return entry?.listing;
        kept.delete(key);
        return undefined;
      },
      async put(_, listing) {
        const bytes = JSON.stringify(listing).length * BYTES_PER_CHARACTER;
        kept.set(key, { listing, until: now() + LISTING_MS }, { bytes, owner });
      },
    }),
  };
}

/** Covers everything that identifies the server's owner: nothing is shared with others, and the key reveals none of it. */
function keyOf({ name, url, token }: RequestedServer, owner: string): string {
  return hash('sha256', JSON.stringify([owner, name, url.href, token ?? null]));
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
  const { connectTimeoutMs, callTimeoutMs } = settings;
  const hub = createHub({
    servers: {
      [name]: {
        url: url.href,
        ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
        ...{ connectTimeoutMs, listTimeoutMs: connectTimeoutMs, callTimeoutMs },
      },
    },
    listings: listings.storeFor(key, owner),
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
