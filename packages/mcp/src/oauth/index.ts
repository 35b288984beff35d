export {
  createOAuthClient,
  type OAuthClient,
  type OAuthOptions,
  type SignInProvider,
} from './oauth-client.ts';
