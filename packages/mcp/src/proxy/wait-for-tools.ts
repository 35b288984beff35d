import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Hub } from '../hub/index.ts';
import { namePrefix } from './missing-servers.ts';
import type { Session } from './session.ts';

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
