import type { SignInProvider } from './oauth-client.ts';

/**
 * A provider that uses and refreshes what is stored, and begins no sign-in: nobody would hear its end. Where the SDK would register
 * a client or send the user away, it is refused; and for a user who never signed in nothing is written.
 */
export function withoutSignIn(provider: SignInProvider, refuse: () => Error): SignInProvider {
  return {
    ...provider,
    authorizationUrl: undefined,
    state() {
      throw refuse();
    },
    async clientInformation(context) {
      const known = await provider.clientInformation(context);
      if (known === undefined) throw refuse();
      return known;
    },
    async saveDiscoveryState(discovery) {
      if ((await provider.tokens()) !== undefined) await provider.saveDiscoveryState?.(discovery);
    },
  };
}
