import {
  type AuthInfo,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolErrorCode,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import { largestShare } from '../largest-share.ts';
import type { Endpoint } from './endpoint.ts';
import { followFilter, unfollowAll } from './follow-resources.ts';
import { type Audience, takeNewLists } from './pass-on-changes.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { Session } from './session.ts';

export const LISTEN_METHOD = 'subscriptions/listen';

/** How many clients may listen at once. */
const MOST_LISTENING = 1_024;

export interface ListenFaceOptions {
  readonly context: ProxyContext;
  /** The clients that are listening. */
  readonly open: Map<Audience, Session>;
  readonly createEndpoint: (session: Session) => Endpoint;
}

export interface ListenFace {
  fetch(request: Request, session: Session): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Clients of the newer revision that listen over HTTP. Each has its own handler, because each is notified only of the servers that it
 * may use, and of the resources that it named.
 */
export function createListenFace({ context, open, createEndpoint }: ListenFaceOptions): ListenFace {
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
    async fetch(request, session) {
      if (!makeRoom(session)) return refuse('Too many clients are listening already');
      const text = await request.text();
      await context.start.wait(context.waits.listMs);
      const body = await followBody(context, session, { text, signal: request.signal });
      session.plan = session.currentPlan();
      session.wasGreetedEarly = true;
      takeNewLists(context, session);
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
      const { method, url, headers, signal } = request;
      const authInfo: AuthInfo = { token: '', clientId: session.access.id ?? '', scopes: [] };
      const forwarded = new Request(url, { method, headers: withoutLength(headers), body, signal });
      try {
        return await handler.fetch(forwarded, { authInfo });
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

/** The request with the resources whose changes a server reports. What can't be parsed is left to the handler, which reports it. */
async function followBody(
  { hub }: ProxyContext,
  session: Session,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<string> {
  let message: Json;
  try {
    message = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  if (!isJsonObject(message) || !isJsonObject(message.params)) return text;
  const { filter, uris } = await followFilter(hub, session, { filter: message.params.notifications, signal });
  if (uris.length === 0 && filter === message.params.notifications) return text;
  return JSON.stringify({ ...message, params: { ...message.params, notifications: filter } });
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete('content-length');
  return kept;
}

function refuse(message: string): Response {
  const error = { code: ProtocolErrorCode.InternalError, message };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 503 });
}
