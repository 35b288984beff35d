export type { SignInSettings } from './begin-sign-in.ts';
export {
  createOAuthClient,
  type OAuthClient,
  type OAuthOptions,
  type SignInWish,
  scopesToAskFor,
} from './oauth-client.ts';
export { noteToken } from './renew-tokens.ts';
export { signInError } from './sign-in-error.ts';
