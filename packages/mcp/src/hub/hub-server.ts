import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined, untilAborted } from '@quartermaster/core/internal';
import { digest } from '../digest.ts';
import { describeError, McpError } from '../errors.ts';
import type { SignInProvider } from '../oauth/index.ts';
import type { Pin, StoredListing } from '../store/index.ts';
import { comparePins, type DefinitionChange, type PinComparison } from './compare-pins.ts';
import type { Connection } from './connection.ts';
import { BACKOFF_DEFAULTS, type ConnectionEnd, ConnectionSlot } from './connection-slot.ts';
import { findSuspicions, type Suspicion } from './find-suspicions.ts';
import { ForgottenSessionError } from './forgotten-session-error.ts';
import type { HubContext } from './hub-context.ts';
import { isCutAlike, listTools } from './list-tools.ts';
import { type ListedDefinition, listDefinition } from './listed-definition.ts';
import { openConnection } from './open-connection.ts';
import type { Peer } from './peer.ts';
import { type ReadDefinition, type ReadDefinitions, readDefinitions } from './read-definitions.ts';
import { SERVER_DEFAULTS, type ServerSettings } from './server-settings.ts';
import { createStatusNotes, type ServerStatus, type ServerSummary } from './server-status.ts';
import { settingsKey } from './settings-key.ts';
import { stripInvisible } from './strip-invisible.ts';

/** Who a request to a server is made for. */
export interface Origin {
  readonly peer?: Peer | undefined;
  /** Whose tokens are used at servers that want a user to sign in. */
  readonly user?: string | undefined;
}

/** What a server says about itself. */
interface Announced {
  readonly tools: readonly ListedDefinition[];
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** Where its list was cut off, if it was. */
  readonly stopped?: string;
  /** How many of its tools can't be used, and why one of them can't. */
  readonly unreadable?: string;
}

/** What is known of a server's tools. */
interface Catalog extends PinComparison {
  /** What is left out for what its definition holds. */
  readonly withheld: readonly ReadDefinition[];
  /** What it was made from. */
  readonly about: Announced;
  readonly problems: readonly string[];
}

interface SlotOwner {
  readonly user: string;
  readonly peer: Peer | undefined;
  /** The connection in the slot, once it is open. */
  readonly current: () => Connection | undefined;
}

/**
 * Several changes that come together are one. A server that tells of changes which are none, such as one that does so
 * whenever it is asked for its list, is listened to less and less.
 */
const SETTLE_MS = { initial: 100, max: 60_000 };
const NO_USER = '';
/** How many users' connections are kept; the one that was used longest ago makes way. */
const MOST_USERS = 500;

/** One server's life: what it lists, which connections it has, and what is wrong with it. */
export class HubServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly #context: HubContext;
  readonly #key: string;
  readonly #notes = createStatusNotes();
  readonly #shared: ConnectionSlot;
  readonly #slots = new Map<Peer | string, ConnectionSlot>();
  #adopted: Peer | undefined;
  #catalog: Catalog | undefined;
  #listingFailure: string | undefined;
  #listing: Promise<void> | undefined;
  #isStale = false;
  #cancelRelist: () => void = () => {};
  #cancelSettling: (() => void) | undefined;
  #settleMs = SETTLE_MS.initial;
  readonly #reported = new Map<string, string>();
  /** What tells the last listing from others. */
  #listed: string | undefined;

  constructor(name: string, settings: ServerSettings, context: HubContext) {
    this.name = name;
    this.settings = settings;
    this.#context = context;
    this.#key = settingsKey(name, settings);
    this.#shared = this.#createSlot({ isShared: true, user: NO_USER, peer: () => this.#adopted });
  }

  get tools(): readonly Tool[] {
    return this.#catalog?.used.map((one) => one.tool) ?? [];
  }

  get about(): ServerSummary {
    const { capabilities = {}, instructions } = this.#catalog?.about ?? {};
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
    return this.#catalog?.changes.filter((change) => change.isHeld) ?? [];
  }

  /** Why some of what it lists is not among its tools. */
  get missing(): readonly string[] {
    const { stopped, unreadable } = this.#catalog?.about ?? {};
    const withheld = this.#catalog?.withheld ?? [];
    return [
      ...(withheld.length === 0 ? [] : [describeWithheld(withheld)]),
      ...(stopped === undefined ? [] : [`its list was cut off ${stopped}`]),
      ...(unreadable === undefined ? [] : [unreadable]),
    ];
  }

  /** Why its tools can't be reached, or may be out of date. */
  get reason(): string | undefined {
    const { state } = this.#shared;
    if (state.kind === 'down') return this.#hasOwnConnection() ? undefined : state.reason;
    if (this.#listingFailure !== undefined) return this.#listingFailure;
    if (this.#catalog !== undefined) return undefined;
    return state.kind === 'connecting' ? 'it is still starting' : 'it was not started';
  }

  status(): ServerStatus {
    const catalog = this.#catalog;
    const state = this.#shared.state;
    const connection = this.#shared.connection;
    return {
      name: this.name,
      state: state.kind,
      ...defined({ reason: this.reason }),
      tools: catalog?.used.length ?? 0,
      ...defined({ listingFailure: this.#listingFailure }),
      ...(catalog?.about.stopped === undefined ? {} : { stopped: catalog.about.stopped }),
      problems: catalog?.problems ?? [],
      held: this.held,
      suspicions: this.#suspicions(),
      ...this.#notes.read(),
      ...(connection?.protocolVersion === undefined ? {} : { protocolVersion: connection.protocolVersion }),
    };
  }

  #suspicions(): ServerStatus['suspicions'] {
    if (this.#context.findings === 'off') return [];
    const { used = [], withheld = [] } = this.#catalog ?? {};
    return [...withheld, ...used].flatMap((one) =>
      suspicionsOf(one).map((suspicion) => ({ tool: one.tool.id, ...suspicion })),
    );
  }

  /** Takes what was listed in an earlier run. Returns whether there was something, and nothing is gained by listing again. */
  async restore(): Promise<boolean> {
    const stored = await this.#context.listings.get(this.#key);
    if (stored === undefined) return false;
    if (this.#catalog === undefined) await this.#take({ ...stored, tools: stored.tools.map(listDefinition) });
    return stored.stopped === undefined || isCutAlike(stored.stopped, this.#context.limits);
  }

  /** Connects and lists. What goes wrong is in the status. */
  async start(): Promise<void> {
    try {
      await this.#shared.acquire();
      await this.#listing;
    } catch {
      // The slot knows why.
    }
  }

  /** The connection for a request: the peer's own, the user's own, or the one that is shared. */
  connect(origin: Origin): Promise<Connection> {
    return this.#slotFor(origin).acquire();
  }

  /** Sends on the connection for a request; on a new one where the server had forgotten the session. */
  send<Value>(
    { origin = {}, signal }: { readonly origin?: Origin | undefined; readonly signal?: AbortSignal | undefined },
    run: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    return this.#slotFor(origin).send(run, signal);
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
    if (this.#listed === undefined) {
      const connection = await untilAborted(this.#slotFor(origin).acquire(), signal);
      await untilAborted(
        this.#listed === undefined ? (this.#listing ?? this.#relist(connection)) : Promise.resolve(),
        signal,
      );
    }
    const context = { server: this.name, tool: tool.id };
    if (this.#listed === undefined) {
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

  /** The connections that a peer has open. */
  openFor(peer: Peer): Connection | undefined {
    return this.#slots.get(peer)?.connection ?? (peer === this.#adopted ? this.#shared.connection : undefined);
  }

  /** Makes the shared connection this peer's, if it is not in use yet: a hub with one client needs one process per server. */
  adopt(peer: Peer): void {
    if (this.#adopted === undefined && this.#shared.state.kind === 'idle') this.#adopted = peer;
  }

  async release(peer: Peer): Promise<void> {
    await this.#drop(peer);
    if (this.#adopted !== peer) return;
    this.#adopted = undefined;
    await this.#shared.close();
  }

  /** Tries again at once, for a user who has signed in. */
  async retry(user: string): Promise<void> {
    const slot = this.#slotFor({ user });
    const connection = await slot.retryNow();
    if (this.#catalog === undefined) await this.#relist(connection);
  }

  /** Takes changed definitions as they are now. */
  async accept(isAccepted: (toolId: string) => boolean): Promise<void> {
    const catalog = this.#catalog;
    if (catalog === undefined) return;
    const accepted = new Set(
      catalog.changes.filter((change) => isAccepted(change.tool)).map((change) => change.after.name),
    );
    if (accepted.size === 0) return;
    const { about } = catalog;
    const definitions = this.#read(about.tools);
    const kept = catalog.pins.filter((pin) => !accepted.has(pin.tool));
    const now = definitions.read
      .filter(({ tool }) => accepted.has(tool.name))
      .map(({ tool, hash, definition }) => ({ tool: tool.name, hash, definition }));
    await this.#context.pins.put(this.#key, [...kept, ...now]);
    await this.#take(about, definitions);
  }

  async close(): Promise<void> {
    this.#cancelRelist();
    this.#cancelSettling?.();
    const slots = [this.#shared, ...this.#slots.values()];
    this.#slots.clear();
    await Promise.all(slots.map((slot) => slot.close()));
  }

  /** Where users sign in, nobody's connection need not work. */
  #hasOwnConnection(): boolean {
    return this.#catalog !== undefined && [...this.#slots.values()].some((slot) => slot.connection !== undefined);
  }

  #slotFor({ peer, user = NO_USER }: Origin): ConnectionSlot {
    const needsUser = 'oauth' in this.settings && this.settings.oauth === true && user !== NO_USER;
    if (!needsUser && (peer === undefined || peer === this.#adopted)) return this.#shared;
    // A peer is one connection of one user, so its slot is also the user's.
    const key = peer ?? user;
    const slot = this.#slots.get(key) ?? this.#createSlot({ isShared: false, user, peer: () => peer });
    // The latest at the end. A peer says when it leaves; users only fall silent.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    const users = [...this.#slots.keys()].filter((one) => typeof one === 'string');
    if (users.length > MOST_USERS) void this.#drop(users[0]);
    return slot;
  }

  async #drop(key: Peer | string | undefined): Promise<void> {
    const slot = key === undefined ? undefined : this.#slots.get(key);
    if (key !== undefined) this.#slots.delete(key);
    await slot?.close();
  }

  #createSlot(owner: { isShared: boolean; user: string; peer: () => Peer | undefined }): ConnectionSlot {
    const { clock, backoff = BACKOFF_DEFAULTS, onChange } = this.#context;
    const slot: ConnectionSlot = new ConnectionSlot({
      server: this.name,
      clock,
      backoff,
      isKept: owner.isShared,
      open: (end) => this.#open({ ...owner, peer: owner.peer(), current: () => slot.connection }, end),
      onOpen: (connection) => {
        if (owner.isShared) void this.#relist(connection);
      },
      onState: () => onChange(this.name),
    });
    return slot;
  }

  #open(owner: SlotOwner, end: ConnectionEnd): Promise<Connection> {
    const { user, peer } = owner;
    const { clientInfo, clock, environment, fetch } = this.#context;
    return openConnection({
      name: this.name,
      settings: this.settings,
      clientInfo,
      clock,
      environment,
      fetch,
      authProvider: this.#authProvider(user),
      howToSignIn: this.#context.oauth?.howToSignIn?.({ user, server: this.name }),
      peer,
      onNoise: this.#notes.noise,
      onStderr: this.#notes.stderr,
      onNotification: (method, params) => this.#hear(method, params, owner),
      ...end,
    });
  }

  #authProvider(user: string): SignInProvider | undefined {
    const isWanted = 'oauth' in this.settings && this.settings.oauth === true;
    return isWanted ? this.#context.oauth?.provider({ user, server: this.name }) : undefined;
  }

  #hear(method: string, params: JsonObject, { peer, current }: SlotOwner): void {
    if (method === 'notifications/tools/list_changed') {
      // Counted from the first notice: a server that never stops telling must not keep us from listing.
      this.#cancelSettling ??= this.#context.clock.after(this.#settleMs, () => {
        this.#cancelSettling = undefined;
        const connection = this.#shared.connection ?? current();
        if (connection !== undefined) void this.#relist(connection);
      });
      return;
    }
    if (peer !== undefined) peer.notify({ server: this.name, method, params });
    else this.#context.onNotification({ server: this.name, method, params });
  }

  /** One at a time; a change that comes meanwhile makes it list once more. Never fails: the status tells. */
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
      void this.#relist(this.#shared.connection ?? connection);
    });
    return this.#listing;
  }

  async #list(connection: Connection): Promise<void> {
    const timeout = this.settings.listTimeoutMs ?? SERVER_DEFAULTS.listTimeoutMs;
    try {
      const { tools, stopped } =
        connection.capabilities.tools === undefined
          ? { tools: [] }
          : await listTools((cursor) => connection.listPage(cursor, { timeout }), this.#context.limits);
      const definitions = this.#read(tools);
      const about = {
        tools,
        capabilities: connection.capabilities as JsonObject,
        ...instructionsOf(connection),
        ...defined({ stopped, unreadable: definitions.unreadable }),
      };
      const listing = toListing(about);
      const mark = [listing.hash, stopped, definitions.unreadable].join(' ');
      const isSame = mark === this.#listed;
      this.#settleMs = isSame ? Math.min(this.#settleMs * 2, SETTLE_MS.max) : SETTLE_MS.initial;
      this.#listed = mark;
      if (!isSame) await this.#context.listings.put(this.#key, listing);
      // Before it is told what there is.
      this.#listingFailure = undefined;
      await this.#take(about, definitions);
    } catch (error) {
      // A new session is listed as soon as it has begun.
      if (this.#shared.connection === undefined || error instanceof ForgottenSessionError) return;
      this.#listingFailure = `its tools can't be listed: ${describeError(error)}`;
      const { initialMs, maxMs } = this.#context.backoff ?? BACKOFF_DEFAULTS;
      this.#cancelRelist = this.#context.clock.after(Math.min(initialMs * RELIST_PAUSES, maxMs), () => {
        if (this.#shared.connection === connection) void this.#relist(connection);
      });
      this.#context.onChange(this.name);
    }
  }

  #read(tools: readonly ListedDefinition[]): ReadDefinitions {
    return readDefinitions(tools, { ...this.settings, server: this.name });
  }

  async #take(about: Announced, definitions: ReadDefinitions = this.#read(about.tools)): Promise<void> {
    const { stopped } = about;
    const { read, problems } = definitions;
    const before: readonly Pin[] = await this.#context.pins.get(this.#key);
    const comparison = comparePins(read, before, { server: this.name, quarantine: this.#context.quarantine });
    if (comparison.pins !== before) await this.#context.pins.put(this.#key, comparison.pins);
    const isWithheld = (one: ReadDefinition): boolean =>
      this.#context.findings === 'withhold' && suspicionsOf(one).length > 0;
    const withheld = comparison.used.filter(isWithheld);
    this.#catalog = {
      ...comparison,
      used: withheld.length === 0 ? comparison.used : comparison.used.filter((one) => !isWithheld(one)),
      withheld,
      about,
      problems: [...(stopped === undefined ? [] : [`The list was cut off ${stopped}`]), ...problems],
    };
    if (stopped !== undefined) this.#context.onListingCut(this.name, `its list was cut off ${stopped}`);
    for (const one of withheld) {
      const [suspicion] = suspicionsOf(one);
      if (suspicion === undefined || this.#reported.get(one.tool.id) === one.hash) continue;
      this.#reported.set(one.tool.id, one.hash);
      this.#context.onWithheld(one.tool.id, suspicion);
    }
    for (const change of comparison.changes) {
      // Once for each definition: every list after it has the same change.
      if (this.#reported.get(change.tool) === change.hash) continue;
      this.#reported.set(change.tool, change.hash);
      this.#context.onDefinitionChange(change);
    }
    this.#context.onChange(this.name);
  }
}

/** A listing that fails is asked for again after this many first pauses. */
const RELIST_PAUSES = 10;

function instructionsOf({ instructions }: Connection): { readonly instructions?: string } {
  return instructions === undefined ? {} : { instructions };
}

/** What can't be written as JSON can't be kept; its reader has named it. */
function toListing({ tools, ...about }: Announced): StoredListing {
  const kept = tools.filter(({ value, text }) => isJsonObject(value) && text !== undefined);
  return {
    ...about,
    hash: digest(kept.map(({ text }) => `${text}\n`)),
    tools: kept.map(({ value }) => value).filter(isJsonObject),
  };
}

const MOST_WITHHELD_NAMED = 5;

function describeWithheld(withheld: readonly ReadDefinition[]): string {
  const named = withheld
    .slice(0, MOST_WITHHELD_NAMED)
    .map((one) => `${one.tool.name} (${suspicionsOf(one)[0]?.kind ?? ''})`);
  const rest = withheld.length - named.length;
  return `withheld for what their definitions hold: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const looked = new WeakMap<ReadDefinition, readonly Suspicion[]>();

/** Looked for when first asked about: starting up must not wait for it. */
function suspicionsOf(one: ReadDefinition): readonly Suspicion[] {
  const known = looked.get(one) ?? findSuspicions(one.definition);
  looked.set(one, known);
  return known;
}
