import { InsufficientScopeError } from '@modelcontextprotocol/client';
import type { OAuthClient, SignInSettings } from '../oauth/index.ts';
import type { TokenOwner } from '../store/index.ts';
import type { ServerSettings } from './server-settings.ts';

/** How users sign in to a server. Undefined if they don't. */
export function signInSettings(settings: ServerSettings): SignInSettings | undefined {
  if (!('url' in settings)) return undefined;
  const { oauth, url } = settings;
  if (oauth === undefined || oauth === false) return undefined;
  return { serverUrl: url, ...(oauth === true ? {} : oauth) };
}

export interface StepUp {
  readonly oauth: OAuthClient | undefined;
  readonly owner: TokenOwner;
  readonly settings: ServerSettings;
}

/** Turns a refusal for missing scopes into an error that says where to sign in again; returns any other error unchanged. */
export async function withStepUp(error: unknown, { oauth, owner, settings }: StepUp): Promise<unknown> {
  const refusal = findRefusal(error);
  const signIn = signInSettings(settings);
  if (refusal === undefined || oauth === undefined || signIn === undefined) return error;
  return oauth.stepUp(owner, signIn, refusal);
}

function findRefusal(error: unknown, depth = 0): InsufficientScopeError | undefined {
  if (error instanceof InsufficientScopeError) return error;
  if (!(error instanceof Error) || depth >= MOST_CAUSES) return undefined;
  return findRefusal(error.cause, depth + 1);
}

const MOST_CAUSES = 5;
