import type { JsonObject } from '@quartermaster/core/catalog';
import { defined, stripInvisible, untilAborted } from '@quartermaster/core/internal';
import { describeError, McpError } from '../errors.ts';
import { type Connection, ForgottenSessionError } from './connection/index.ts';
import { listTools } from './definitions/index.ts';
import type { HubCall } from './hub.ts';
import type { HubContext } from './hub-options.ts';
import { ServerCatalog } from './server-catalog.ts';
import { type ConnectionOwner, ServerConnections } from './server-connections.ts';
import { SERVER_DEFAULTS, type ServerSettings } from './server-settings.ts';
import { createStatusNotes, type ServerStatus, type ServerSummary } from './server-status.ts';

/**
 * Several changes in quick succession count as one. A server that reports changes although nothing changed, for example
 * whenever its list is read, is asked less and less often.
 */
const SETTLE_MS = { initial: 100, max: 60_000 };

/** One server: what it lists, its connections, and its problems. */
export class HubServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly #context: HubContext;
  readonly #notes = createStatusNotes();
  readonly connections: ServerConnections;
  readonly catalog: ServerCatalog;
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
    this.catalog = new ServerCatalog({ name, settings, context });
    this.connections = new ServerConnections({
      name,
      settings,
      context,
      notes: this.#notes,
      onShared: (connection) => void this.#relist(connection),
      onNotification: ({ method, params }, owner) => this.#hear(method, params, owner),
    });
  }

  get about(): ServerSummary {
    const { capabilities = {}, instructions } = this.catalog.about ?? {};
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

  /** Why its tools can't be used, or may be out of date. */
  get reason(): string | undefined {
    const { state } = this.connections;
    const isKnown = this.catalog.isKnown;
    // If each user signs in, the shared connection (no user) does not have to work.
    if (state.kind === 'down') return isKnown && this.connections.hasOwn ? undefined : state.reason;
    if (this.#listingFailure !== undefined) return this.#listingFailure;
    if (isKnown) return undefined;
    if (state.kind === 'connecting') return 'it is still starting';
    return state.kind === 'ready' ? 'its tools are not listed yet' : 'it was not started';
  }

  status(): ServerStatus {
    const { about, used, problems, held, changedInUse: inUse } = this.catalog;
    const { state } = this.connections;
    return {
      name: this.name,
      state: state.kind,
      ...defined({ reason: this.reason }),
      ...(state.kind === 'down' && state.willRetry ? { retryAtMs: state.retryAtMs } : {}),
      ...(state.kind === 'down' && state.error.code === 'authorization_required' ? { needsSignIn: true } : {}),
      tools: used.length,
      ...defined({ listingFailure: this.#listingFailure, stopped: about?.stopped }),
      problems,
      held,
      ...(inUse.length === 0 ? {} : { changed: inUse }),
      suspicions: this.catalog.suspicions(),
      ...this.#notes.read(),
      ...defined({ protocolVersion: this.connections.shared?.protocolVersion }),
    };
  }

  /** Connects and lists the tools. Failures are in the status. */
  async start(): Promise<void> {
    try {
      await this.connections.start();
      await this.#listing;
    } catch {
      // The connections have the reason.
    }
  }

  /**
   * If definitions are held back, makes sure that the server was listed in this run before its tool is called: a stored listing does
   * not show what has changed since. Throws if the tool is held back, or the server can't be listed.
   */
  async check({ tool, origin = {}, signal }: Pick<HubCall, 'tool' | 'origin' | 'signal'>): Promise<void> {
    if (!this.catalog.isListed) {
      const connection = await untilAborted(this.connections.acquire(origin), signal);
      const listing = this.catalog.isListed ? Promise.resolve() : (this.#listing ?? this.#relist(connection));
      await untilAborted(listing, signal);
    }
    const context = { server: this.name, tool: tool.id };
    if (!this.catalog.isListed) {
      const reason = this.#listingFailure ?? 'its tools were not listed';
      throw new McpError('server_down', `Tool "${tool.name}" can't be checked before it is called: ${reason}`, {
        context,
      });
    }
    if (!this.catalog.held.some((change) => change.tool === tool.id)) return;
    throw new McpError(
      'definition_held',
      `Tool "${tool.name}" of server "${this.name}" is held back: its definition is not the one that was accepted. Tell the user, who can look at it and accept it (quartermaster mcp accept).`,
      { context },
    );
  }

  /** Retries at once, for a user who has signed in. */
  async retry(user: string): Promise<void> {
    const connection = await this.connections.retry(user);
    if (!this.catalog.isKnown) await this.#relist(connection);
  }

  async close(): Promise<void> {
    this.#cancelRelist();
    this.#cancelSettling?.();
    await this.connections.close();
  }

  #hear(method: string, params: JsonObject, { peer, user, current }: ConnectionOwner): void {
    if (method === 'notifications/tools/list_changed') {
      // Counted from the first notification: a server that never stops notifying must not prevent the listing.
      this.#cancelSettling ??= this.#context.clock.after(this.#settleMs, () => {
        this.#cancelSettling = undefined;
        const connection = this.connections.shared ?? current();
        if (connection !== undefined) void this.#relist(connection);
      });
      return;
    }
    if (peer !== undefined) peer.notify({ server: this.name, method, params });
    else this.#context.emit({ kind: 'server-notification', notification: { server: this.name, method, params, user } });
  }

  /** One at a time; a change in the meantime triggers another listing. Never rejects: the status has the error. */
  #relist(connection: Connection): Promise<void> {
    if (this.#listing !== undefined) {
      this.#isStale = true;
      return this.#listing;
    }
    this.#listing = this.#list(connection).finally(() => {
      this.#listing = undefined;
      if (!this.#isStale) return;
      this.#isStale = false;
      // Another connection may have replaced it in the meantime.
      void this.#relist(this.connections.shared ?? connection);
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
      const isSame = await this.catalog.update(about).catch((error: unknown) => {
        this.#listingFailure = before;
        throw error;
      });
      this.#settleMs = isSame ? Math.min(this.#settleMs * 2, SETTLE_MS.max) : SETTLE_MS.initial;
    } catch (error) {
      // A new session is listed as soon as it begins.
      if (this.connections.shared === undefined || error instanceof ForgottenSessionError) return;
      this.#listingFailure = `its tools can't be listed: ${describeError(error)}`;
      const { initialMs, maxMs } = this.#context.backoff;
      this.#cancelRelist = this.#context.clock.after(Math.min(initialMs * RELIST_PAUSES, maxMs), () => {
        if (this.connections.shared === connection) void this.#relist(connection);
      });
      this.#context.emit({ kind: 'server-change', server: this.name });
    }
  }
}

/** A failed listing is retried after this many first pauses. */
const RELIST_PAUSES = 10;
