import {
  type AuthInfo,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolErrorCode,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { defined } from '@quartermaster/core/internal';
import { largestShare } from '../largest-share.ts';
import type { Endpoint } from './endpoint.ts';
import { followWanted, unfollowAll } from './follow-resources.ts';
import { type Audience, takeNewLists } from './pass-on-changes.ts';
import type { Posted } from './read-message.ts';
import { refuse } from './read-message.ts';
import type { Session } from './session.ts';

export const LISTEN_METHOD = 'subscriptions/listen';

/** How many clients may listen at once. */
const MOST_LISTENING = 1_024;

export interface ListenFaceOptions {
  /** The clients that are listening. */
  readonly open: Map<Audience, Session>;
  readonly createEndpoint: (session: Session) => Endpoint;
}

export interface ListenFace {
  fetch(posted: Posted, session: Session): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Clients of the newer revision that listen over HTTP. Each has its own handler, because each is notified only of the servers that it
 * may use, and of the resources that it named.
 */
export function createListenFace({ open, createEndpoint }: ListenFaceOptions): ListenFace {
  /** Whose each is, the oldest first. */
  const handlers = new Map<McpHttpHandler, string | undefined>();
  /** One client that opens many loses its own, and keeps no one else out. */
  const makeRoom = (session: Session): boolean => {
    if (handlers.size < MOST_LISTENING) return true;
    const owner = largestShare(handlers.values());
    if (owner === session.access.id) return false;
    const [oldest] = [...handlers].find(([, one]) => one === owner) ?? [];
    void oldest?.close();
    return true;
  };
  return {
    async fetch({ request, body }, session) {
      const { start, waits } = session.proxy;
      if (!makeRoom(session)) return refuse(503, FULL, ProtocolErrorCode.InternalError);
      await start.wait(waits.listMs);
      const { message: parsedBody } = await followWanted(session, body.parsedBody, request.signal);
      session.plan = session.currentPlan();
      session.wasGreetedEarly = true;
      takeNewLists(session);
      let isListening = false;
      const end = (): void => {
        isListening = false;
        handlers.delete(handler);
        for (const [audience, one] of open) if (one === session) open.delete(audience);
        unfollowAll(session);
      };
      const bus: ServerEventBus = {
        publish: () => {},
        subscribe(listener) {
          isListening = true;
          open.set(audienceOf(listener), session);
          return end;
        },
      };
      const handler = createMcpHandler(() => createEndpoint(session), { bus });
      handlers.set(handler, session.access.id);
      const authInfo: AuthInfo = { token: '', clientId: session.access.id ?? '', scopes: [] };
      try {
        return await handler.fetch(request, { authInfo, ...defined({ parsedBody }) });
      } finally {
        // Refused, or nothing of what it asked for can be followed.
        if (!isListening) end();
      }
    },
    async close() {
      await Promise.all([...handlers.keys()].map((handler) => handler.close()));
    },
  };
}

function audienceOf(listener: (event: ServerEvent) => void): Audience {
  return {
    isListing: false,
    tellToolsChanged: () => listener({ kind: 'tools_list_changed' }),
    pass({ method, params }) {
      if (method === 'notifications/prompts/list_changed') listener({ kind: 'prompts_list_changed' });
      if (method === 'notifications/resources/list_changed') listener({ kind: 'resources_list_changed' });
      if (method === 'notifications/resources/updated') listener({ kind: 'resource_updated', uri: String(params.uri) });
    },
  };
}

const FULL = 'Too many clients are listening already';
