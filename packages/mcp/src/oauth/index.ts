export {
  createOAuthClient,
  type OAuthClient,
  type OAuthOptions,
  type SignInProvider,
} from './oauth-client.ts';
export { signInError } from './sign-in-error.ts';
