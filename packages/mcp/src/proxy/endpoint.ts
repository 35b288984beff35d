import { setImmediate } from 'node:timers/promises';
import {
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type InitializeResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { ANY_RESULT, type Peer, type ServerNotification } from '../hub/index.ts';
import { ALL_CAPABILITIES, advertisedCapabilities } from './advertised-capabilities.ts';
import { type ClientRequest, capabilitiesIn } from './client-request.ts';
import { followWanted, unfollowResource } from './follow-resources.ts';
import type { ClientInfo } from './known-clients.ts';
import type { Access } from './mcp-proxy.ts';
import { METHODS_OF_SERVERS, OTHER_METHODS } from './methods.ts';
import { waitForTools } from './missing-servers.ts';
import type { Audience } from './pass-on-changes.ts';
import { proxyInstructions } from './proxy-instructions.ts';
import { LISTEN_METHOD } from './serve-listening.ts';
import { readStatus, STATUS_URI } from './serve-status.ts';
import { callProxyTool } from './serve-tools.ts';
import type { Session } from './session.ts';
import { encodeTask } from './task-ids.ts';

interface EndpointOptions {
  readonly session: Session;
  readonly instructions?: string | undefined;
  /** Called with the client's capabilities before ours are sent: ours depend on the servers, which receive the client's. */
  readonly prepare: (capabilities: ClientCapabilities, endpoint: Endpoint) => Promise<void>;
}

/**
 * The SDK's server with one handler for every request: the typed handlers check results against the SDK's own schemas,
 * and a proxy has to forward what it does not know.
 */
export class Endpoint extends Server implements Audience {
  readonly #options: EndpointOptions;
  readonly isListing = true;
  /** What each listening request follows. */
  readonly #listening = new Map<unknown, readonly string[]>();
  /** Over when the next request may begin. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: EndpointOptions) {
    const { instructions } = options;
    super(options.session.proxy.serverInfo, { capabilities: ALL_CAPABILITIES, ...defined({ instructions }) });
    this.#options = options;
    this.#greetLate();
    this.removeRequestHandler('logging/setLevel');
    this.fallbackRequestHandler = (request, context) => this.#serve(request, context);
    this.fallbackNotificationHandler = async ({ method, params }) => this.#hear(method, params);
  }

  /** The capabilities that this client sees, as opposed to all that may ever be sent. */
  override getCapabilities(): ServerCapabilities {
    // The base class's constructor may ask before ours has run.
    return #options in this ? advertisedCapabilities(this.#options.session) : ALL_CAPABILITIES;
  }

  /** What its client may do now, as the request says that came last. */
  renewAccess(access: Access): void {
    this.#options.session.access = access;
  }

  /** The tools that the client sees have changed. */
  tellToolsChanged(): void {
    this.sendToolListChanged().catch(() => {});
  }

  pass({ method, params }: Pick<ServerNotification, 'method' | 'params'>): void {
    this.notification({ method, params: { ...params } }).catch(() => {});
  }

  /** Follows what a listening request names, before it is answered. Undefined for any other message. */
  followWanted(message: JSONRPCMessage): Promise<JSONRPCMessage> | undefined {
    if (!('method' in message)) return undefined;
    const { session } = this.#options;
    const params = isJsonObject(message.params) ? message.params : {};
    if (message.method === 'notifications/cancelled') {
      for (const uri of this.#listening.get(params.requestId) ?? []) unfollowResource(session, uri);
      this.#listening.delete(params.requestId);
    }
    if (message.method !== LISTEN_METHOD || !('id' in message)) return undefined;
    const { signal } = new AbortController();
    const { id } = message;
    this.#listening.set(id, []);
    return followWanted(session, message, signal).then(({ message: followed, uris }) => {
      if (this.#listening.has(id)) this.#listening.set(id, uris);
      // Cancelled in the meantime.
      else for (const uri of uris) unfollowResource(session, uri);
      return followed;
    });
  }

  #greetLate(): void {
    const greet = this._getRequestHandler('initialize');
    this.setRequestHandler('initialize', async (request, context) => {
      this.#options.session.client = request.params.clientInfo;
      await this.#options.prepare(request.params.capabilities, this);
      const greeting = (await greet?.(request as unknown as JSONRPCRequest, context)) as InitializeResult;
      const { instructions: _, ...rest } = greeting;
      // Not those of the constructor: more is known about the servers by now.
      const instructions = proxyInstructions(this.#options.session);
      return { ...rest, ...defined({ instructions }) };
    });
  }

  async #hear(method: string, params: unknown): Promise<void> {
    const { session } = this.#options;
    if (session.peer === undefined || !PASSED_ON.has(method)) return;
    session.hub.notify(session.peer, { method, ...(isJsonObject(params) ? { params } : {}) });
  }

  /** A client of the newer revision is asked in results: the call continues between its requests. */
  #call(request: ClientRequest): Promise<JsonObject> {
    const { session } = this.#options;
    const { context, signal } = request;
    const { envelope, inputResponses } = context.mcpReq;
    const onReveal = (): void => this.tellToolsChanged();
    if (envelope === undefined || !session.isLasting) return callProxyTool(session, { ...request, onReveal });
    const capabilities = capabilitiesIn(context);
    if (session.peer === undefined && canBeAsked(capabilities)) this.becomePeer(capabilities);
    const leg = { signal, inputResponses, requestState: context.mcpReq.requestState<string>() };
    return session.suspended.serve(leg, (call) =>
      callProxyTool(session, {
        ...request,
        signal: call.signal,
        ask: (question, asking) => call.ask(question, asking),
        onReveal,
      }),
    );
  }

  /** Requests that arrive together begin one after the other: a batch of a hundred searches would hold up everyone else. */
  #takeTurn(): Promise<unknown> {
    this.#turn = this.#turn.then(() => setImmediate());
    return this.#turn;
  }

  async #serve({ method, params: given }: JSONRPCRequest, context: ServerContext): Promise<JsonObject> {
    const { session } = this.#options;
    const { proxy } = session;
    const params: JsonObject = isJsonObject(given) ? given : {};
    session.client = clientIn(context.mcpReq.envelope) ?? this.getClientVersion();
    // The status is read most often when something is wrong.
    if (method === 'resources/read' && params.uri === STATUS_URI) return readStatus(session);
    await this.#takeTurn();
    if (method === 'tools/call') await waitForTools(session, params);
    if (METHODS_OF_SERVERS.has(method)) await proxy.start.wait(proxy.waits.listMs);
    if (method.startsWith('tools/')) await proxy.readCatalog();
    const request: ClientRequest = { method, params, context, signal: context.mcpReq.signal };
    if (method === 'tools/call') return this.#call(request);
    const serve = METHODS_OF_SERVERS.get(method) ?? OTHER_METHODS.get(method);
    if (serve === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    return serve(session, request);
  }

  /** This client, as servers address it. */
  becomePeer(capabilities: ClientCapabilities): void {
    this.#options.session.peer = createPeer(this, this.#options.session, capabilities);
  }
}

/** A client that can't be asked anything needs no separate connection. */
function canBeAsked(capabilities: unknown): capabilities is ClientCapabilities {
  return isJsonObject(capabilities) && ['elicitation', 'sampling', 'roots'].some((name) => name in capabilities);
}

/** On the newer revision each request identifies its client. */
function clientIn(envelope: unknown): ClientInfo | undefined {
  const info = isJsonObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  return isJsonObject(info) && typeof info.name === 'string' ? { name: info.name } : undefined;
}

/** Notifications from clients to servers that don't concern single requests. */
const PASSED_ON: ReadonlySet<string> = new Set(['notifications/roots/list_changed']);

/** People answer, so there is plenty of time. */
const ANSWER_TIMEOUT_MS = 600_000;

/** The client behind an endpoint, as servers address it. */
function createPeer(endpoint: Server, session: Session, capabilities: ClientCapabilities): Peer {
  return {
    capabilities,
    request({ server, method, params }, { signal }) {
      const request = { method, params: encodeTask(params, server) };
      const options = { signal, timeout: ANSWER_TIMEOUT_MS };
      // Along with the request that it belongs to: over HTTP, only its stream is certain to be open.
      const running = session.latest(server);
      if (running?.ask !== undefined) return running.ask(request, signal);
      const message = { method, params: { ...request.params } };
      if (running !== undefined) return running.context.mcpReq.send(message, ANY_RESULT, options);
      return endpoint.request(message, ANY_RESULT, options);
    },
    notify({ server, method, params }) {
      const told = method === 'notifications/message' ? { logger: server, ...params } : encodeTask(params, server);
      endpoint.notification({ method, params: { ...(told satisfies JsonObject) } }).catch(() => {});
    },
  };
}
