import type {
  OAuthClientMetadata,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { TokenOwner, TokenStore } from '../store/index.ts';
import type { SignInProvider } from './oauth-client.ts';

export interface StoredProviderOptions {
  readonly owner: TokenOwner;
  readonly tokens: TokenStore;
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  /** Makes a state, and remembers whose it is. */
  readonly beginState: () => Promise<string>;
}

/** All that the SDK wants kept for one user at one server. */
interface Kept {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly verifier?: string;
  readonly discovery?: OAuthDiscoveryState;
}

/** The SDK's provider over the token store. */
export function createStoredProvider(options: StoredProviderOptions): SignInProvider {
  const { owner, tokens, redirectUrl, clientMetadata, beginState } = options;
  let authorizationUrl: string | undefined;
  const read = async (): Promise<Kept> => {
    const value: unknown = JSON.parse((await tokens.get(owner)) ?? '{}');
    // Nobody but us wrote it.
    return isJsonObject(value) ? (value as Kept) : {};
  };
  const keep = async (more: Kept): Promise<void> => tokens.put(owner, JSON.stringify({ ...(await read()), ...more }));
  return {
    redirectUrl,
    clientMetadata,
    get authorizationUrl() {
      return authorizationUrl;
    },
    state: beginState,
    clientInformation: async () => (await read()).client,
    saveClientInformation: (client) => keep({ client }),
    tokens: async () => (await read()).tokens,
    saveTokens: (value) => keep({ tokens: value }),
    redirectToAuthorization: (url) => {
      authorizationUrl = url.href;
    },
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: async () => (await read()).verifier ?? '',
    saveDiscoveryState: (discovery) => keep({ discovery }),
    discoveryState: async () => (await read()).discovery,
    async invalidateCredentials(scope) {
      if (scope === 'all') return tokens.delete(owner);
      const { [scope]: _, ...rest } = await read();
      return tokens.put(owner, JSON.stringify(rest));
    },
  };
}
