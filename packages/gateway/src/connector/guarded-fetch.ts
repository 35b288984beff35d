import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable, Transform } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { AddressRules } from './address-rules.ts';
import { isPublicAddress } from './is-public-address.ts';

export interface GuardedFetchOptions {
  readonly rules: AddressRules;
  /** The longest response that is read. @default 16 MiB */
  readonly maxBytes?: number;
  /** How names become addresses. @default the system's way */
  readonly lookup?: Lookup;
}

/** Every address of a name. */
export type Lookup = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

export interface GuardedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Ends the connections that are kept open for the next request. */
  close(): void;
}

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * `fetch` for addresses that strangers name. A name is looked up once and the connection goes to what was found and checked, so
 * that it can't mean another machine a moment later. Redirects are not followed, responses are bounded, and nothing of this
 * process's own (cookies, proxies, credentials) goes along.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { rules, maxBytes = MAX_BYTES, lookup = lookupAll } = options;
  // A connection that was opened to a named host must not serve a request under another rule: each has agents of its own.
  const named = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const publicOnly = publicLookup(lookup);
  const open = {
    http: new HttpAgent({ keepAlive: true, lookup: publicOnly }),
    https: new HttpsAgent({ keepAlive: true, lookup: publicOnly }),
  };

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const rule = rules.find(url);
      if (rule === undefined) throw new TypeError('the address is not one that may be connected to');
      const agents = rule.isNamed ? named : open;
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const sent = {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        signal: request.signal,
      };
      const outgoing =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...sent, agent: agents.https })
          : httpRequest(url, { ...sent, agent: agents.http });
      const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once('response', resolve);
        outgoing.once('error', reject);
        outgoing.end(body);
      });
      return toResponse(incoming, maxBytes);
    },
    close() {
      for (const agent of [named.http, named.https, open.http, open.https]) agent.destroy();
    },
  };
}

function toResponse(incoming: IncomingMessage, maxBytes: number): Response {
  const status = incoming.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (EMPTY.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      if (size > maxBytes) done(new Error(`its response is longer than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  incoming.once('error', (error) => bounded.destroy(error));
  bounded.once('close', () => incoming.destroy());
  return new Response(Readable.toWeb(incoming.pipe(bounded)) as NodeStream as ReadableStream, { status, headers });
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

const lookupAll: Lookup = (hostname, done) => {
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));
};

/** Only addresses of the open internet, whatever else a name stands for. */
function publicLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, (error, addresses) => {
      const [first, ...rest] = addresses.filter(({ address }) => isPublicAddress(address));
      if (error !== null || first === undefined) {
        callback(error ?? new Error('its name stands for no public address'), '');
      } else if (options.all === true) callback(null, [first, ...rest]);
      else callback(null, first.address, first.family);
    });
  };
}
