import { randomUUID } from 'node:crypto';
import {
  type AuthProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  type InsufficientScopeError,
  isStrictScopeSuperset,
  type OAuthClientMetadata,
} from '@modelcontextprotocol/client';
import { BACKGROUND_CLOCK, type Clock, checkOptionNames, defined } from '@quartermaster/core/internal';
import { McpError } from '../errors.ts';
import { signalIn } from '../signal-in.ts';
import { ownerKey, type TokenOwner, type TokenStore } from '../store/index.ts';
import type { SignInSettings } from './begin-sign-in.ts';
import { beginSignIn, exchangeCode, isPending, type PendingSignIn } from './begin-sign-in.ts';
import { createKeptSignIns } from './kept-sign-in.ts';
import { createRenewer, refusedToken } from './renew-tokens.ts';
import { signInError } from './sign-in-error.ts';

/** Signs users in to remote MCP servers. */
export interface OAuthClient {
  /** The tokens of one user at one server, for a transport. No two users share anything. */
  access(owner: TokenOwner, settings: SignInSettings): AuthProvider;
  /** For a user whose tokens lack permission for a request: where to sign in again, with more scopes. */
  stepUp(owner: TokenOwner, settings: SignInSettings, refusal: InsufficientScopeError): Promise<McpError>;
  /** Starts a sign-in and returns the address to open. Undefined if none can start here. */
  begin(owner: TokenOwner, settings: SignInSettings, wish?: SignInWish): Promise<string | undefined>;
  /** Completes a sign-in with what the authorization server sent to the redirect address. Returns whose it was. */
  finish(callback: URLSearchParams): Promise<TokenOwner>;
  isSignedIn(owner: TokenOwner): Promise<boolean>;
  /** Identifies a user's sign-in. Undefined if there is none. */
  markOf(owner: TokenOwner): Promise<string | undefined>;
  /** What users can do to sign in, if a sign-in can't begin here. */
  readonly howToSignIn?: ((owner: TokenOwner) => string) | undefined;
}

/** What a sign-in requests from the authorization server. */
export interface SignInWish {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  /** The redirect address of this sign-in, if it depends on who begins it. @default the client's own */
  readonly redirectUrl?: string | undefined;
  /** The network of the connection that needs it, and that ends with it. @default the client's own */
  readonly fetch?: FetchLike | undefined;
}

/** Options of `createOAuthClient`. */
export interface OAuthOptions {
  readonly tokens: TokenStore;
  /**
   * The redirect address; its handler calls `finish`. A function is called when a sign-in is about to begin, for example to
   * start listening. Without it, only sign-ins that bring their own address begin here.
   */
  readonly redirectUrl?: string | (() => Promise<string>);
  /** What users should do instead, added to the refusal: `run: quartermaster mcp login tracker`. @default nothing is added */
  readonly howToSignIn?: (owner: TokenOwner) => string;
  /** Additional client metadata for authorization servers. */
  readonly clientMetadata?: Partial<OAuthClientMetadata>;
  /** The https address of a client metadata document, for authorization servers that read it instead of registering us. */
  readonly clientMetadataUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
}

/** Time limit of each request to an authorization server. */
const TIMEOUT_MS = 30_000;
/** How long the same sign-in is offered again, instead of a new one with every refusal. */
const OFFERED_MS = 10 * 60_000;
/** How long after its start a sign-in can be completed. */
const PENDING_MS = 60 * 60_000;

interface Offer {
  readonly url: string;
  readonly state: string;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly untilMs: number;
}

/** OAuth for the servers of a hub. Everything that must outlast a redirect is in the token store. */
export function createOAuthClient(options: OAuthOptions): OAuthClient {
  checkOptionNames(
    'createOAuthClient',
    options,
    'tokens redirectUrl howToSignIn clientMetadata clientMetadataUrl fetch clock',
  );
  const { tokens, redirectUrl, howToSignIn } = options;
  const { fetch = globalThis.fetch, clock = BACKGROUND_CLOCK } = options;
  const kept = createKeptSignIns(tokens, clock);
  const renew = createRenewer({ kept, tokens, clock });
  const offers = new Map<string, Offer>();
  const beginning = new Map<string, Promise<string | undefined>>();

  /** A sign-in in progress that requests the same, if it can still be completed: another process may have replaced it. */
  const stillOffered = async (
    key: string,
    wanted: Pick<Offer, 'scope' | 'redirectUrl'>,
  ): Promise<Offer | undefined> => {
    const offer = offers.get(key);
    if (offer === undefined || offer.untilMs <= clock.now()) return undefined;
    if (offer.scope !== wanted.scope || offer.redirectUrl !== wanted.redirectUrl) return undefined;
    return (await tokens.get(placeOf(offer.state))) === undefined ? undefined : offer;
  };

  const offer = async (owner: TokenOwner, settings: SignInSettings, wish: SignInWish): Promise<string | undefined> => {
    const key = ownerKey(owner);
    const before = await kept.read(owner);
    const wanted = await tokens.get(wantedPlace(owner));
    const known = [settings.scopes?.join(' '), before.scope, before.tokens?.scope, wanted];
    const scope = computeScopeUnion(...known, wish.scope);
    const address = wish.redirectUrl ?? (typeof redirectUrl === 'function' ? await redirectUrl() : redirectUrl);
    if (address === undefined) return undefined;
    const offered = await stillOffered(key, { scope, redirectUrl: address });
    if (offered !== undefined) return offered.url;
    // The secret that ties the callback to its sign-in.
    const state = randomUUID();
    const { pending, authorizationUrl } = await beginSignIn({
      owner,
      settings: { ...settings, clientMetadataUrl: settings.clientMetadataUrl ?? options.clientMetadataUrl },
      redirectUrl: address,
      clientMetadata: describeClient(address, options.clientMetadata),
      state,
      scope,
      resourceMetadataUrl: wish.resourceMetadataUrl,
      before,
      fetch: wish.fetch ?? inTime(owner, { fetch, clock }),
    });
    const beganAtMs = clock.now();
    await replacePending(tokens, state, { ...pending, endsAtMs: beganAtMs + PENDING_MS });
    offers.set(key, { url: authorizationUrl, state, redirectUrl: address, scope, untilMs: beganAtMs + OFFERED_MS });
    return authorizationUrl;
  };

  /**
   * One at a time for each user and server: a new sign-in ends the previous one, whose address someone may just have received.
   * Callers that wait for one that fails fail with it, instead of each asking a silent server in turn.
   */
  const begin: OAuthClient['begin'] = async (owner, settings, wish = {}) => {
    if ((wish.redirectUrl ?? redirectUrl) === undefined) return undefined;
    const key = ownerKey(owner);
    while (beginning.has(key)) await beginning.get(key);
    const begun = offer(owner, settings, wish).finally(() => beginning.delete(key));
    beginning.set(key, begun);
    return begun;
  };

  /** Only a redirect address known in advance is included in every refusal; others are created on demand. */
  const refuse = async (owner: TokenOwner, settings: SignInSettings, wish: SignInWish): Promise<McpError> => {
    const authorizationUrl = typeof redirectUrl === 'string' ? await begin(owner, settings, wish) : undefined;
    const how = authorizationUrl === undefined ? howToSignIn?.(owner) : undefined;
    return signInError({ server: owner.server, authorizationUrl, how, scope: wish.scope });
  };

  return {
    begin,
    howToSignIn,
    isSignedIn: async (owner) => (await kept.read(owner)).tokens !== undefined,
    async markOf(owner) {
      const { tokens: current, mark } = await kept.read(owner);
      return current === undefined ? undefined : (mark ?? '');
    },
    access: (owner, settings) => ({
      async token() {
        const { tokens: current, serverUrl = settings.serverUrl } = await kept.read(owner);
        return serverUrl === settings.serverUrl ? current?.access_token : undefined;
      },
      async onUnauthorized({ response, fetchFn }) {
        const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
        const { serverUrl } = settings;
        const refused = refusedToken(response);
        const before = await kept.read(owner);
        const isTheirs = before.serverUrl === undefined || before.serverUrl === serverUrl;
        if (isTheirs && (await renew({ owner, serverUrl, refused, fetch: fetchFn }))) return;
        throw await refuse(owner, settings, { scope, resourceMetadataUrl, fetch: fetchFn });
      },
    }),
    async stepUp(owner, settings, { requiredScope, resourceMetadataUrl }) {
      const before = await kept.read(owner);
      const asked = computeScopeUnion(before.scope, before.tokens?.scope);
      const wanted = computeScopeUnion(asked, requiredScope);
      if (isStrictScopeSuperset(wanted, asked)) {
        // The sign-in may be completed elsewhere: by a command, or at another replica.
        if (wanted !== undefined) await tokens.put(wantedPlace(owner), wanted);
        return refuse(owner, settings, { scope: requiredScope, resourceMetadataUrl });
      }
      const message = `Server "${owner.server}" rejects the request because a scope is missing (${requiredScope ?? 'it does not say which'}), although the sign-in asked for it. Ask the server's operator for permission.`;
      return new McpError('not_allowed', message, { context: { server: owner.server } });
    },
    async finish(callback) {
      const pending = await takePending(tokens, callback.get('state') ?? '', clock.now());
      const { owner } = pending;
      offers.delete(ownerKey(owner));
      const code = callback.get('code');
      if (code === null) throw refused(owner, callback.get('error'));
      const iss = callback.get('iss') ?? undefined;
      const signedIn = await exchangeCode(pending, { code, iss, fetch: inTime(owner, { fetch, clock }) });
      await kept.write(owner, { ...signedIn, mark: randomUUID() });
      await tokens.delete(wantedPlace(owner));
      return owner;
    },
  };
}

/** The scopes of a user's next sign-in at a server: those of the last one, and those refused since. */
export async function scopesToAskFor(tokens: TokenStore, owner: TokenOwner): Promise<readonly string[]> {
  const { scope, tokens: current } = await createKeptSignIns(tokens, BACKGROUND_CLOCK).read(owner);
  const wanted = await tokens.get(wantedPlace(owner));
  return computeScopeUnion(scope, current?.scope, wanted)?.split(' ') ?? [];
}

/** Stored separately, so that writing it never overwrites tokens that another process has just renewed. */
function wantedPlace({ user, server }: TokenOwner): TokenOwner {
  return { user, server: `\nwanted ${server}` };
}

function describeClient(redirectUrl: string, more: Partial<OAuthClientMetadata> = {}): OAuthClientMetadata {
  return {
    client_name: 'Quartermaster',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...more,
  };
}

function inTime(
  { server }: TokenOwner,
  { fetch, clock }: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
): FetchLike {
  const message = `The sign-in at server "${server}" got no answer within ${TIMEOUT_MS / 1000} s`;
  return (input, init) => {
    const late = new McpError('server_down', message, { context: { server } });
    return fetch(input, { ...init, signal: signalIn(TIMEOUT_MS, clock, late) });
  };
}

/** A sign-in in progress is found by its state alone. Server names contain no line feed, so none can be mistaken for it. */
function placeOf(state: string): TokenOwner {
  return { user: '', server: `\nstate ${state}` };
}

/** A sign-in in progress, as it is stored. */
interface StoredPending extends PendingSignIn {
  readonly endsAtMs: number;
}

/** One per user and server: starting again ends the previous sign-in, so that none is left behind. */
async function replacePending(tokens: TokenStore, state: string, pending: StoredPending): Promise<void> {
  const latest = { user: pending.owner.user, server: `\nlatest ${pending.owner.server}` };
  const before = await tokens.get(latest);
  await tokens.put(placeOf(state), JSON.stringify(pending));
  await tokens.put(latest, state);
  if (before !== undefined) await tokens.delete(placeOf(before));
}

/** A state is valid for one callback, and for a limited time. */
async function takePending(tokens: TokenStore, state: string, nowMs: number): Promise<PendingSignIn> {
  const place = placeOf(state);
  const value: unknown = JSON.parse((await tokens.get(place)) ?? 'null');
  await tokens.delete(place);
  if (isPending(value)) {
    const latest = { user: value.owner.user, server: `\nlatest ${value.owner.server}` };
    if ((await tokens.get(latest)) === state) await tokens.delete(latest);
    const { endsAtMs = 0 } = value as Partial<StoredPending>;
    if (nowMs < endsAtMs) return value;
  }
  throw new McpError('authorization_required', 'This sign-in is unknown or has already ended; start it again');
}

function refused({ server }: TokenOwner, error: string | null): McpError {
  const why = error === null ? '' : `: ${error.slice(0, 100)}`;
  return new McpError('authorization_required', `The sign-in at server "${server}" was refused${why}`, {
    context: { server, ...defined({ error: error ?? undefined }) },
  });
}
