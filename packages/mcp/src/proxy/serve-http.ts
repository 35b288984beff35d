import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type Clock, checkOptionNames, cutText } from '@quartermaster/core/internal';
import { largestShare } from '../largest-share.ts';
import { boundBacklog } from './bound-backlog.ts';
import type { Endpoint } from './endpoint.ts';
import { createKeptEvents } from './kept-events.ts';
import type { Access } from './mcp-proxy.ts';
import { SERVED_METHODS } from './methods.ts';
import { type CompiledPermissions, compilePermissions } from './permissions.ts';
import { type MessageLimits, type Posted, readMessage, refuse } from './read-message.ts';
import { LISTEN_METHOD } from './serve-listening.ts';

/** How many sessions are kept, and for how long. */
export interface SessionLimits {
  /** How many at once; of the client that has the most, the one that was idle longest makes way. @default 1_000 */
  readonly max?: number;
  /** How long one may be idle. @default 30 minutes */
  readonly idleMs?: number;
}

/** The default limits of sessions. */
export const SESSION_DEFAULTS: Required<SessionLimits> = { max: 1_000, idleMs: 30 * 60_000 };

export interface HttpFaceOptions {
  readonly createEndpoint: (access: Access, era: 'legacy' | 'modern', isLasting: boolean) => Promise<Endpoint>;
  /** Serves a listening client of the newer revision. */
  readonly listen: (posted: Posted, access: Access) => Promise<Response>;
  readonly authenticate: ((request: Request) => Promise<Access | undefined>) | undefined;
  readonly sessions: boolean | SessionLimits;
  readonly messages: MessageLimits;
  readonly clock: Clock;
}

export interface HttpFace {
  fetch(request: Request, access?: Access): Promise<Response>;
  close(): Promise<void>;
}

/** Streamable HTTP in front of the proxy: every request is stateless, unless sessions are switched on. */
export function createHttpFace(options: HttpFaceOptions): HttpFace {
  const handler = createMcpHandler(({ era, authInfo }) => {
    // Only we create it, below.
    const access = (authInfo?.extra?.access ?? {}) as Access;
    return options.createEndpoint(access, era, false);
  });
  const sessions = options.sessions === false ? undefined : createSessions(options);

  async function serve(posted: Posted, access: Access): Promise<Response> {
    const { request, body } = posted;
    const isForSession = sessions !== undefined && (await isLegacyRequest(request, body.parsedBody));
    if (isForSession) return sessions.fetch(posted, access);
    if (request.headers.get('mcp-method') === LISTEN_METHOD) return options.listen(posted, access);
    const authInfo: AuthInfo = { token: '', clientId: access.id ?? '', scopes: [], extra: { access } };
    return withStatus(request, await handler.fetch(request, { authInfo, ...body }));
  }

  return {
    async fetch(request, given) {
      const access = given ?? (options.authenticate === undefined ? {} : await options.authenticate(request));
      if (access === undefined) return refuse(401, 'The key is missing or not valid');
      const read = await readMessage(request, access, options.messages);
      return read instanceof Response ? read : boundBacklog(await serve(read, access), MOST_BEHIND_BYTES);
    },
    async close() {
      await handler.close();
      await sessions?.close();
    },
  };
}

/** How far a client may be behind the stream that it reads: several of the largest results. */
const MOST_BEHIND_BYTES = 32 * 1024 * 1024;

/** How long a client should wait before it resumes a stream that ended. */
const RETRY_MS = 1_000;

interface LastingSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly endpoint: Endpoint;
  readonly accessId: string | undefined;
  readonly permissions: CompiledPermissions;
  /** The ids of requests that have no answer so far. */
  readonly running: Set<unknown>;
  cancelExpiry: () => void;
}

/** Sessions, in the order of their last use. */
function createSessions(options: HttpFaceOptions) {
  const given = typeof options.sessions === 'object' ? options.sessions : {};
  checkOptionNames('sessions', given, SESSION_DEFAULTS);
  const limits = { ...SESSION_DEFAULTS, ...given };
  const sessions = new Map<string, LastingSession>();
  const kept = createKeptEvents();

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.cancelExpiry();
    await session?.endpoint.close();
  };
  const use = (id: string, session: LastingSession): void => {
    session.cancelExpiry();
    session.cancelExpiry = options.clock.after(limits.idleMs, () => void end(id));
    sessions.delete(id);
    sessions.set(id, session);
  };
  /** One client that opens many loses its own, and no one else's. */
  const makeRoom = (): void => {
    if (sessions.size < limits.max) return;
    const owner = largestShare([...sessions.values()].map(({ accessId }) => accessId));
    const [oldest] = [...sessions].find(([, { accessId }]) => accessId === owner) ?? [];
    if (oldest !== undefined) void end(oldest);
  };
  const begin = async ({ request, body }: Posted, access: Access): Promise<Response> => {
    const endpoint = await options.createEndpoint(access, 'legacy', true);
    const events = kept.forSession();
    const ended = endpoint.onclose;
    endpoint.onclose = () => {
      events.close();
      ended?.();
    };
    const running = new Set<unknown>();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        makeRoom();
        const permissions = compilePermissions(access.permissions ?? {});
        use(id, { transport, endpoint, accessId: access.id, permissions, running, cancelExpiry: () => {} });
      },
      onsessionclosed: (id) => end(id),
    });
    await endpoint.connect(transport);
    const send = transport.send.bind(transport);
    transport.send = (message, sending) => {
      if ('id' in message && !('method' in message)) running.delete(message.id);
      return send(message, sending);
    };
    const response = await transport.handleRequest(request, body);
    if (transport.sessionId === undefined) await endpoint.close();
    return response;
  };

  return {
    async fetch({ request, body }: Posted, access: Access) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return begin({ request, body }, access);
      const session = sessions.get(id);
      // A session belongs to its owner: for anyone else, and under other permissions, it does not exist.
      const isTheirs =
        session?.accessId === access.id && session?.permissions === compilePermissions(access.permissions ?? {});
      if (session === undefined || !isTheirs) return refuse(404, 'Unknown session; start with initialize');
      use(id, session);
      const { running } = session;
      const { ids, repeated } = noteRequests(running, body.parsedBody);
      if (repeated !== undefined)
        return refuse(400, `A request with the id ${repeated} is in progress in this session; use another id`);
      session.endpoint.renewAccess(access);
      const response = await session.transport.handleRequest(request, body);
      // Refused: nothing has begun.
      if (!response.ok) for (const id of ids) running.delete(id);
      return response;
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

/**
 * Notes the ids of posted requests. Gives the first that is in use: answers go by their ids, so that one of two requests would never be
 * answered.
 */
function noteRequests(
  running: Set<unknown>,
  posted: unknown,
): { readonly ids: readonly unknown[]; readonly repeated?: string } {
  const messages = (Array.isArray(posted) ? posted : [posted]).filter(isJsonObject);
  const ids = messages.filter(({ id, method }) => typeof method === 'string' && isRequestId(id)).map(({ id }) => id);
  const repeated = ids.find((id, at) => running.has(id) || ids.indexOf(id) < at);
  if (repeated !== undefined) return { ids: [], repeated: cutText(JSON.stringify(repeated), LONGEST_ID_SHOWN) };
  for (const id of ids) running.add(id);
  for (const { method, params } of messages) {
    // There is no answer to a request that was cancelled.
    if (method === 'notifications/cancelled' && isJsonObject(params)) running.delete(params.requestId);
  }
  return { ids };
}

const LONGEST_ID_SHOWN = 100;

function isRequestId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number';
}

/** An unknown method is a 404 in the newer revision. For the SDK, our single handler serves every method. */
async function withStatus(request: Request, response: Response): Promise<Response> {
  const method = request.headers.get('mcp-method');
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (method === null || SERVED_METHODS.has(method) || response.status !== 200 || !isJson) return response;
  const body = await response.text();
  const isUnknown = body.includes(String(ProtocolErrorCode.MethodNotFound));
  return new Response(body, { status: isUnknown ? 404 : 200, headers: response.headers });
}
