export {
  createOAuthClient,
  type OAuthClient,
  type OAuthOptions,
  type SignInWish,
  scopesToAskFor,
} from './oauth-client.ts';
export { noteToken } from './refused-token.ts';
export { signInError } from './sign-in-error.ts';
export type { SignInSettings } from './sign-in-settings.ts';
