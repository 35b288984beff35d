import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { askInTurn } from './ask-in-turn.ts';
import { serversWith } from './collect-lists.ts';
import { listResources, ownerFirst } from './serve-resources.ts';
import type { Session } from './session.ts';

/** How many resources one client may follow. */
const MOST_FOLLOWED = 1_000;

/**
 * Makes the server of a resource notify this client of changes, whatever revisions the two speak. The server is the one that listed it,
 * or else the first that accepts.
 */
export async function followResource(session: Session, uri: unknown, signal: AbortSignal): Promise<void> {
  if (typeof uri !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'A subscription needs a uri');
  await findOwners(session, [uri], signal);
  await follow(session, uri, signal);
}

/** Lists the resources if their server is not known: servers of the newer revision accept any resource. */
async function findOwners(session: Session, uris: readonly string[], signal: AbortSignal): Promise<void> {
  const isKnown = (uri: string): boolean => session.followed.has(uri) || session.resourceOwners.has(uri);
  if (serversToFollow(session).length > 1 && !uris.every(isKnown)) await listResources(session, { signal });
}

function serversToFollow(session: Session): readonly string[] {
  return serversWith(session, 'resources')
    .filter(({ capabilities: { resources } }) => isJsonObject(resources) && resources.subscribe === true)
    .map(({ name }) => name);
}

async function follow(session: Session, uri: string, signal: AbortSignal): Promise<void> {
  const known = session.followed.get(uri);
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  if (session.followed.size >= MOST_FOLLOWED) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No more than ${MOST_FOLLOWED} resources can be followed`);
  }
  const { order, isFirstSure } = ownerFirst(session, uri, serversToFollow(session));
  const asks = order.map((server) => async (asking: AbortSignal) => {
    const release = await session.hub.follow({ server, uri, origin: session.origin });
    // Another has accepted in the meantime.
    if (asking.aborted) release();
    return { server, release };
  });
  const followed = await askInTurn(asks, { clock: session.clock, signal, isFirstSure });
  if (followed === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No server reports changes to ${uri.slice(0, 200)}`);
  }
  const meanwhile = session.followed.get(uri);
  if (meanwhile === undefined) {
    session.followed.set(uri, { ...followed, count: 1 });
    return;
  }
  meanwhile.count += 1;
  followed.release();
}

export function unfollowResource(session: Session, uri: unknown): void {
  const followed = typeof uri === 'string' ? session.followed.get(uri) : undefined;
  if (followed === undefined || typeof uri !== 'string') return;
  followed.count -= 1;
  if (followed.count > 0) return;
  session.followed.delete(uri);
  followed.release();
}

export function unfollowAll(session: Session): void {
  for (const { release } of session.followed.values()) release();
  session.followed.clear();
}

/**
 * Follows what a client wants to listen to. Resolves to its message without the resources that can't be followed; any other message
 * stays as it is, for the handler to report.
 */
export async function followWanted<Message>(
  session: Session,
  message: Message,
  signal: AbortSignal,
): Promise<{ readonly message: Message; readonly uris: readonly string[] }> {
  const params = isJsonObject(message) ? message.params : undefined;
  const filter = isJsonObject(params) ? params.notifications : undefined;
  if (!isJsonObject(filter) || !Array.isArray(filter.resourceSubscriptions)) return { message, uris: [] };
  const named = [...new Set(filter.resourceSubscriptions)].filter((uri) => typeof uri === 'string');
  const wanted = named.slice(0, MOST_FOLLOWED);
  if (wanted.length > 0) await findOwners(session, wanted, signal).catch(() => {});
  const uris: string[] = [];
  for (const uri of wanted) {
    const isFollowed = await follow(session, uri, signal).then(
      () => true,
      () => false,
    );
    if (isFollowed) uris.push(uri);
  }
  const notifications = { ...filter, resourceSubscriptions: uris };
  return { message: { ...message, params: { ...(params as JsonObject), notifications } }, uris };
}
