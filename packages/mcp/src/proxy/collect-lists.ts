import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { describeError } from '../errors.ts';
import type { ServerSummary } from '../hub/index.ts';
import type { Session } from './session.ts';

/** One entry of a list, and its server. */
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
/** Less than the minute after which most clients give up with nothing at all. */
const PATIENCE_MS = 45_000;

/** The servers that a session may ask, in the order of the configuration. */
export function serversWith({ hub, permissions }: Session, capability: string): readonly ServerSummary[] {
  const servers = hub.servers().filter(({ capabilities }) => capabilities[capability] !== undefined);
  return servers.filter(({ name }) => permissions.allowsServer(name));
}

/** Why entries of a server are missing from a list. */
export interface Missing {
  readonly server: string;
  readonly reason: string;
}

export interface CollectedList {
  readonly listed: readonly Listed[];
  readonly missing: readonly Missing[];
}

/**
 * A list of all servers, all pages. If a server fails or runs out of time, what it has listed until then counts, and the others are not
 * affected. What is missing is named.
 */
export async function collectLists(session: Session, question: ListQuestion): Promise<CollectedList> {
  const servers = serversWith(session, question.capability);
  const late = new AbortController();
  const cancel = session.clock.after(PATIENCE_MS, () => late.abort());
  const signal = AbortSignal.any([question.signal, late.signal]);
  const lists = await Promise.all(servers.map(({ name }) => listOne(session, { ...question, server: name, signal })));
  cancel();
  question.signal.throwIfAborted();
  const listed: Listed[] = [];
  const missing: Missing[] = [];
  for (const { server, found, reason } of lists) {
    const taken = found.slice(0, MOST_ITEMS - listed.length);
    listed.push(...taken);
    if (taken.length < found.length)
      missing.push({ server, reason: describeCut(`${MOST_ITEMS} entries of all servers`) });
    else if (reason !== undefined) missing.push({ server, reason });
  }
  return { listed, missing };
}

/** For a result: which servers have more than it contains. Empty if nothing is missing. */
export function describeMissing(missing: readonly Missing[]): JsonObject {
  if (missing.length === 0) return {};
  return { _meta: { 'quartermaster/incomplete': missing.map(({ server, reason }) => ({ server, reason })) } };
}

interface ServerList {
  readonly server: string;
  readonly found: readonly Listed[];
  /** Why the list is incomplete. */
  readonly reason?: string;
}

async function listOne(session: Session, question: ListQuestion & { readonly server: string }): Promise<ServerList> {
  const { server, method, key, signal } = question;
  const found: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    if (page >= MOST_PAGES) return { server, found, reason: describeCut(`${MOST_PAGES} pages`) };
    if (found.length >= MOST_ITEMS) return { server, found, reason: describeCut(`${MOST_ITEMS} entries`) };
    const params = cursor === undefined ? {} : { cursor };
    const answer = await session.read(server, { method, params, signal }).then(
      (result) => ({ result }),
      (error: unknown) => ({ reason: signal.aborted ? TOO_LATE : describeError(error) }),
    );
    if ('reason' in answer) return { server, found, reason: answer.reason };
    const { result } = answer;
    const items = Array.isArray(result[key]) ? result[key] : [];
    for (const item of items) if (isJsonObject(item)) found.push({ server, item });
    if (typeof result.nextCursor !== 'string') return { server, found };
    if (result.nextCursor === cursor) return { server, found, reason: 'it returned the same page twice' };
    cursor = result.nextCursor;
  }
}

function describeCut(after: string): string {
  return `its list was cut off after ${after}`;
}

const TOO_LATE = 'it was not done in time';
