import type { Plan } from '@quartermaster/core';
import type { ServerNotification } from '../hub/index.ts';
import { serversWith } from './collect-lists.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { Session } from './session.ts';

/** A client that is notified of changes while it is connected, or listens. */
export interface Audience {
  /** Whether its lists are read here: a client that was notified of an outdated list is notified again only after it has listed. */
  readonly isListing: boolean;
  tellToolsChanged(): void;
  /** A server's notification on a connection that several clients share. */
  pass(notification: Pick<ServerNotification, 'method' | 'params'>): void;
}

/** Several changes of the catalog in quick succession count as one. */
const SETTLE_MS = 50;

/** Forwards a server's notification to every client that may use it. */
const FOR_ALL: ReadonlySet<string> = new Set([
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

/** Notifies clients when what they see has changed, and prepares their searches for what is new. */
export function passOnChanges(context: ProxyContext, open: ReadonlyMap<Audience, Session>): () => void {
  let cancel: (() => void) | undefined;
  let isOver = false;
  const look = (): void => {
    cancel = undefined;
    const reading = context.readCatalog();
    if (reading !== undefined) return void reading.then(look, look);
    if (isOver) return;
    for (const [audience, session] of open) {
      for (const kind of takeNewLists(session))
        audience.pass({ method: `notifications/${kind}/list_changed`, params: {} });
      const before = session.plan;
      if (before === undefined || session.isToldToList) continue;
      const now = session.currentPlan();
      context.toolbox.prepare(now);
      if (!needsRelist(before, now)) continue;
      // Notified once. Until it lists again, and some clients never do, the comparison is with what it was shown last.
      if (audience.isListing) session.isToldToList = true;
      else session.plan = now;
      audience.tellToolsChanged();
    }
  };
  const unsubscribe = context.hub.subscribe((event) => {
    if (open.size === 0) return;
    if (event.kind === 'server-change') cancel ??= context.clock.after(SETTLE_MS, look);
    if (event.kind !== 'server-notification' || !FOR_ALL.has(event.notification.method)) return;
    for (const [audience, session] of open)
      if (concerns(session, event.notification)) audience.pass(event.notification);
  });
  return () => {
    isOver = true;
    cancel?.();
    unsubscribe();
  };
}

/** Which lists have servers that were not ready when the client received its capabilities. Each is reported once. */
export function takeNewLists(session: Session): readonly ('prompts' | 'resources')[] {
  if (!session.wasGreetedEarly) return [];
  return (['prompts', 'resources'] as const).filter((kind) => noteListed(session, kind));
}

/** Notes that the client knows the current list of a kind. Returns whether that is new. */
export function noteListed(session: Session, kind: 'prompts' | 'resources'): boolean {
  const servers = serversWith(session, kind)
    .map(({ name }) => name)
    .join('\n');
  const isNew = servers !== session.listed[kind];
  session.listed[kind] = servers;
  return isNew;
}

/** A client with its own connection to the server is notified there. */
function concerns(session: Session, { server, user, method, params }: ServerNotification): boolean {
  const { hub, peer, access, permissions, followed } = session;
  if (!permissions.allowsServer(server) || (user !== '' && user !== access.user)) return false;
  if (method === 'notifications/resources/updated') return followed.get(String(params.uri))?.server === server;
  return peer === undefined || hub.connections(peer).every((connection) => connection.server !== server);
}

/**
 * Whether a client should list its tools again. Tools that come and go behind the search change nothing that it sees, and a new
 * list would invalidate its prompt cache: those are reported in answers.
 */
function needsRelist(before: Plan, after: Plan): boolean {
  if (before === after) return false;
  if (before.kind !== after.kind) return true;
  return visible(before) !== visible(after);
}

function visible(plan: Plan): string {
  const own = plan.kind === 'defer' ? plan.own.map((one) => one.name) : [];
  return JSON.stringify([own, plan.shown.map(({ name, description, schema }) => [name, description, schema])]);
}
