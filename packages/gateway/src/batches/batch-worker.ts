import type { Clock } from '@quartermaster/core/internal';
import type { BatchStore, ClaimedItem, ItemResult } from '@quartermaster/host/store';
import { originOf } from '../http/index.ts';
import type { Logger } from '../logger.ts';
import { ShareUsedUp } from './share-used-up.ts';

export interface BatchWorker {
  /** There may be something new to do. */
  wake(): void;
  /** Gives back what is unfinished, for other replicas to continue with at once. */
  close(): Promise<void>;
}

export interface BatchWorkerOptions {
  readonly batches: BatchStore;
  /** Works on one item. Throws only for an aborted signal. */
  run(item: ClaimedItem, work: ItemWork): Promise<ItemResult>;
  /** How many items at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often is looked for what other replicas were given. @default 5_000 */
  readonly pollMs?: number;
  /** How long an item stays ours without a sign of life. @default 60_000 */
  readonly leaseMs?: number;
}

export interface ItemWork {
  /** Aborts when the item is not ours any more, or not to be finished. */
  readonly signal: AbortSignal;
  /** Keeps what has been done, for the worker that continues the item after this one. Throws, with the signal aborted, when it is not ours any more. */
  keep(progress: string): Promise<void>;
}

const BATCH_WORKER_DEFAULTS = { pollMs: 5_000, leaseMs: 60_000 } as const;

/** What was done is paid for: a store that is away for a moment must not cost a second one. Twice as long each time, half a minute in all. */
const COMMIT_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

const CANCELED: ItemResult = { outcome: 'canceled', result: JSON.stringify({ type: 'canceled' }) };

/**
 * Works on batches beside any number of others. An item is ours while its lease lives; its result counts only if it is committed
 * under that lease, so that a replica which was taken for dead can't write a second one.
 */
export function createBatchWorker(options: BatchWorkerOptions): BatchWorker {
  const { batches, concurrency, clock, logger } = options;
  const { pollMs, leaseMs } = { ...BATCH_WORKER_DEFAULTS, ...options };
  const running = new Map<
    string,
    { readonly item: ClaimedItem; readonly stop: AbortController; done: Promise<void> }
  >();
  let isClosed = false;
  let isClaiming = false;
  let isAsked = false;
  let cancelPoll: () => void = () => undefined;
  let cancelBeat: () => void = () => undefined;
  let claiming: Promise<void> = Promise.resolve();

  function fail(work: string, error: unknown): void {
    logger.log({ level: 'error', event: 'work-fail', work, ...originOf(error) });
  }

  function wake(): void {
    isAsked = true;
    if (isClaiming || isClosed) return;
    isClaiming = true;
    claiming = claim()
      .catch((error) => fail('batch-claim', error))
      .finally(() => {
        isClaiming = false;
        // Asked for while the last claim was ending, when it no longer looked.
        if (isAsked && running.size < concurrency) wake();
      });
  }

  async function claim(): Promise<void> {
    while (isAsked && !isClosed && running.size < concurrency) {
      isAsked = false;
      const limit = concurrency - running.size;
      const items = await batches.claim({ limit, leaseMs });
      for (const item of items) start(item);
      if (items.length === limit) isAsked = true;
    }
  }

  function start(item: ClaimedItem): void {
    const stop = new AbortController();
    const key = `${item.batchId}/${item.position}`;
    const keep = async (progress: string): Promise<void> => {
      const state = await persist(() => batches.keep(item, progress), stop.signal);
      if (state === 'lost') stop.abort('lost');
      stop.signal.throwIfAborted();
    };
    const work = async (): Promise<void> => {
      try {
        const result = await options.run(item, { signal: stop.signal, keep });
        await persist(() => batches.complete(item, result), stop.signal);
      } catch (error) {
        if (stop.signal.reason === 'canceling') await batches.complete(item, CANCELED);
        // An item that is not given back waits for the end of its lease.
        else if (!stop.signal.aborted) await persist(() => batches.release([item]), stop.signal);
        if (error instanceof ShareUsedUp) await batches.postpone(item.owner, clock.now() + error.retryAfterMs);
      }
    };
    const done = work()
      .catch((error) => fail('batch-item', error))
      .finally(() => {
        running.delete(key);
        wake();
      });
    running.set(key, { item, stop, done });
  }

  /** Safe to repeat: what is written twice counts once. */
  async function persist<State>(write: () => Promise<State>, signal: AbortSignal): Promise<State> {
    for (const pauseMs of COMMIT_PAUSES_MS) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted) throw error;
        fail('batch-commit', error);
        await pause(pauseMs, signal);
      }
    }
    return write();
  }

  /** Ends early when the item is no longer ours to work on: then a last attempt decides. */
  function pause(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(delayMs, resolve);
      signal.addEventListener(
        'abort',
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  async function beat(): Promise<void> {
    const held = [...running.values()];
    if (held.length === 0) return;
    const states = await batches.extend(
      held.map(({ item }) => item),
      leaseMs,
    );
    held.forEach(({ stop }, index) => {
      const state = states[index];
      if (state === 'lost' || state === 'canceling') stop.abort(state);
    });
  }

  function schedulePoll(): void {
    cancelPoll = clock.after(pollMs, () => {
      wake();
      if (!isClosed) schedulePoll();
    });
  }

  function scheduleBeat(): void {
    // Three signs of life for each lease: one may be late.
    cancelBeat = clock.after(leaseMs / 3, () => {
      beat()
        .catch((error) => fail('batch-extend', error))
        .finally(() => {
          if (!isClosed) scheduleBeat();
        });
    });
  }

  if (concurrency > 0) {
    // What a gateway left that was killed is taken up before anything else is claimed.
    isClaiming = true;
    claiming = batches
      .enlist()
      .catch((error) => fail('batch-enlist', error))
      .finally(() => {
        isClaiming = false;
        wake();
      });
    schedulePoll();
    scheduleBeat();
  }
  return {
    wake: () => {
      if (concurrency > 0) wake();
    },
    async close() {
      isClosed = true;
      cancelPoll();
      cancelBeat();
      await claiming;
      const left = [...running.values()];
      for (const { stop } of left) stop.abort('closing');
      await Promise.all(left.map(({ done }) => done));
      // Where the store is away, the leases run out by themselves.
      await batches.release(left.map(({ item }) => item)).catch((error) => fail('batch-release', error));
    },
  };
}
