import { randomUUID } from 'node:crypto';
import { auth, type OAuthClientMetadata, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type Clock, systemClock } from '../clock.ts';
import { McpError } from '../errors.ts';
import { signalIn } from '../signal-in.ts';
import type { TokenOwner, TokenStore } from '../store/index.ts';
import { signInError } from './sign-in-error.ts';
import { createStoredProvider } from './stored-provider.ts';
import { withoutSignIn } from './without-sign-in.ts';

/** A provider that knows where the user has to go. */
export interface SignInProvider extends OAuthClientProvider {
  /** Where to sign in, once a server has asked for it. */
  readonly authorizationUrl: string | undefined;
}

export interface OAuthClient {
  /** The provider for one user at one server. No two users share anything. */
  provider(owner: TokenOwner): SignInProvider;
  /** What a user can do who has to sign in, where a sign-in can't begin here. */
  readonly howToSignIn?: ((owner: TokenOwner) => string) | undefined;
  /** Ends a sign-in with what the authorization server sent to the redirect address. Says whose it was. */
  finish(callback: URLSearchParams, urlOf: (server: string) => string): Promise<TokenOwner>;
}

export interface OAuthOptions {
  readonly tokens: TokenStore;
  /**
   * Where authorization servers send the user back to; its handler calls `finish`. Without it no sign-in begins here: only those
   * are let in whose tokens are stored already.
   */
  readonly redirectUrl?: string;
  /** What the others should do, said with the refusal: `run: quartermaster mcp login tracker`. @default nothing is said */
  readonly howToSignIn?: (owner: TokenOwner) => string;
  /** What authorization servers are told about us, on top of the usual. */
  readonly clientMetadata?: Partial<OAuthClientMetadata>;
  /** Makes the secret that ties a callback to its beginning. @default a random UUID */
  readonly createState?: () => string;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
}

/** How long an authorization server may take over each request at the end of a sign-in. */
const TIMEOUT_MS = 30_000;

/** OAuth for the servers of a hub, with everything that must outlast a redirect in the token store. */
export function createOAuthClient(options: OAuthOptions): OAuthClient {
  const { tokens, redirectUrl = NOWHERE, howToSignIn, createState = randomUUID } = options;
  const { fetch = globalThis.fetch, clock = systemClock } = options;
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Quartermaster',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...options.clientMetadata,
  };
  const provider = (owner: TokenOwner): SignInProvider => {
    const stored = createStoredProvider({
      owner,
      tokens,
      redirectUrl,
      clientMetadata,
      async beginState() {
        const state = createState();
        await tokens.put(placeOf(state), JSON.stringify(owner));
        return state;
      },
    });
    if (options.redirectUrl !== undefined) return stored;
    return withoutSignIn(stored, () => signInError({ server: owner.server, how: howToSignIn?.(owner) }));
  };
  return {
    provider,
    howToSignIn,
    async finish(callback, urlOf) {
      const owner = await takeState(tokens, callback.get('state') ?? '');
      const authorizationCode = callback.get('code');
      if (authorizationCode === null) throw refused(owner, callback.get('error'));
      const iss = callback.get('iss');
      const late = new McpError(
        'server_down',
        `The sign-in at server "${owner.server}" got no answer within ${TIMEOUT_MS / 1000} s`,
        {
          context: { server: owner.server },
        },
      );
      await auth(provider(owner), {
        serverUrl: urlOf(owner.server),
        authorizationCode,
        ...(iss === null ? {} : { iss }),
        fetchFn: (input, init) => fetch(input, { ...init, signal: signalIn(TIMEOUT_MS, clock, late) }),
      });
      return owner;
    },
  };
}

/** The SDK takes a provider without an address for a program without a user. This one is never sent. */
const NOWHERE = 'http://127.0.0.1/callback';

/** A sign-in in progress is found by its state alone. No server's name has a line feed, so none is mistaken for it. */
function placeOf(state: string): TokenOwner {
  return { user: '', server: `\nstate ${state}` };
}

/** A state is good for one callback. */
async function takeState(tokens: TokenStore, state: string): Promise<TokenOwner> {
  const place = placeOf(state);
  const value: unknown = JSON.parse((await tokens.get(place)) ?? 'null');
  await tokens.delete(place);
  if (isJsonObject(value) && typeof value.user === 'string' && typeof value.server === 'string') {
    return { user: value.user, server: value.server };
  }
  throw new McpError('authorization_required', 'This sign-in is not known, or is over already; begin it again');
}

function refused({ server }: TokenOwner, error: string | null): McpError {
  const why = error === null ? '' : `: ${error.slice(0, 100)}`;
  return new McpError('authorization_required', `The sign-in at server "${server}" was refused${why}`, {
    context: { server },
  });
}
