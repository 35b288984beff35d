import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../errors.ts';
import { capabilitiesIn, SIGN_IN_KEY } from './client-request.ts';
import type { RunningRequest, Session } from './session.ts';

export interface SignInQuestion {
  readonly session: Session;
  /** The request that the server refused. */
  readonly running: RunningRequest;
  readonly server: string;
  /** The refusal that the user can resolve by signing in. */
  readonly error: McpError;
  readonly signal: AbortSignal;
}

/** `again`: the user has signed in. A result is for the client, which then repeats the call. */
export type SignInAnswer = 'again' | 'impossible' | JsonObject;

/** How long a user may take. */
const PATIENCE_MS = 5 * 60_000;
/** How long one request waits for them: less than the minute after which most clients give up. */
const REQUEST_PATIENCE_MS = 45_000;

export function asksForSignIn(error: unknown): error is McpError {
  return error instanceof McpError && error.code === 'authorization_required';
}

/** Sends the user to sign in, if the client can open an address for them, and waits until they have. */
export function askToSignIn(question: SignInQuestion): Promise<SignInAnswer> {
  const { session, server, running } = question;
  return session.during(server, running, () => ask(question));
}

async function ask(question: SignInQuestion): Promise<SignInAnswer> {
  const { session, running, server, error, signal } = question;
  const { context } = running;
  const capabilities = session.peer?.capabilities ?? capabilitiesIn(context);
  const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined;
  if (!isJsonObject(elicitation) || elicitation.url === undefined) return 'impossible';
  const url = await addressFor(question);
  if (url === undefined) return 'impossible';
  const message = `${error.message.split(';')[0]}. Open the URL to do so; the call then continues.`;
  const params = { mode: 'url', message, url };
  // A stateless client is asked in the result.
  if (session.peer === undefined) {
    const answer: unknown = context.mcpReq.inputResponses?.[SIGN_IN_KEY];
    if (answer !== undefined) return waitForAnswered(question, answer);
    return { resultType: 'input_required', inputRequests: { [SIGN_IN_KEY]: { method: 'elicitation/create', params } } };
  }
  const patience = new AbortController();
  const cancel = session.clock.after(PATIENCE_MS, () => patience.abort(new Error('No one signed in in time')));
  const asking = AbortSignal.any([signal, patience.signal]);
  const { user } = session.access;
  try {
    const elicitationId = randomUUID();
    const signedIn = session.hub.untilSignedIn(server, { user, signal: asking });
    signedIn.catch(() => {});
    const isModern = context.mcpReq.envelope !== undefined;
    const asked = isModern ? params : { ...params, elicitationId };
    const answer = await session.peer.request(
      { server, method: 'elicitation/create', params: asked },
      { signal: asking },
    );
    if (answer.action !== 'accept') throw declined(error);
    await signedIn;
    if (!isModern) {
      session.peer.notify({ server, method: 'notifications/elicitation/complete', params: { elicitationId } });
    }
    return 'again';
  } finally {
    cancel();
    patience.abort();
  }
}

/** The user agreed to open the address, and may still be there. If they don't finish in time, the next attempt says so. */
async function waitForAnswered({ session, server, error, signal }: SignInQuestion, answer: unknown): Promise<'again'> {
  if (!isJsonObject(answer) || answer.action !== 'accept') throw declined(error);
  const { user } = session.access;
  const late = new AbortController();
  const cancel = session.clock.after(REQUEST_PATIENCE_MS, () => late.abort());
  await session.hub.untilSignedIn(server, { user, signal: AbortSignal.any([signal, late.signal]) }).catch(() => {});
  cancel();
  signal.throwIfAborted();
  return 'again';
}

/**
 * The client of a single user is sent to the authorization server itself. With several users, each is sent to the gateway's own page
 * to identify themselves: an address made for one must not sign in another.
 */
async function addressFor({ session, server, error }: SignInQuestion): Promise<string | undefined> {
  const { signInPage, user } = session.access;
  if (signInPage !== undefined) return signInPage(server);
  if (!session.isSole) return undefined;
  const known = error.context.authorizationUrl;
  return typeof known === 'string' ? known : session.hub.beginSignIn(server, user).catch(() => undefined);
}

function declined({ message, context }: McpError): McpError {
  return new McpError('authorization_required', `${message.split(';')[0]}, and the user declined to`, { context });
}
