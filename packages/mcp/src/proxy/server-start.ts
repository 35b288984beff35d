import type { Clock } from '@quartermaster/core/internal';
import type { Hub, Peer } from '../hub/index.ts';

/** How long requests wait for servers that start for the first time. Counted from the start, not from the request. */
export interface StartWaits {
  /** For `initialize`; later arrivals are announced. @default 250 */
  readonly greetingMs?: number;
  /** For lists and searches; what is missing is named, and announced later. @default 2_000 */
  readonly listMs?: number;
  /** For a call of a tool that no server has listed yet. @default 10_000 */
  readonly callMs?: number;
}

export const START_WAITS: Required<StartWaits> = { greetingMs: 250, listMs: 2_000, callMs: 10_000 };

/** The first start of a hub's servers, as requests wait for it: a server that hangs blocks no other. */
export interface ServerStart {
  /** Whether each server has responded or failed, or has a stored listing. */
  readonly isSettled: boolean;
  /** Starts the servers. If the hub has a single client, they are started with its capabilities. */
  begin(peer?: Peer): void;
  /** Waits until all servers are settled, until `isEnough`, or until the time limit, counted from the start. */
  wait(waitMs: number, isEnough?: () => boolean): Promise<void>;
}

/** Starts the servers of a hub when a client first needs them. */
export function createServerStart(hub: Hub, clock: Clock): ServerStart {
  let begunAtMs: number | undefined;
  let isSettled = false;
  let settled: Promise<void> = Promise.resolve();
  const begin = (peer?: Peer): void => {
    // Called for each peer: the first one gets the shared connections.
    const started = hub.start({ peer });
    if (begunAtMs !== undefined) return;
    begunAtMs = clock.now();
    settled = started.finally(() => {
      isSettled = true;
    });
  };
  return {
    get isSettled() {
      return isSettled;
    },
    begin,
    async wait(waitMs, isEnough = () => false) {
      if (begunAtMs === undefined) begin();
      const leftMs = (begunAtMs ?? 0) + waitMs - clock.now();
      if (isSettled || leftMs <= 0 || isEnough()) return;
      let stop: () => void = () => {};
      const enough = new Promise<void>((resolve) => {
        const cancel = clock.after(leftMs, resolve);
        const unsubscribe = hub.subscribe(({ kind }) => {
          if (kind === 'server-change' && isEnough()) resolve();
        });
        stop = () => {
          cancel();
          unsubscribe();
        };
      });
      await Promise.race([settled, enough]);
      stop();
    },
  };
}
