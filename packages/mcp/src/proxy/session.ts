import type { ServerContext } from '@modelcontextprotocol/server';
import { EMPTY_MEMORY, type Memory, type Plan, type Snapshot } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { type Form, forgetSearches } from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { type Clock, defined } from '@quartermaster/core/internal';
import type { Connection, Hub, HubRequest, Origin, Peer } from '../hub/index.ts';
import { type ClientInfo, mostTools } from './known-clients.ts';
import type { Access } from './mcp-proxy.ts';
import type { CompiledPermissions } from './permissions.ts';
import type { ProxyContext } from './proxy-context.ts';
import { createSuspendedCalls, type SuspendableCall, type SuspendedCalls } from './suspended-calls.ts';

/** How many searches of a connection are remembered. */
const MOST_SEARCHES = 100;

/** A client's request in progress. */
export interface RunningRequest {
  readonly context: ServerContext;
  /** How to ask the client something if it can't be sent a request. */
  readonly ask?: SuspendableCall['ask'];
}

/** A request that changes nothing at a server. */
export interface Reading extends Omit<HubRequest, 'server' | 'origin'> {
  readonly signal: AbortSignal;
}

/**
 * One client. A lasting connection remembers what it was shown; a stateless request gets its own session, which remembers
 * nothing and has no `peer`.
 */
export class Session {
  /** As of the last request. Who it is and what it may use stay the same; limits and pins need not. */
  access: Access;
  readonly permissions: CompiledPermissions;
  readonly form: Form;
  readonly isLasting: boolean;
  /** Whether the client can be notified of changes. */
  readonly hearsChanges: boolean;
  /** Whether the hub has no other client. */
  readonly isSole: boolean;
  readonly proxy: ProxyContext;
  readonly hub: Hub;
  readonly clock: Clock;
  readonly #running = new Map<string, RunningRequest[]>();
  /** Calls that wait for answers of a client that can't be asked during a call. */
  readonly suspended: SuspendedCalls;
  readonly #leveled = new WeakSet<Connection>();
  memory: Memory = EMPTY_MEMORY;
  /** What the client was shown last. */
  plan: Plan | undefined;
  /** Whether the client received its capabilities before all servers were ready. */
  wasGreetedEarly = false;
  /** The servers whose prompts and resources the client knows, if it was initialized early. */
  readonly listed: { prompts: string; resources: string } = { prompts: '', resources: '' };
  /** Whether the client was notified that its list is outdated, and has not listed since. */
  isToldToList = false;
  /** The catalog that the client knows. */
  told: Snapshot | undefined;
  peer: Peer | undefined;
  /** How the client identifies itself. */
  client: ClientInfo | undefined;
  logLevel: string | undefined;
  /** The resources that the client subscribed to, and the servers that report their changes. */
  readonly followed: Map<string, { readonly server: string; readonly release: () => void; count: number }> = new Map();
  /** Which server listed a resource. */
  readonly resourceOwners: Map<string, string> = new Map();

  constructor(
    proxy: ProxyContext,
    options: Pick<Session, 'access' | 'permissions' | 'form' | 'isLasting' | 'hearsChanges' | 'isSole'>,
  ) {
    this.proxy = proxy;
    this.hub = proxy.hub;
    this.clock = proxy.clock;
    this.access = options.access;
    this.permissions = options.permissions;
    this.form = options.form;
    this.isLasting = options.isLasting;
    this.hearsChanges = options.hearsChanges;
    this.isSole = options.isSole;
    this.suspended = createSuspendedCalls(proxy.clock);
  }

  /** What this client may see and use. */
  caller(): Caller {
    const { id, admitSearch } = this.access;
    return { ...defined({ id, admitSearch }), allow: this.permissions.allowsTool };
  }

  /** A client without any tool gets a search if servers can't be reached: only its answer can say so. */
  currentPlan(): Plan {
    const { toolbox, limits, start } = this.proxy;
    // While servers are still starting there is a search, so that clients that never list again can find their tools.
    const early = start.isSettled ? {} : { rule: { kind: 'on' } as const, searchWhenEmpty: true };
    const { pins } = this.access;
    const options = { form: this.form, caller: this.caller(), ...defined({ pins }), ...early };
    const plan = toolbox.plan(limits, options);
    if (plan.shown.length > mostTools(this.client)) return toolbox.plan(limits, { ...options, rule: { kind: 'on' } });
    if (plan.kind === 'defer' || plan.shown.length > 0) return plan;
    const isMissed = this.hub.unavailable().some(({ server }) => this.permissions.allowsServer(server));
    return isMissed ? toolbox.plan(limits, { ...options, searchWhenEmpty: true }) : plan;
  }

  /** Drops searches that no longer count, so that a connection can last. */
  forgetSearches(): void {
    const beforeMs = this.clock.now() - this.proxy.forgetSearchesAfterMs;
    this.memory = forgetSearches(this.memory, { beforeMs, keep: MOST_SEARCHES });
  }

  /** For calls: what a server asks meanwhile goes to this client. */
  get origin(): Origin {
    return { peer: this.peer, user: this.access.user };
  }

  /** Sends a request that reads: on the client's own connection if it has one, because its calls may have created what it reads. */
  read(server: string, request: Reading): Promise<JsonObject> {
    const hasOwn = this.peer !== undefined && this.hub.connections(this.peer).some((one) => one.server === server);
    return this.hub.request({ ...request, server, origin: hasOwn ? this.origin : { user: this.access.user } });
  }

  /** Opens the connection that a call will use, with the log level that the client asked for. */
  async prepare(server: string): Promise<Connection> {
    const connection = await this.hub.connect(server, this.origin);
    this.#setLevel(connection);
    return connection;
  }

  /** Sets the level at every server that the client uses. */
  changeLevel(level: string): void {
    this.logLevel = level;
    const open = this.peer === undefined ? [] : this.hub.connections(this.peer);
    for (const connection of open) {
      this.#leveled.delete(connection);
      this.#setLevel(connection);
    }
  }

  /** Sent ahead of what follows, and not waited for: nothing depends on the server's answer. */
  #setLevel(connection: Connection): void {
    const level = this.logLevel;
    if (level === undefined || connection.capabilities.logging === undefined || this.#leveled.has(connection)) return;
    this.#leveled.add(connection);
    connection.request({ method: 'logging/setLevel', params: { level } }).catch(() => {});
  }

  /** Records which request is being served at a server, for as long as it takes. */
  async during<Value>(server: string, running: RunningRequest, run: () => Promise<Value>): Promise<Value> {
    const list = this.#running.get(server) ?? [];
    this.#running.set(server, list);
    list.push(running);
    try {
      return await run();
    } finally {
      list.splice(list.indexOf(running), 1);
    }
  }

  /** The latest request being served at a server: what the server asks now belongs to it. */
  latest(server: string): RunningRequest | undefined {
    return this.#running.get(server)?.at(-1);
  }
}
