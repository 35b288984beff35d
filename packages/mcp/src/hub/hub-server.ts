import type { Tool } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { defined, stripInvisible, untilAborted } from '@quartermaster/core/internal';
import { describeError, McpError } from '../errors.ts';
import { BACKOFF_DEFAULTS, type Connection, ForgottenSessionError } from './connection/index.ts';
import { listTools } from './definitions/index.ts';
import type { HubContext } from './hub-context.ts';
import type { Peer } from './peer.ts';
import { ServerCatalog } from './server-catalog.ts';
import { type ConnectionOwner, type Origin, ServerConnections } from './server-connections.ts';
import { SERVER_DEFAULTS, type ServerSettings } from './server-settings.ts';
import { createStatusNotes, type ServerStatus, type ServerSummary } from './server-status.ts';
import type { DefinitionChange, Suspicion } from './trust/index.ts';

/**
 * Several changes that come together are one. A server that reports changes without any, such as one that does so
 * whenever it is asked for its list, is listened to less and less.
 */
const SETTLE_MS = { initial: 100, max: 60_000 };

/** One server's life: what it lists, which connections it has, and what is wrong with it. */
export class HubServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly #context: HubContext;
  readonly #notes = createStatusNotes();
  readonly #connections: ServerConnections;
  readonly #catalog: ServerCatalog;
  #listingFailure: string | undefined;
  #listing: Promise<void> | undefined;
  #isStale = false;
  #cancelRelist: () => void = () => {};
  #cancelSettling: (() => void) | undefined;
  #settleMs = SETTLE_MS.initial;

  constructor(name: string, settings: ServerSettings, context: HubContext) {
    this.name = name;
    this.settings = settings;
    this.#context = context;
    this.#catalog = new ServerCatalog({ name, settings, context });
    this.#connections = new ServerConnections({
      name,
      settings,
      context,
      notes: this.#notes,
      onShared: (connection) => void this.#relist(connection),
      onNotification: ({ method, params }, owner) => this.#hear(method, params, owner),
    });
  }

  get tools(): readonly Tool[] {
    return this.#catalog.used.map((one) => one.tool);
  }

  get about(): ServerSummary {
    const { capabilities = {}, instructions } = this.#catalog.about ?? {};
    return {
      name: this.name,
      capabilities,
      ...(instructions === undefined ? {} : { instructions: stripInvisible(instructions) }),
    };
  }

  /** Whether definitions are held back until they are accepted. */
  get isQuarantined(): boolean {
    return this.#context.quarantine !== 'off';
  }

  /** Changed definitions that wait to be accepted. */
  get held(): readonly DefinitionChange[] {
    return this.#catalog.held;
  }

  /** Why some of what it lists is not among its tools. */
  get missing(): readonly string[] {
    return this.#catalog.missing;
  }

  /** Why its tools can't be reached, or may be out of date. */
  get reason(): string | undefined {
    const { state } = this.#connections;
    const isKnown = this.#catalog.isKnown;
    // Where each user signs in, the shared connection (no user) need not work.
    if (state.kind === 'down') return isKnown && this.#connections.hasOwn ? undefined : state.reason;
    if (this.#listingFailure !== undefined) return this.#listingFailure;
    if (isKnown) return undefined;
    return state.kind === 'connecting' ? 'it is still starting' : 'it was not started';
  }

  status(): ServerStatus {
    const { about, used, problems, changedInUse: inUse } = this.#catalog;
    const { state } = this.#connections;
    return {
      name: this.name,
      state: state.kind,
      ...defined({ reason: this.reason }),
      ...(state.kind === 'down' && state.error.code === 'authorization_required' ? { needsSignIn: true } : {}),
      tools: used.length,
      ...defined({ listingFailure: this.#listingFailure, stopped: about?.stopped }),
      problems,
      held: this.held,
      ...(inUse.length === 0 ? {} : { changed: inUse }),
      suspicions: this.#catalog.suspicions(),
      ...this.#notes.read(),
      ...defined({ protocolVersion: this.#connections.shared?.protocolVersion }),
    };
  }

  /** Takes what was listed in an earlier run. Returns whether there was something, and nothing is gained by listing again. */
  restore(): Promise<boolean> {
    return this.#catalog.restore();
  }

  /** Connects and lists. What goes wrong is in the status. */
  async start(): Promise<void> {
    try {
      await this.#connections.start();
      await this.#listing;
    } catch {
      // The connections know why.
    }
  }

  /** The connection for a request: the peer's own, the user's own, or the one that is shared. */
  connect(origin: Origin): Promise<Connection> {
    return this.#connections.acquire(origin);
  }

  /** Sends on the connection for a request; on a new one where the server had forgotten the session. */
  send<Value>(
    about: { readonly origin?: Origin | undefined; readonly signal?: AbortSignal | undefined },
    run: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    return this.#connections.send(about, run);
  }

  /**
   * Where definitions are held back, makes sure that the server was listed in this run before its tool is called: a stored listing does
   * not tell what has changed since. Throws where the tool is held back, or the server can't be listed.
   */
  async check({
    tool,
    origin = {},
    signal,
  }: {
    tool: Tool;
    origin?: Origin | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<void> {
    if (!this.#catalog.isListed) {
      const connection = await untilAborted(this.#connections.acquire(origin), signal);
      const listing = this.#catalog.isListed ? Promise.resolve() : (this.#listing ?? this.#relist(connection));
      await untilAborted(listing, signal);
    }
    const context = { server: this.name, tool: tool.id };
    if (!this.#catalog.isListed) {
      const reason = this.#listingFailure ?? 'its tools were not listed';
      throw new McpError('server_down', `Tool "${tool.name}" can't be checked before it is called: ${reason}`, {
        context,
      });
    }
    if (!this.held.some((change) => change.tool === tool.id)) return;
    throw new McpError(
      'definition_held',
      `Tool "${tool.name}" of server "${this.name}" is held back: its definition is not the one that was accepted. Tell the user, who can look at it and accept it (quartermaster mcp accept).`,
      { context },
    );
  }

  /** Hears of changes to a resource. Resolves to what ends it. */
  follow(origin: Origin, uri: string): Promise<() => void> {
    return this.#connections.follow(origin, uri);
  }

  /** What is suspicious about the definition of a tool in use. */
  findings(tool: Tool): readonly Suspicion[] {
    return this.#catalog.findings(tool);
  }

  /** The connection that a peer has open. */
  openFor(peer: Peer): Connection | undefined {
    return this.#connections.openFor(peer);
  }

  adopt(peer: Peer): void {
    this.#connections.adopt(peer);
  }

  release(peer: Peer): Promise<void> {
    return this.#connections.release(peer);
  }

  /** Tries again at once, for a user who has signed in. */
  async retry(user: string): Promise<void> {
    const connection = await this.#connections.retry(user);
    if (!this.#catalog.isKnown) await this.#relist(connection);
  }

  /** Takes changed definitions as they are now. Tells whether there were any. */
  accept(isAccepted: (change: DefinitionChange) => boolean): Promise<boolean> {
    return this.#catalog.accept(isAccepted);
  }

  async close(): Promise<void> {
    this.#cancelRelist();
    this.#cancelSettling?.();
    await this.#connections.close();
  }

  #hear(method: string, params: JsonObject, { peer, user, current }: ConnectionOwner): void {
    if (method === 'notifications/tools/list_changed') {
      // Counted from the first notice: a server that never stops telling must not keep us from listing.
      this.#cancelSettling ??= this.#context.clock.after(this.#settleMs, () => {
        this.#cancelSettling = undefined;
        const connection = this.#connections.shared ?? current();
        if (connection !== undefined) void this.#relist(connection);
      });
      return;
    }
    if (peer !== undefined) peer.notify({ server: this.name, method, params });
    else this.#context.onNotification({ server: this.name, method, params, user });
  }

  /** One at a time; a change that comes meanwhile makes it list once more. Never fails: the status has the error. */
  #relist(connection: Connection): Promise<void> {
    if (this.#listing !== undefined) {
      this.#isStale = true;
      return this.#listing;
    }
    this.#listing = this.#list(connection).finally(() => {
      this.#listing = undefined;
      if (!this.#isStale) return;
      this.#isStale = false;
      // Another connection may have taken its place meanwhile.
      void this.#relist(this.#connections.shared ?? connection);
    });
    return this.#listing;
  }

  async #list(connection: Connection): Promise<void> {
    const timeout = this.settings.listTimeoutMs ?? SERVER_DEFAULTS.listTimeoutMs;
    try {
      const { capabilities, instructions } = connection;
      const { tools, stopped } =
        capabilities.tools === undefined
          ? { tools: [] }
          : await listTools((cursor) => connection.listPage(cursor, { timeout }), this.#context.limits);
      const before = this.#listingFailure;
      // Before the capabilities are sent.
      this.#listingFailure = undefined;
      const about = { tools, capabilities: capabilities as JsonObject, ...defined({ instructions, stopped }) };
      const isSame = await this.#catalog.update(about).catch((error: unknown) => {
        this.#listingFailure = before;
        throw error;
      });
      this.#settleMs = isSame ? Math.min(this.#settleMs * 2, SETTLE_MS.max) : SETTLE_MS.initial;
    } catch (error) {
      // A new session is listed as soon as it has begun.
      if (this.#connections.shared === undefined || error instanceof ForgottenSessionError) return;
      this.#listingFailure = `its tools can't be listed: ${describeError(error)}`;
      const { initialMs, maxMs } = this.#context.backoff ?? BACKOFF_DEFAULTS;
      this.#cancelRelist = this.#context.clock.after(Math.min(initialMs * RELIST_PAUSES, maxMs), () => {
        if (this.#connections.shared === connection) void this.#relist(connection);
      });
      this.#context.onChange(this.name);
    }
  }
}

/** A listing that fails is asked for again after this many first pauses. */
const RELIST_PAUSES = 10;
