import { isJsonObject } from '@quartermaster/core/catalog';
import { checkOptionNames, untilAborted } from '@quartermaster/core/internal';
import {
  createMemoryTokenStore,
  createOAuthClient,
  type Hub,
  McpError,
  type OAuthClient,
  type TokenStore,
} from '@quartermaster/mcp';

/** How the user signs in to servers with `oauth: true`. */
export interface SignIn {
  /** Where authorization servers redirect the user. */
  readonly redirectUrl: string;
  /**
   * Sends the user to `authorizationUrl`, and resolves to the redirect URL with its `code` and `state`.
   * Rejects if the user declines: the server then stays `needs-auth`.
   */
  readonly authorize: (
    authorizationUrl: string,
    about: { readonly server: string; readonly signal: AbortSignal },
  ) => Promise<string | URL>;
  /** Where tokens are stored. @default in memory, for this query */
  readonly tokens?: TokenStore;
}

/** Throws a `SettingError` for a field without effect. */
export function checkSignIn(signIn: SignIn): void {
  checkOptionNames('signIn', signIn, 'redirectUrl authorize tokens');
}

export function createSignInClient({ redirectUrl, tokens }: SignIn): OAuthClient {
  return createOAuthClient({ redirectUrl, tokens: tokens ?? createMemoryTokenStore() });
}

export interface SigningIn {
  readonly hub: Hub;
  readonly server: string;
  readonly signIn: SignIn;
  readonly signal: AbortSignal;
}

/** Signs in to a server that asks for it. A failed sign-in leaves the server as it is; only an aborted query throws. */
export async function signInTo({ hub, server, signIn, signal }: SigningIn): Promise<void> {
  try {
    const authorizationUrl = await authorizationUrlOf(hub, server);
    if (authorizationUrl === undefined) return;
    const answer = await untilAborted(signIn.authorize(authorizationUrl, { server, signal }), signal);
    await hub.finishSignIn(new URL(answer).searchParams);
  } catch {
    signal.throwIfAborted();
  }
}

/** The refusal names the place to sign in. */
async function authorizationUrlOf(hub: Hub, server: string): Promise<string | undefined> {
  try {
    await hub.connect(server);
    return undefined;
  } catch (error) {
    const context = error instanceof McpError ? error.context : undefined;
    return isJsonObject(context) && typeof context.authorizationUrl === 'string' ? context.authorizationUrl : undefined;
  }
}
