import { isJsonObject, type JsonObject } from '@quartermaster/core';
import type { Hub, ServerSummary } from '../hub/index.ts';
import type { Session } from './session.ts';

/** One entry of a list, and the server that it is from. */
export interface Listed {
  readonly server: string;
  readonly item: JsonObject;
}

export interface ListQuestion {
  readonly method: string;
  /** The key of the entries in a result. */
  readonly key: string;
  /** The capability that a server needs to be asked. */
  readonly capability: string;
  readonly signal: AbortSignal;
}

const MOST_PAGES = 50;
const MOST_ITEMS = 10_000;
/** Shorter than the minute after which most clients give up, and have nothing from anybody. */
const PATIENCE_MS = 45_000;

/** The servers that a session may ask for something, in the order of the configuration. */
export function serversWith(hub: Hub, session: Session, capability: string): readonly ServerSummary[] {
  return hub
    .servers()
    .filter(
      ({ name, capabilities }) => capabilities[capability] !== undefined && session.permissions.allowsServer(name),
    );
}

/**
 * A list of all servers, all pages. A server that fails, or is not done in time, has listed what it has until then; the others are not
 * made to suffer for it.
 */
export async function collectLists(hub: Hub, session: Session, question: ListQuestion): Promise<readonly Listed[]> {
  const servers = serversWith(hub, session, question.capability);
  const late = new AbortController();
  const cancel = session.clock.after(PATIENCE_MS, () => late.abort());
  const signal = AbortSignal.any([question.signal, late.signal]);
  const lists = await Promise.all(
    servers.map(({ name }) => listOne(hub, session, { ...question, server: name, signal })),
  );
  cancel();
  question.signal.throwIfAborted();
  return lists.flat().slice(0, MOST_ITEMS);
}

async function listOne(
  hub: Hub,
  session: Session,
  question: ListQuestion & { readonly server: string },
): Promise<readonly Listed[]> {
  const { server, method, key, signal } = question;
  const found: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < MOST_ITEMS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const origin = session.readingOrigin(server);
    const result = await hub.request({ server, method, params, origin, signal }).catch(() => undefined);
    if (result === undefined) break;
    const items = Array.isArray(result[key]) ? result[key] : [];
    for (const item of items) if (isJsonObject(item)) found.push({ server, item });
    if (typeof result.nextCursor !== 'string' || result.nextCursor === cursor) break;
    cursor = result.nextCursor;
  }
  return found;
}
