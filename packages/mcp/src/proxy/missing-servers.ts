import type { JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../errors.ts';
import type { ServerStatus } from '../hub/index.ts';
import { askToSignIn } from './ask-to-sign-in.ts';
import type { RunningRequest, Session } from './session.ts';
import { textResult } from './to-result.ts';

export interface MissingQuestion {
  /** The tools that a call names. */
  readonly names: readonly string[];
  readonly running: RunningRequest;
  readonly signal: AbortSignal;
}

/**
 * The answer to a call of a tool whose server has not listed its tools: the reason, rather than that the tool does not exist. If the
 * server needs a sign-in and the client can open one, that comes first. Undefined if the call can be made.
 */
export async function answerForMissing(
  session: Session,
  { names, running, signal }: MissingQuestion,
): Promise<JsonObject | undefined> {
  const { hub } = session;
  for (const name of names) {
    if (hub.snapshot().resolve(name) !== undefined) continue;
    const servers = hub.status();
    const held = whyHeldBack(servers, session, name);
    if (held !== undefined) return textResult([`Tool ${JSON.stringify(name)} can't be called now: ${held}`], true);
    const status = servers.find(
      (one) => one.tools === 0 && session.permissions.allowsServer(one.name) && name.startsWith(namePrefix(one.name)),
    );
    if (status?.reason === undefined) continue;
    const { name: server, reason } = status;
    if (status.needsSignIn === true) {
      const error = new McpError('authorization_required', reason, { context: { server } });
      const answer = await askToSignIn({ session, running, server, error, signal });
      if (answer === 'again') continue;
      if (answer !== 'impossible') return answer;
    }
    const page = status.needsSignIn === true ? session.access.signInPage?.(server) : undefined;
    const advice = page === undefined ? (ADVICE[status.state] ?? '') : `The user signs in at ${page}`;
    const message = `Tool ${JSON.stringify(name)} can't be called now: server "${server}" has not listed its tools yet (${reason}). ${advice}`;
    return textResult([message.trim()], true);
  }
  return undefined;
}

/** Why a tool that its server has is not available. */
function whyHeldBack(servers: readonly ServerStatus[], session: Session, name: string): string | undefined {
  for (const { name: server, held, suspicions } of servers) {
    if (!name.startsWith(namePrefix(server)) || !session.permissions.allowsServer(server)) continue;
    const own = name.slice(namePrefix(server).length);
    // A tool that the client may not use does not exist for it.
    if (!session.permissions.allowsTool({ server, name: own })) continue;
    const change = held.find(({ after }) => after.name === own);
    if (change !== undefined) {
      const what = change.isNew === true ? 'it is new' : 'its definition has changed';
      return `${what}, and the user has not accepted it yet (quartermaster mcp accept).`;
    }
    const suspicion = suspicions.find(({ tool }) => tool === `${server}/${own}`);
    if (suspicion !== undefined) return `it is withheld, because its definition is suspicious (${suspicion.kind}).`;
  }
  return undefined;
}

/** The prefix of the names of a server's tools. */
export function namePrefix(server: string): string {
  return `${server.replace(/[^\w-]/g, '_')}__`;
}

const ADVICE: Readonly<Record<string, string>> = {
  idle: 'Try again in a moment.',
  connecting: 'Try again in a moment.',
};
