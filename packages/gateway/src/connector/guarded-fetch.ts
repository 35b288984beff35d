import { lookup as systemLookup } from 'node:dns';
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { responseOf, sendRequest } from '../http/index.ts';
import type { AddressRules } from './address-rules.ts';
import { isPublicAddress } from './is-public-address.ts';

export interface GuardedFetchOptions {
  readonly rules: AddressRules;
  /** The longest accepted response. @default 16 MiB */
  readonly maxBytes?: number;
  /** How long a connection is kept for the next request: untrusted callers can name any number of hosts. @default 4_000 */
  readonly idleMs?: number;
  /** Resolves names to addresses. @default the system's resolver */
  readonly lookup?: Lookup;
}

/** Every address of a name. */
export type Lookup = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

export interface GuardedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Closes the connections that are kept for the next request. */
  close(): void;
}

const GUARDED_FETCH_DEFAULTS = { maxBytes: 16 * 1024 * 1024, idleMs: 4_000 } as const;

/**
 * `fetch` for untrusted addresses. A name is resolved once and the connection goes to the address that was checked, so that it
 * can't mean another machine a moment later. Redirects are not followed, responses are limited in size, and nothing of this
 * process (cookies, proxies, credentials) is sent.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { rules, lookup = lookupAll } = options;
  const { maxBytes, idleMs } = { ...GUARDED_FETCH_DEFAULTS, ...options };
  const kept = { keepAlive: true, timeout: idleMs };
  const checked = { ...kept, lookup: publicLookup(lookup) };
  // A connection that was opened to a named host must not serve a request under another rule: each has its own agents.
  const named = { plain: new PlainAgent(kept), secure: new SecureAgent(kept) };
  const open = { plain: new PlainAgent(checked), secure: new SecureAgent(checked) };

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const { method, signal } = request;
      const url = new URL(request.url);
      const rule = rules.find(url);
      if (rule === undefined) throw new TypeError('connections to this address are not allowed');
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const headers = Object.fromEntries(request.headers);
      const agents = rule.isNamed ? named : open;
      return responseOf(await sendRequest(url, { method, headers, body, agents, signal }), { signal, maxBytes });
    },
    close() {
      for (const agent of [named.plain, named.secure, open.plain, open.secure]) agent.destroy();
    },
  };
}

const lookupAll: Lookup = (hostname, done) => {
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));
};

/** Only addresses of the public internet, whatever else a name resolves to. */
function publicLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, (error, addresses) => {
      const [first, ...rest] = addresses.filter(({ address }) => isPublicAddress(address));
      if (error !== null || first === undefined) {
        callback(error ?? new Error('its name does not resolve to a public address'), '');
      } else if (options.all === true) callback(null, [first, ...rest]);
      else callback(null, first.address, first.family);
    });
  };
}
