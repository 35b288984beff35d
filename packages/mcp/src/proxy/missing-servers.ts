import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../errors.ts';
import type { Hub, ServerStatus } from '../hub/index.ts';
import { askToSignIn } from './ask-to-sign-in.ts';
import type { RunningRequest, Session } from './session.ts';
import { textResult } from './to-result.ts';

interface MissingQuestion {
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
function namePrefix(server: string): string {
  return `${server.replace(/[^\w-]/g, '_')}__`;
}

const ADVICE: Readonly<Record<string, string>> = {
  idle: 'Try again in a moment.',
  connecting: 'Try again in a moment.',
};

/**
 * Waits for what a call needs from servers that start for the first time. A search waits for all of them, but not long;
 * any other call waits only for the server that has its tool.
 */
export async function waitForTools(session: Session, params: JsonObject): Promise<void> {
  const { hub } = session;
  const { start, waits } = session.proxy;
  if (start.isSettled) return;
  const names = toolsNamed(session, params);
  if (names === undefined) return start.wait(waits.listMs);
  return start.wait(waits.callMs, () =>
    names.every((name) => hub.snapshot().resolve(name) !== undefined || !mayCome(hub, name)),
  );
}

/** Whether a server that is still starting may bring a tool of this name. Models sometimes leave out the server's name. */
function mayCome(hub: Hub, name: string): boolean {
  if (!name.includes('__')) return true;
  // Connected comes before listed. A server whose tools are all held back has listed them.
  const starting = hub
    .status()
    .filter(({ state, tools, held }) => tools === 0 && held.length === 0 && state !== 'down');
  return starting.some((server) => name.startsWith(namePrefix(server.name).slice(0, KEPT_OF_A_PREFIX)));
}

/** Long names are cut, but never this short. */
const KEPT_OF_A_PREFIX = 16;

/** The real tools that a call names; undefined for a search. */
export function toolsNamed(session: Session, { name, arguments: input }: JsonObject): readonly string[] | undefined {
  if (typeof name !== 'string') return undefined;
  const plan = session.plan ?? session.currentPlan();
  const role = plan.kind === 'defer' ? plan.own.find((own) => own.name === name.trim())?.role : undefined;
  if (role === undefined) return [name];
  if (role === 'search' || !isJsonObject(input)) return undefined;
  const calls = Array.isArray(input.calls) ? input.calls : [];
  const names = [input.name, input.names, ...calls.map((call) => (isJsonObject(call) ? call.name : undefined))].flat();
  const known = names.filter((one) => typeof one === 'string');
  return known.length === 0 ? undefined : known;
}
