import { timingSafeEqual } from 'node:crypto';
import { compileGlob } from '@quartermaster/core/catalog';
import { QueryError } from '@quartermaster/core/errors';
import { BoundedMap, type Clock, defined } from '@quartermaster/core/internal';
import type { ConfiguredKey } from '@quartermaster/host/config';
import {
  type ApiKey,
  hashApiKey,
  type KeyPermissions,
  type KeyRole,
  type KeyStore,
  type RateLimitStore,
} from '@quartermaster/host/store';
import type { Permissions } from '@quartermaster/mcp';
import { ApiError } from '../http/index.ts';
import { createKeyLimits, type MinuteKind, PER_MINUTE, type UsedUpLimit } from './key-limits.ts';
import { createKnownKeys } from './known-keys.ts';

/** Who is making a request, and what they may use. */
export interface Access {
  /** An API key's id, or `''` without keys. */
  readonly owner: string;
  /** The name of the key. Absent without keys. */
  readonly name?: string;
  readonly limits: KeyPermissions['limits'];
  /** Which tools of the configured MCP servers it may use, if that is decided tool by tool. */
  readonly tools?: Permissions;
  /** What it may change among the catalogs that it may use. */
  readonly role: KeyRole;
  /**
   * Whether it is an admin key without restrictions. Only such a key sees what other keys do and creates keys, because a new key could
   * have any right; a restricted admin key manages what its patterns name.
   */
  readonly isUnlimited: boolean;
  /** Whether it may use a part of the gateway, by the route's name in logs. */
  mayUseEndpoint(route: string): boolean;
  mayUseModel(model: string): boolean;
  mayUseCatalog(name: string): boolean;
  /** Whether it may change a catalog of another key. */
  mayWriteCatalog(name: string): boolean;
  /** Takes searches from the key's limit, if it has one; reports when none are left. */
  readonly takeSearches?: (count: number) => Promise<UsedUpLimit | undefined>;
}

/**
 * What a request is for. Only requests to models need tokens: a client whose budget is spent can still search, manage its catalogs and
 * fetch the results of a batch. Batch items leave one request a minute to their client, so that it can ask about the progress.
 */
type RequestUse = 'model' | 'no-model' | 'batch-item';

export interface Gatekeeper {
  /** Throws 401 for a request without a valid key, and 403 for one that a gateway without keys rejects. */
  admit(request: Request): Promise<Access>;
  /** The permissions of the key that left some work, if it still has any. */
  admitOwner(owner: string): Promise<Access | undefined>;
  /** Whether there were no keys at the last lookup: for callers that can't wait. */
  isKnownOpen(): boolean;
  /** Takes requests from the key's share, one if it isn't said how many. Throws 429. */
  take(access: Access, use: RequestUse, count?: number): Promise<void>;
  /** Counts tokens against the key's limits. */
  charge(access: Access, tokens: number): Promise<void>;
  /** A key was created or changed through this gateway: that applies from the next request on. */
  forgetKeys(): void;
  /** How much of each limit of a key is used now, by the limit's name. */
  usedOf(owner: string, limits: KeyPermissions['limits']): Promise<Readonly<Record<string, number>>>;
}

/** How often the use of one key is written to the store. */
const TOUCH_MS = 60_000;

export function createGatekeeper(options: {
  readonly configured: readonly ConfiguredKey[];
  readonly keys?: KeyStore;
  readonly rateLimits?: RateLimitStore;
  readonly clock: Clock;
}): Gatekeeper {
  const { configured, keys, rateLimits, clock } = options;
  const { now } = clock;
  const touched = new BoundedMap<string, number>(MOST_TOUCHED);
  const known = keys === undefined ? undefined : createKnownKeys(keys, clock);
  const shared = rateLimits === undefined ? undefined : createKeyLimits(rateLimits, now);

  /** The first key closes the gateway to everyone else once the cached lookup has expired. */
  async function isOpen(): Promise<boolean> {
    if (configured.length > 0) return false;
    return known === undefined || now() < known.noneUntil || !(await known.hasAny());
  }

  async function limit(
    access: Access,
    kind: 'requests' | 'tokens',
    use: { readonly cost: number; readonly spared?: number },
  ): Promise<void> {
    // Most keys have no such limit.
    const refusal = access.limits[PER_MINUTE[kind]] === undefined ? undefined : await shared?.take(access, kind, use);
    if (refusal === undefined) return;
    const { limit: most, retryAfterMs } = refusal;
    throw new ApiError(429, tellLimit(kind, refusal), {
      headers: {
        ...retryHeaders(retryAfterMs),
        ...limitHeaders(kind, { limit: most, now: now(), resetAt: now() + retryAfterMs }),
      },
    });
  }

  function accessOf(owner: string, permissions: KeyPermissions & Pick<ConfiguredKey, 'name' | 'tools'>): Access {
    const access = rightsOf(owner, permissions);
    if (shared === undefined || access.limits.searchesPerMinute === undefined) return access;
    return { ...access, takeSearches: (cost) => shared.take(access, 'searches', { cost }) };
  }

  async function checkBudgets(access: Access): Promise<void> {
    const at = now();
    const spent = await shared?.findSpent(access);
    if (spent === undefined) return;
    const { name, limit: most, endsAt } = spent;
    const until = new Date(endsAt).toISOString();
    throw new ApiError(429, `This key has used its ${most} tokens per ${name}; try again at ${until}`, {
      headers: {
        'retry-after': String(Math.ceil((endsAt - at) / 1000)),
        ...limitHeaders('tokens', { limit: most, now: at, resetAt: endsAt }),
      },
    });
  }

  /** A key as it may be used now; throws if it may not. */
  function admitKey(key: ApiKey | undefined): Access {
    if (key === undefined || key.revokedAt !== undefined) throw new ApiError(401, 'invalid x-api-key');
    if (key.expiresAt !== undefined && key.expiresAt <= now()) {
      throw new ApiError(401, `This API key expired at ${new Date(key.expiresAt).toISOString()}`);
    }
    touch(key.id);
    return accessOf(key.id, key);
  }

  /** No request waits for it, and nothing depends on it. */
  function touch(id: string): void {
    const last = touched.get(id);
    if (last !== undefined && now() - last < TOUCH_MS) return;
    touched.set(id, now());
    keys?.touch(id).catch(() => touched.delete(id));
  }

  return {
    async admit(request) {
      if (await isOpen()) {
        refuseStrangers(request);
        return OPEN;
      }
      const secret = secretOf(request.headers);
      if (secret === undefined) {
        throw new ApiError(401, 'An API key is needed, as x-api-key or as Authorization: Bearer');
      }
      const hash = hashApiKey(secret);
      const fixed = configured.find((one) => isSame(one.hash, hash));
      if (fixed !== undefined) return accessOf(configuredOwner(fixed), fixed);
      return admitKey(await known?.find(secret));
    },
    async admitOwner(owner) {
      if (owner === '') return (await isOpen()) ? OPEN : undefined;
      const fixed = configured.find((one) => configuredOwner(one) === owner);
      if (fixed !== undefined) return accessOf(owner, fixed);
      const key = await known?.get(owner);
      const isValid = key?.revokedAt === undefined && (key?.expiresAt === undefined || now() < key.expiresAt);
      return key === undefined || !isValid ? undefined : accessOf(owner, key);
    },
    isKnownOpen: () => configured.length === 0 && known?.hadNone() !== false,
    forgetKeys: () => known?.forget(),
    usedOf: async (owner, limits) => (await shared?.usedOf({ owner, limits })) ?? {},
    async take(access, use, count = 1) {
      if (use !== 'no-model' && countsTokens(access.limits)) await checkBudgets(access);
      await limit(access, 'requests', { cost: count, spared: use === 'batch-item' ? 1 : 0 });
      if (use !== 'no-model') await limit(access, 'tokens', { cost: 0 });
    },
    async charge(access, tokens) {
      const cost = wholeTokens(tokens);
      if (cost > 0 && countsTokens(access.limits)) await shared?.charge(access, cost);
    },
  };
}

/** Hosts report all kinds of usage: fractions, negative numbers, none at all. */
function wholeTokens(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.ceil(tokens)), Number.MAX_SAFE_INTEGER) : 0;
}

const OPEN: Access = {
  ...{ owner: '', limits: {}, role: 'admin', isUnlimited: true },
  ...{ mayUseEndpoint: () => true, mayUseModel: () => true, mayUseCatalog: () => true, mayWriteCatalog: () => true },
};

/**
 * Whose requests and figures a key sees: its own, or everyone's if undefined. A client without a key sees requests without
 * one, so that a stream that was opened before the first key was created shows nothing about keys.
 */
export function ownerSeenBy({ owner, isUnlimited }: Access): string | undefined {
  return owner !== '' && isUnlimited ? undefined : owner;
}

/** The same wording for a client and for a model that searches. */
export function tellLimit(kind: MinuteKind, { limit, retryAfterMs }: UsedUpLimit): string {
  const what = limit === 1 ? SINGULAR[kind] : kind;
  return `This key is limited to ${limit} ${what} per minute; try again in ${secondsOf(retryAfterMs)} s`;
}

const SINGULAR = { requests: 'request', tokens: 'token', searches: 'search' } as const;

/** When to retry, in the two units that clients read. */
export function retryHeaders(retryAfterMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(secondsOf(retryAfterMs)), 'retry-after-ms': String(Math.max(1, retryAfterMs)) };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** Takes a client's own searches from its key's limit. Throws 429. */
export async function takeSearches({ takeSearches: take }: Access, count: number): Promise<void> {
  const refusal = count === 0 ? undefined : await take?.(count);
  if (refusal === undefined) return;
  throw new ApiError(429, tellLimit('searches', refusal), { headers: retryHeaders(refusal.retryAfterMs) });
}

/** The same for a model's searches: the model is told, and answers with the tools that it has. */
export function searchAdmission({ takeSearches: take }: Access): {
  readonly admitSearch?: (queries: readonly string[]) => Promise<void>;
} {
  if (take === undefined) return {};
  return {
    async admitSearch(queries) {
      const refusal = await take(queries.length);
      if (refusal === undefined) return;
      const advice = 'use the tools that you have meanwhile';
      throw new QueryError('too_many_requests', `${tellLimit('searches', refusal)}; ${advice}`);
    },
  };
}

/** Whether a limit needs to know how many tokens each response used. */
export function countsTokens({ tokensPerMinute, tokensPerDay, tokensPerMonth }: KeyPermissions['limits']): boolean {
  return (tokensPerMinute ?? tokensPerDay ?? tokensPerMonth) !== undefined;
}

const MOST_TOUCHED = 10_000;

/** When the limit resets, with the header names that clients of Anthropic's and of OpenAI's API read. */
function limitHeaders(
  kind: 'requests' | 'tokens',
  { limit, now, resetAt }: { readonly limit: number; readonly now: number; readonly resetAt: number },
): Readonly<Record<string, string>> {
  const prefix = `anthropic-ratelimit-${kind}`;
  return {
    [`${prefix}-limit`]: String(limit),
    [`${prefix}-remaining`]: '0',
    [`${prefix}-reset`]: new Date(resetAt).toISOString(),
    [`x-ratelimit-limit-${kind}`]: String(limit),
    [`x-ratelimit-remaining-${kind}`]: '0',
    [`x-ratelimit-reset-${kind}`]: `${secondsOf(resetAt - now)}s`,
  };
}

function rightsOf(owner: string, permissions: KeyPermissions & Pick<ConfiguredKey, 'name' | 'tools'>): Access {
  const models = permissions.models.map(compileGlob);
  const catalogs = permissions.catalogs.map(compileGlob);
  const { role = 'consumer', writes = [] } = permissions;
  const isUnlimited = isUnlimitedAdmin(permissions);
  const mayUseCatalog = (name: string): boolean => catalogs.some((glob) => glob.matches(name));
  return {
    owner,
    name: permissions.name,
    limits: permissions.limits,
    ...{ role, isUnlimited, mayUseCatalog },
    ...defined({ tools: permissions.tools }),
    // Metrics name all keys, models and catalogs: they are for keys that see everything, and for those that are given them by name.
    mayUseEndpoint: (route) => permissions.endpoints?.includes(route) ?? (route !== 'metrics' || isUnlimited),
    mayUseModel: (model) => models.some((glob) => glob.matches(model)),
    mayWriteCatalog: (name) =>
      mayUseCatalog(name) && (role === 'admin' || writes.some((pattern) => compileGlob(pattern).matches(name))),
  };
}

/** Whether a key with these permissions has no restrictions. */
export function isUnlimitedAdmin({ role, models, catalogs, endpoints, tools }: KeyPermissions): boolean {
  const isUnlimited = [models, catalogs].every((patterns) => patterns.includes('*'));
  return role === 'admin' && isUnlimited && endpoints === undefined && tools === undefined;
}

/** Never the id of a stored key: those contain no colon. */
export function configuredOwner({ name }: Pick<ConfiguredKey, 'name'>): string {
  return `configured:${name}`;
}

/** Takes the same time wherever they differ. */
function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function secretOf(headers: Headers): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return headers.get('x-api-key')?.trim() || bearer;
}

/**
 * Without keys only programs on this machine are served. A web page in a local browser is not one of them, nor is a host name that
 * someone else's DNS points here.
 */
function refuseStrangers(request: Request): void {
  const { hostname, pathname } = new URL(request.url);
  const isPage =
    request.headers.get('sec-fetch-site') === 'cross-site' || !(pathname === '/mcp' || isOwnOrigin(request));
  if (!isLoopback(hostname) || isPage) {
    throw new ApiError(403, 'Without API keys only requests to localhost from this machine are served; create a key');
  }
}

/**
 * Whether a request comes from no web page, or from one at this gateway's own address or on this machine. Browsers without
 * `sec-fetch-site` still send `Origin` with every request to another site that could have an effect.
 */
export function isOwnOrigin(request: Request): boolean {
  const origin = request.headers.get('origin');
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const { host, hostname } = new URL(request.url);
  return page.host === host || (isLoopback(page.hostname) && isLoopback(hostname));
}

/** Whether a host name means this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
