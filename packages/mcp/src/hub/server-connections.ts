import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { describeError } from '../errors.ts';
import { largestShare } from '../largest-share.ts';
import {
  type Connection,
  type ConnectionEnd,
  ConnectionSlot,
  FollowedResources,
  openConnection,
  type SlotState,
} from './connection/index.ts';
import type { HubCall, Peer } from './hub.ts';
import type { HubContext } from './hub-options.ts';
import type { ServerSettings } from './server-settings.ts';
import { signInSettings, withStepUp } from './server-settings.ts';
import type { StatusNotes } from './server-status.ts';

/** Whom a request to a server is made for. */
export interface Origin {
  readonly peer?: Peer | undefined;
  /** Whose tokens are used at servers that require a sign-in. */
  readonly user?: string | undefined;
}

/** The connection that something arrived on. */
export interface ConnectionOwner {
  readonly user: string;
  readonly peer: Peer | undefined;
  /** The connection, once it is open. */
  readonly current: () => Connection | undefined;
}

export interface ServerConnectionsOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly context: HubContext;
  readonly notes: StatusNotes;
  /** The shared connection is open. */
  readonly onShared: (connection: Connection) => void;
  readonly onNotification: (
    notification: { readonly method: string; readonly params: Parameters<Peer['notify']>[0]['params'] },
    owner: ConnectionOwner,
  ) => void;
}

const NO_USER = '';
/** How many users' connections are kept; the least recently used one is closed first. */
const MOST_USERS = 500;
/** How many clients have connections of their own. A process takes tens of megabytes, an address next to nothing. */
const MOST_PEERS = { local: 100, remote: 1_000 };

interface OwnSlot {
  readonly slot: ConnectionSlot;
  readonly user: string;
}

/** The connections to one server: the shared one, and those of peers and of signed-in users. */
export class ServerConnections {
  readonly #options: ServerConnectionsOptions;
  readonly #shared: ConnectionSlot;
  readonly #slots = new Map<Peer | string, OwnSlot>();
  #adopted: Peer | undefined;
  readonly #followed = new WeakMap<ConnectionSlot, FollowedResources>();
  /** Whether the server has proved not to support the newer revision. */
  #isNewerBroken = false;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
    this.#shared = this.#createSlot({ isShared: true, user: NO_USER, peer: () => this.#adopted });
  }

  /** The state of the shared one. */
  get state(): SlotState {
    return this.#shared.state;
  }

  /** The shared one, while it is open. */
  get shared(): Connection | undefined {
    return this.#shared.connection;
  }

  /** Whether anyone has their own. */
  get hasOwn(): boolean {
    return [...this.#slots.values()].some(({ slot }) => slot.connection !== undefined);
  }

  /** Opens the shared one. */
  async start(): Promise<void> {
    await this.#shared.acquire();
  }

  /** The connection for a request: the peer's own, the user's own, or the shared one. */
  async acquire(origin: Origin): Promise<Connection> {
    return this.#slotFor(origin)
      .acquire()
      .catch((error: unknown) => this.#refuse(error, origin));
  }

  /** Sends on the connection for a request; on a new one if the server had lost the session. */
  async send<Value>(
    { origin = {}, signal }: Pick<HubCall, 'origin' | 'signal'>,
    run: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    return this.#slotFor(origin)
      .send(run, signal)
      .catch((error: unknown) => this.#refuse(error, origin));
  }

  /** Follows changes to a resource on the connection for a request, and on its replacements. Resolves to a function that ends it. */
  async follow(origin: Origin, uri: string): Promise<() => void> {
    const slot = this.#slotFor(origin);
    const followed = this.#followed.get(slot) ?? new FollowedResources();
    this.#followed.set(slot, followed);
    followed.add(uri);
    try {
      const connection = await this.acquire(origin);
      if (connection.capabilities.resources?.subscribe !== true) throw noSubscriptions(this.#options.name);
      await followed.apply(connection);
    } catch (error) {
      followed.remove(uri);
      throw error;
    }
    return () => {
      followed.remove(uri);
      if (slot.connection !== undefined) followed.apply(slot.connection).catch(() => {});
    };
  }

  /** Changes may have been missed while there was no connection. */
  #followAgain(slot: ConnectionSlot, owner: ConnectionOwner): void {
    const { notes, onNotification } = this.#options;
    const followed = this.#followed.get(slot);
    const [connection, uris] = [slot.connection, followed?.heard ?? []];
    if (connection === undefined || followed === undefined || uris.length === 0) return;
    followed.apply(connection).then(
      () => {
        for (const uri of uris) onNotification({ method: 'notifications/resources/updated', params: { uri } }, owner);
      },
      (error: unknown) => notes.noise(describeError(error)),
    );
  }

  /** Retries at once, for a user who has signed in. */
  retry(user: string): Promise<Connection> {
    return this.#slotFor({ user }).retryNow();
  }

  /** A peer's open connection. */
  openFor(peer: Peer): Connection | undefined {
    return this.#slots.get(peer)?.slot.connection ?? (peer === this.#adopted ? this.#shared.connection : undefined);
  }

  /** Makes the shared connection this peer's, if it is not in use yet: a hub with one client needs only one process per server. */
  adopt(peer: Peer): void {
    if (this.#adopted === undefined && this.#shared.state.kind === 'idle') this.#adopted = peer;
  }

  async release(peer: Peer): Promise<void> {
    await this.#drop(peer);
    if (this.#adopted !== peer) return;
    this.#adopted = undefined;
    await this.#shared.close();
  }

  async close(): Promise<void> {
    const slots = [this.#shared, ...[...this.#slots.values()].map(({ slot }) => slot)];
    this.#slots.clear();
    await Promise.all(slots.map((slot) => slot.close()));
  }

  #slotFor({ peer, user = NO_USER }: Origin): ConnectionSlot {
    const needsUser = signInSettings(this.#options.settings) !== undefined && user !== NO_USER;
    if (!needsUser && (peer === undefined || peer === this.#adopted)) return this.#shared;
    // A peer is one connection of one user, so its slot also belongs to that user.
    const key = peer ?? user;
    const known = this.#slots.get(key);
    const own = known ?? { slot: this.#createSlot({ isShared: false, user, peer: () => peer }), user };
    // The latest at the end. Peers report when they leave; users just stop sending requests.
    this.#slots.delete(key);
    this.#slots.set(key, own);
    if (known === undefined) this.#makeRoom();
    return own.slot;
  }

  /** What is closed opens again when it is next used. A user with many clients loses their own connections, and no one else's. */
  #makeRoom(): void {
    const keys = [...this.#slots.keys()];
    const users = keys.filter((key) => typeof key === 'string');
    if (users.length > MOST_USERS) void this.#drop(users[0]);
    const peers = keys.filter((key) => typeof key !== 'string');
    if (peers.length <= ('url' in this.#options.settings ? MOST_PEERS.remote : MOST_PEERS.local)) return;
    const owner = largestShare(peers.map((peer) => this.#slots.get(peer)?.user));
    void this.#drop(peers.find((peer) => this.#slots.get(peer)?.user === owner));
  }

  async #drop(key: Peer | string | undefined): Promise<void> {
    const own = key === undefined ? undefined : this.#slots.get(key);
    if (key !== undefined) this.#slots.delete(key);
    await own?.slot.close();
  }

  #createSlot(owner: { isShared: boolean; user: string; peer: () => Peer | undefined }): ConnectionSlot {
    const { name, context, onShared } = this.#options;
    const { clock, backoff, emit } = context;
    const slot: ConnectionSlot = new ConnectionSlot({
      server: name,
      clock,
      backoff,
      isKept: () => owner.isShared || this.#followed.get(slot)?.isEmpty === false,
      open: (end) => this.#open({ ...owner, peer: owner.peer(), current: () => slot.connection }, end),
      onOpen: (connection) => {
        if (owner.isShared) onShared(connection);
        this.#followAgain(slot, { ...owner, peer: owner.peer(), current: () => slot.connection });
      },
      onState: () => emit({ kind: 'server-change', server: name }),
    });
    return slot;
  }

  #open(owner: ConnectionOwner, end: ConnectionEnd): Promise<Connection> {
    const { name, settings, context, notes, onNotification } = this.#options;
    const { oauth } = context;
    const { user, peer } = owner;
    const signIn = signInSettings(settings);
    return openConnection({
      ...context,
      name,
      settings,
      authProvider: signIn === undefined ? undefined : oauth?.access({ user, server: name }, signIn),
      howToSignIn: oauth?.howToSignIn?.({ user, server: name }),
      peer,
      onNoise: notes.noise,
      onStderr: notes.stderr,
      onNotification: (method, params) => onNotification({ method, params }, owner),
      isNewerBroken: this.#isNewerBroken,
      onNewerBroken: () => {
        this.#isNewerBroken = true;
      },
      ...end,
    });
  }

  /** An error about a missing scope says where to sign in again. */
  async #refuse(error: unknown, { user = NO_USER }: Origin): Promise<never> {
    const { name, settings, context, notes } = this.#options;
    const owner = { user, server: name };
    throw await withStepUp(error, { oauth: context.oauth, owner, settings }).catch((reason: unknown) => {
      notes.noise(describeError(reason));
      return error;
    });
  }
}

function noSubscriptions(server: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, `Server "${server}" does not report changes to resources`);
}
