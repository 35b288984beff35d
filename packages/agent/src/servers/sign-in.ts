import { isJsonObject } from '@quartermaster/core/catalog';
import { checkOptionNames, type OptionNames, untilAborted } from '@quartermaster/core/internal';
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
  /** Where authorization servers send the user back to. */
  readonly redirectUrl: string;
  /**
   * Sends the user to `authorizationUrl`, and resolves to the address that they were sent back to, with its `code` and `state`.
   * Rejects where the user does not want to: the server is `needs-auth` then.
   */
  readonly authorize: (
    authorizationUrl: string,
    about: { readonly server: string; readonly signal: AbortSignal },
  ) => Promise<string | URL>;
  /** Where tokens are kept. @default in memory, for this query */
  readonly tokens?: TokenStore;
}

const SIGN_IN: OptionNames<SignIn> = { redirectUrl: true, authorize: true, tokens: true };

/** Throws a `SettingError` for a field that has no effect. */
export function checkSignIn(signIn: SignIn): void {
  checkOptionNames('signIn', signIn, SIGN_IN);
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

/** Signs in to a server that asks for it. A sign-in that fails leaves the server as it is; only an aborted query throws. */
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

/** Where to sign in is told by the refusal of whatever needs it. */
async function authorizationUrlOf(hub: Hub, server: string): Promise<string | undefined> {
  try {
    await hub.connect(server);
    return undefined;
  } catch (error) {
    const context = error instanceof McpError ? error.context : undefined;
    return isJsonObject(context) && typeof context.authorizationUrl === 'string' ? context.authorizationUrl : undefined;
  }
}
