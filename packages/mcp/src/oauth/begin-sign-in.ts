import {
  auth,
  type FetchLike,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { McpError } from '../errors.ts';
import type { TokenOwner } from '../store/index.ts';
import type { KeptSignIn } from './kept-sign-in.ts';

/** How users sign in at one server. */
export interface SignInSettings {
  readonly serverUrl: string;
  /** The client that the server's operator registered for us. @default one is registered, or a metadata document names it */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The address of a client metadata document, for authorization servers that read such documents. */
  readonly clientMetadataUrl?: string | undefined;
  /** Requested in addition to the scopes that the server names. */
  readonly scopes?: readonly string[] | undefined;
}

/** A sign-in between its start and its callback. Kept apart from the user's tokens, so that a failed one changes nothing. */
export interface PendingSignIn {
  readonly owner: TokenOwner;
  readonly serverUrl: string;
  readonly redirectUrl: string;
  readonly client: StoredOAuthClientInformation;
  readonly discovery: OAuthDiscoveryState;
  readonly verifier: string;
  readonly scope?: string;
}

interface Beginning {
  readonly owner: TokenOwner;
  readonly settings: SignInSettings;
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly state: string;
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  /** What the user has from an earlier sign-in. */
  readonly before: KeptSignIn;
  readonly fetch: FetchLike;
}

/** Finds the authorization server, gets a client there, and creates the address for the user. */
export async function beginSignIn(
  beginning: Beginning,
): Promise<{ readonly pending: PendingSignIn; readonly authorizationUrl: string }> {
  const { owner, settings, redirectUrl, clientMetadata, state, scope, resourceMetadataUrl, fetch } = beginning;
  let client: StoredOAuthClientInformation | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let verifier = '';
  let authorizationUrl = '';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata,
    ...defined({ clientMetadataUrl: settings.clientMetadataUrl }),
    state: () => state,
    clientInformation: () => client ?? knownClient(beginning),
    saveClientInformation: (value) => {
      client = value;
    },
    // The authorization server may have changed since the last time.
    discoveryState: () => undefined,
    saveDiscoveryState: (value) => {
      discovery = value;
    },
    tokens: () => undefined,
    saveTokens: () => {},
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    redirectToAuthorization: (url) => {
      authorizationUrl = url.href;
    },
  };
  const options = { serverUrl: settings.serverUrl, forceReauthorization: true, fetchFn: fetch };
  await auth(provider, { ...options, ...defined({ scope, resourceMetadataUrl }) });
  const used = client ?? knownClient(beginning);
  if (used === undefined || discovery === undefined) throw new Error('The sign-in has no client');
  const asked = new URL(authorizationUrl).searchParams.get('scope') ?? undefined;
  const pending = { owner, serverUrl: settings.serverUrl, redirectUrl, client: used, discovery, verifier };
  return { pending: { ...pending, ...defined({ scope: asked }) }, authorizationUrl };
}

/** The client in the settings, or the one registered with the same redirect address. */
function knownClient({ settings, redirectUrl, before }: Beginning): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret } = settings;
  if (clientId === undefined) {
    const isOwn = before.client?.client_id !== settings.clientMetadataUrl;
    return isOwn && before.redirectUrl === redirectUrl ? before.client : undefined;
  }
  // Its secret is sent only to the authorization server that it was first used at.
  const issuer = before.client?.client_id === clientId ? before.client.issuer : undefined;
  return { client_id: clientId, ...defined({ client_secret: clientSecret, issuer }) };
}

/** Exchanges the code at the authorization server. */
export async function exchangeCode(
  pending: PendingSignIn,
  callback: { readonly code: string; readonly iss: string | undefined; readonly fetch: FetchLike },
): Promise<KeptSignIn> {
  const { owner, verifier, ...rest } = pending;
  const { client, discovery, redirectUrl, serverUrl, scope } = rest;
  let kept: KeptSignIn | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: () => client,
    saveClientInformation: () => {},
    discoveryState: () => discovery,
    saveDiscoveryState: () => {},
    tokens: () => undefined,
    saveTokens: (tokens) => {
      kept = { ...rest, tokens };
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => verifier,
    redirectToAuthorization: () => {},
    // The SDK would retry with the same code.
    invalidateCredentials: () => {
      const { server } = owner;
      const message = `The sign-in at server "${server}" failed: its authorization server did not accept the code`;
      throw new McpError('authorization_required', message, { context: { server } });
    },
  };
  const { code, iss, fetch } = callback;
  await auth(provider, { serverUrl, authorizationCode: code, fetchFn: fetch, ...defined({ iss, scope }) });
  if (kept === undefined) throw new Error('The authorization server gave no tokens');
  return kept;
}

/** Only we write it. */
export function isPending(value: unknown): value is PendingSignIn {
  return isJsonObject(value) && isJsonObject(value.owner) && typeof value.verifier === 'string';
}
