import {
  AuthorizationServerMismatchError,
  auth,
  type FetchLike,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { type Clock, defined } from '@quartermaster/core/internal';
import { describeError, McpError } from '../errors.ts';
import type { TokenOwner, TokenStore } from '../store/index.ts';
import { type KeptSignIn, type KeptSignIns, pause } from './kept-sign-in.ts';

interface Renewal {
  readonly owner: TokenOwner;
  readonly serverUrl: string;
  /** The access token that the server refused. */
  readonly refused: string | undefined;
  readonly fetch: FetchLike;
}

interface RenewOptions {
  readonly kept: KeptSignIns;
  readonly tokens: TokenStore;
  readonly clock: Clock;
}

/** Longer than a renewal can take: its requests end after 30 s each. */
const LEASE_MS = 120_000;
const LOOK_EVERY_MS = 100;

/**
 * Renews tokens, one process at a time: authorization servers accept a refresh token once, and treat a second use as theft. Resolves to
 * whether there are tokens to retry with. Throws if the authorization server can't be reached.
 */
export function createRenewer(options: RenewOptions): (renewal: Renewal) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>();
  return (renewal) => {
    const { owner, refused = '' } = renewal;
    const key = JSON.stringify([owner.user, owner.server, refused]);
    const known = running.get(key);
    if (known !== undefined) return known;
    const renewing = renew(renewal, options).finally(() => running.delete(key));
    running.set(key, renewing);
    return renewing;
  };
}

async function renew(renewal: Renewal, { kept, tokens, clock }: RenewOptions): Promise<boolean> {
  const { owner, refused } = renewal;
  for (;;) {
    const state = standing(await kept.read(owner), refused);
    if (state !== 'refused') return state === 'renewed';
    const release = tokens.claim === undefined ? async () => {} : await tokens.claim(owner, LEASE_MS);
    if (release === undefined) {
      await pause(clock, LOOK_EVERY_MS);
      continue;
    }
    try {
      const before = await kept.read(owner);
      const now = standing(before, refused);
      return now === 'refused' ? await refresh(renewal, before, kept) : now === 'renewed';
    } finally {
      // If it is not released, it expires.
      await release().catch(() => {});
    }
  }
}

function standing({ tokens }: KeptSignIn, refused: string | undefined): 'renewed' | 'refused' | 'none' {
  if (tokens === undefined) return 'none';
  if (tokens.access_token !== refused) return 'renewed';
  return tokens.refresh_token === undefined ? 'none' : 'refused';
}

/** Thrown where the SDK would redirect the user. */
class SignInNeeded extends Error {}

async function refresh({ owner, serverUrl, fetch }: Renewal, before: KeptSignIn, kept: KeptSignIns): Promise<boolean> {
  let isDead = false;
  let failure: unknown;
  const watched: FetchLike = async (input, init) => {
    try {
      const response = await fetch(input, init);
      failure = response.status >= 500 ? new Error(`it answered with ${response.status}`) : undefined;
      return response;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const provider: OAuthClientProvider = {
    redirectUrl: before.redirectUrl ?? NOWHERE,
    clientMetadata: { redirect_uris: [before.redirectUrl ?? NOWHERE], grant_types: ['refresh_token'] },
    clientInformation: () => {
      if (before.client === undefined) throw new SignInNeeded();
      return before.client;
    },
    tokens: () => (isDead ? undefined : before.tokens),
    saveTokens: (tokens: StoredOAuthTokens) => {
      // A server that does not rotate tokens returns no new one.
      const refreshToken = tokens.refresh_token ?? before.tokens?.refresh_token;
      return kept.write(owner, { ...before, tokens: { ...tokens, ...defined({ refresh_token: refreshToken }) } });
    },
    state: () => {
      throw new SignInNeeded();
    },
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
    invalidateCredentials: () => {
      isDead = true;
    },
  };
  try {
    return (await auth(provider, { serverUrl, fetchFn: watched })) === 'AUTHORIZED';
  } catch (error) {
    if (failure !== undefined) throw unreachable(owner, failure);
    if (isDead) {
      const { tokens: _, ...rest } = before;
      await kept.write(owner, rest);
    }
    if (isDead || error instanceof SignInNeeded || error instanceof AuthorizationServerMismatchError) return false;
    throw unreachable(owner, error);
  }
}

function unreachable({ server }: TokenOwner, error: unknown): McpError {
  const message = `The tokens for server "${server}" can't be renewed now: ${describeError(error)}`;
  return new McpError('server_down', message, { cause: error, context: { server } });
}

/** The SDK treats a provider without a redirect address as a program without a user. This address is never sent. */
const NOWHERE = 'http://127.0.0.1/callback';

const tokens = new WeakMap<Response, string>();

/** Remembers which token a request used: another may be in use by the time its refusal is read. */
export function noteToken(response: Response, headers: Headers): Response {
  const [, token] = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) tokens.set(response, token);
  return response;
}

/** The token of the request with this answer. Undefined if it had none. */
export function refusedToken(response: Response): string | undefined {
  return tokens.get(response);
}
