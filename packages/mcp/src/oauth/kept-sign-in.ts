import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Clock } from '@quartermaster/core/internal';
import { ownerKey, type TokenOwner, type TokenStore } from '../store/index.ts';

/** What is stored for one user at one server. */
export interface KeptSignIn {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
  /** The server that the tokens are for: they are never sent to another address, whatever its name in the settings. */
  readonly serverUrl?: string;
  /** The redirect address that the client is registered with. */
  readonly redirectUrl?: string;
  /** Distinguishes one sign-in from the next. */
  readonly mark?: string;
  /** The requested scopes. A token response does not have to name the granted ones. */
  readonly scope?: string;
}

export interface KeptSignIns {
  read(owner: TokenOwner): Promise<KeptSignIn>;
  /** Never loses a value: if the store fails, this process continues with it and retries later. */
  write(owner: TokenOwner, kept: KeptSignIn): Promise<void>;
}

/** Pauses between attempts to store values that can't be requested again. */
const RETRY_MS = [100, 500];

/** The sign-ins in a token store. */
export function createKeptSignIns(tokens: TokenStore, clock: Clock): KeptSignIns {
  const unsaved = new Map<string, KeptSignIn>();
  const put = (owner: TokenOwner, kept: KeptSignIn): Promise<boolean> =>
    tokens.put(owner, JSON.stringify(kept)).then(
      () => true,
      () => false,
    );
  return {
    async read(owner) {
      const held = unsaved.get(ownerKey(owner));
      if (held !== undefined) {
        if (await put(owner, held)) unsaved.delete(ownerKey(owner));
        return held;
      }
      const value: unknown = JSON.parse((await tokens.get(owner)) ?? '{}');
      // Only we write it.
      return isJsonObject(value) ? (value as KeptSignIn) : {};
    },
    async write(owner, kept) {
      unsaved.set(ownerKey(owner), kept);
      for (const pauseMs of [0, ...RETRY_MS]) {
        if (pauseMs > 0) await pause(clock, pauseMs);
        if (!(await put(owner, kept))) continue;
        unsaved.delete(ownerKey(owner));
        return;
      }
    },
  };
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
