import { type Clock, untilAborted } from '@quartermaster/core/internal';
import { describeError, McpError } from '../../errors.ts';
import type { Connection } from './connection.ts';
import { ForgottenSessionError } from './watch-session.ts';

/** How long the hub waits before it restarts a server, in milliseconds. */
export interface Backoff {
  /** The first wait. @default 1_000 */
  readonly initialMs: number;
  /** Each wait is twice the one before, up to this. @default 60_000 */
  readonly maxMs: number;
  /** A connection that lasted this long resets the count. @default 30_000 */
  readonly stableMs: number;
}

/** The default pauses before a server is restarted. */
export const BACKOFF_DEFAULTS: Backoff = { initialMs: 1_000, maxMs: 60_000, stableMs: 30_000 };

export type SlotState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'down';
      readonly reason: string;
      readonly error: McpError;
      /** Until then it rejects at once. */
      readonly retryAtMs: number;
      /** Whether it connects again at that time without being asked. */
      readonly willRetry: boolean;
    };

/** How a connection ends. */
export interface ConnectionEnd {
  /** The connection ended, and not because it was closed on purpose. */
  readonly onLost: () => void;
  /** The server has lost the session. The connection closes itself once the requests in progress have been answered. */
  readonly onForgotten: () => void;
  /** Aborts the opening, and closes a connection whose session was lost. */
  readonly signal: AbortSignal;
}

export interface SlotOptions {
  readonly server: string;
  readonly open: (end: ConnectionEnd) => Promise<Connection>;
  readonly onOpen: (connection: Connection) => void;
  readonly onState: () => void;
  readonly clock: Clock;
  readonly backoff: Backoff;
  /** Whether a lost connection is reopened without a request. */
  readonly isKept: () => boolean;
}

/** Holds one connection: opened when first needed, reopened with growing pauses when it is lost. */
export class ConnectionSlot {
  readonly #options: SlotOptions;
  #state: SlotState = { kind: 'idle' };
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #openedAtMs = 0;
  /** Whether a lost session was replaced at once. Once the new one has been useful or has lasted, it may happen again. */
  #isRenewed = false;
  #cancelRetry: () => void = () => {};
  /** Whether it was open and is lost: the next request then reopens it at once, and only a failure starts the pauses. */
  #isLost = false;
  /** Aborted on close, so that a connection that opens later is not used. */
  #closing = new AbortController();

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get state(): SlotState {
    return this.#state;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** The connection. During the pause after a failure it rejects at once with the reason. */
  acquire(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    if (this.#opening !== undefined) return this.#opening;
    if (this.#state.kind === 'down' && !this.#isLost && this.#options.clock.now() < this.#state.retryAtMs) {
      return Promise.reject(this.#state.error);
    }
    this.#opening = this.#open();
    return this.#opening;
  }

  /**
   * Runs something on the connection, and again on a new one if the server had lost the session, because then it did not run.
   * A caller that gives up stops waiting for the connection, which is still opened for others.
   */
  async send<Value>(run: (connection: Connection) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    try {
      return await this.#sendOnce(run, signal);
    } catch (error) {
      if (!(error instanceof ForgottenSessionError)) throw error;
    }
    return this.#sendOnce(run, signal);
  }

  async #sendOnce<Value>(run: (connection: Connection) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    // Nothing is opened for a caller that has already given up.
    signal?.throwIfAborted();
    const connection = await untilAborted(this.acquire(), signal);
    const value = await run(connection);
    if (this.#connection === connection) this.#isRenewed = false;
    return value;
  }

  /** Ends the pause, for example after the user has signed in. */
  retryNow(): Promise<Connection> {
    this.#failures = 0;
    this.#cancelRetry();
    return this.#endPause();
  }

  #endPause(): Promise<Connection> {
    if (this.#state.kind === 'down') this.#state = { kind: 'idle' };
    return this.acquire();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#cancelRetry();
    const opening = this.#opening?.catch(() => undefined);
    const connection = this.#connection ?? (await opening);
    this.#connection = undefined;
    this.#opening = undefined;
    this.#setState({ kind: 'idle' });
    await connection?.close().catch(() => {});
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#closing;
    this.#isLost = false;
    this.#cancelRetry();
    this.#setState({ kind: 'connecting' });
    let opened: Connection | undefined;
    try {
      const connection = await this.#options.open({
        onLost: () => this.#lost(opened),
        onForgotten: () => this.#forgotten(opened),
        signal,
      });
      opened = connection;
      // `close` waits for this promise, and closes the connection that it returns.
      if (signal.aborted) return connection;
      this.#opening = undefined;
      this.#connection = connection;
      this.#openedAtMs = this.#options.clock.now();
      this.#setState({ kind: 'ready' });
      this.#options.onOpen(connection);
      return connection;
    } catch (error) {
      const reason = describeError(error);
      const told = error instanceof McpError && error.code !== 'server_down' ? error : this.#downError(reason);
      if (!signal.aborted) this.#fail(reason, told);
      throw told;
    }
  }

  #lost(connection: Connection | undefined): void {
    if (!this.#leave(connection)) return;
    const reason = 'its connection was lost';
    this.#isLost = true;
    this.#fail(reason, this.#downError(reason));
  }

  /** A restarted server can be asked at once, but one that loses every session would be asked forever. */
  #forgotten(connection: Connection | undefined): void {
    if (!this.#leave(connection)) return;
    if (this.#isRenewed) {
      const { reason } = ForgottenSessionError;
      this.#fail(reason, this.#downError(reason));
      return;
    }
    this.#isRenewed = true;
    this.acquire().catch(() => {});
  }

  /** Empties the slot. Returns whether it held this connection. */
  #leave(connection: Connection | undefined): boolean {
    if (connection === undefined || this.#connection !== connection) return false;
    this.#connection = undefined;
    const lastedMs = this.#options.clock.now() - this.#openedAtMs;
    if (lastedMs < this.#options.backoff.stableMs) return true;
    this.#failures = 0;
    this.#isRenewed = false;
    return true;
  }

  #fail(reason: string, error: McpError): void {
    const { backoff, clock, isKept } = this.#options;
    this.#opening = undefined;
    // Asking the user again would invalidate the sign-in in progress. If none can begin here, it may be completed elsewhere.
    const isWaiting = error.code === 'authorization_required' && error.context.authorizationUrl !== undefined;
    const pauseMs = isWaiting ? backoff.maxMs : Math.min(backoff.initialMs * 2 ** this.#failures, backoff.maxMs);
    this.#failures += 1;
    const willRetry = isKept() && !isWaiting;
    if (willRetry) {
      this.#cancelRetry = clock.after(pauseMs, () => {
        // Not checked against the clock again: a timer may fire a moment early, and there is no other one.
        this.#endPause().catch(() => {});
      });
    }
    this.#setState({ kind: 'down', reason, error, retryAtMs: clock.now() + pauseMs, willRetry });
  }

  #setState(state: SlotState): void {
    this.#state = state;
    this.#options.onState();
  }

  #downError(reason: string): McpError {
    const { server } = this.#options;
    return new McpError('server_down', `Server "${server}" can't be reached: ${reason}`, {
      context: { server, reason },
    });
  }
}
