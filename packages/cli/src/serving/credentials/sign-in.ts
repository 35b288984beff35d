import type { RemoteServerSettings } from '@quartermaster/host/config';
import type { Store } from '@quartermaster/host/store';
import { createHub, createMemoryTokenStore, createOAuthClient, type Hub, McpError } from '@quartermaster/mcp';
import { UnavailableError } from '../../input-error.ts';
import { oneLine } from '../../terminal/index.ts';
import { type Callback, listenForCallback } from './callback-listener.ts';

export interface SignInOptions {
  readonly server: string;
  readonly settings: RemoteServerSettings;
  /** The port of the redirect address; 0 takes any free one. */
  readonly port: number;
  /** How long the user may take. */
  readonly timeoutMs: number;
  /** Stores the server's listing, so that its tools can be searched before the first connection. @default not stored */
  readonly store?: Pick<Store, 'listings' | 'pins'>;
  /** Shows the user where to sign in. */
  readonly onAddress: (url: string) => void;
}

export type SignInOutcome =
  /** The server requires no sign-in. */
  | { readonly kind: 'not-needed'; readonly tools: number }
  /** What to store for the user: the client's registration and the tokens. */
  | { readonly kind: 'signed-in'; readonly kept: string; readonly tools: number };

/**
 * Signs a user in to a server, with a separate client, because a registration is valid for one redirect address. The caller stores
 * the tokens once it has worked: a failed sign-in leaves the previous one as it was.
 */
export async function signIn(options: SignInOptions): Promise<SignInOutcome> {
  const { server, settings } = options;
  const listener = await listenForCallback(options.port);
  const tokens = createMemoryTokenStore();
  const oauth = createOAuthClient({ tokens, redirectUrl: listener.url });
  const hub = createHub({
    servers: { [server]: { ...settings, disabled: false, oauth: settings.oauth || true } },
    oauth,
    ...(options.store === undefined ? {} : { listings: options.store.listings, pins: options.store.pins }),
  });
  try {
    const address = await beginSignIn(hub, server);
    if (address === undefined) {
      await hub.start();
      return { kind: 'not-needed', tools: hub.snapshot().tools.length };
    }
    options.onAddress(address);
    const state = new URL(address).searchParams.get('state') ?? '';
    const signal = AbortSignal.timeout(options.timeoutMs);
    const callback = await listener.wait(state, signal).catch(() => {
      throw new UnavailableError(
        `No one signed in within ${options.timeoutMs / 60_000} minutes; run the command again`,
      );
    });
    await finishSignIn(hub, callback);
    const kept = await tokens.get({ user: '', server });
    if (kept === undefined)
      throw new UnavailableError(`The sign-in at ${JSON.stringify(server)} returned no tokens; try again`);
    return { kind: 'signed-in', kept, tools: hub.snapshot().tools.length };
  } finally {
    await hub.close();
    await listener.close();
  }
}

/** The address to open. Undefined if the user is already signed in. */
async function beginSignIn(hub: Hub, server: string): Promise<string | undefined> {
  try {
    await hub.connect(server);
    return undefined;
  } catch (error) {
    const url = error instanceof McpError ? error.context.authorizationUrl : undefined;
    if (typeof url === 'string') return url;
    throw explain(error);
  }
}

async function finishSignIn(hub: Hub, callback: Callback): Promise<void> {
  try {
    await hub.finishSignIn(callback.params);
    callback.reply('You are signed in. You can close this window.', false);
  } catch (error) {
    callback.reply('The sign-in failed; the terminal says why.', true);
    throw explain(error);
  }
}

/** A server's own reason may contain control characters for the terminal. */
function explain(error: unknown): UnavailableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UnavailableError(oneLine(reason, MOST_CHARACTERS), { cause: error });
}

const MOST_CHARACTERS = 500;
