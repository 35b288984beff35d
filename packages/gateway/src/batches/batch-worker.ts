import { type Clock, every, once, pause } from '@quartermaster/core/internal';
import type { BatchStore, ClaimedItem, ItemResult } from '@quartermaster/host/store';
import { originOf } from '../http/index.ts';
import type { Logger } from '../logger.ts';

export interface BatchWorker {
  /** There may be new work. */
  wake(): void;
  /** Returns unfinished items to the queue, for other replicas to continue at once. */
  close(): Promise<void>;
}

export interface BatchWorkerOptions {
  readonly batches: BatchStore;
  /** Processes one item. Throws only for an aborted signal. */
  run(item: ClaimedItem, work: ItemWork): Promise<ItemResult>;
  /** How many items at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a lease lasts without renewal. @default 60_000 */
  readonly leaseMs?: number;
}

export interface ItemWork {
  /** Aborts when the lease is lost, or the item need not be finished. */
  readonly signal: AbortSignal;
  /** Saves progress, for the worker that continues the item. Throws, with the signal aborted, if the lease is lost. */
  keep(progress: string): Promise<void>;
}

/** The owner's limit of requests or tokens is used up: the item waits, and has not failed. */
export class ShareUsedUp extends Error {
  override readonly name: string = 'ShareUsedUp';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The share of this key is used up');
    this.retryAfterMs = retryAfterMs;
  }
}

/** How often to look for work created by other replicas. */
const POLL_MS = 5_000;

const LEASE_MS = 60_000;

/** Finished work is paid for: a brief outage of the store must not cost it again. The pauses double, half a minute in all. */
const COMMIT_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

const CANCELED: ItemResult = { outcome: 'canceled', result: JSON.stringify({ type: 'canceled' }) };

/**
 * Processes batches alongside any number of other workers. An item belongs to this worker while its lease lasts; its result counts
 * only if it is committed under that lease, so a replica that was presumed dead can't write a second one.
 */
export function createBatchWorker(options: BatchWorkerOptions): BatchWorker {
  const { batches, concurrency, clock, logger, leaseMs = LEASE_MS } = options;
  const running = new Map<
    string,
    { readonly item: ClaimedItem; readonly stop: AbortController; done: Promise<void> }
  >();
  let isClosed = false;
  let isClaiming = false;
  let isAsked = false;
  const repeated: (() => void)[] = [];
  let claiming: Promise<void> = Promise.resolve();

  function fail(work: string, error: unknown): void {
    logger.log({ level: 'error', event: 'work-fail', work, ...originOf(error) });
  }

  const enlist = once(() => batches.enlist().catch((error) => fail('batch-enlist', error)));

  function wake(): void {
    isAsked = true;
    if (isClaiming || isClosed) return;
    isClaiming = true;
    claiming = claim()
      .catch((error) => fail('batch-claim', error))
      .finally(() => {
        isClaiming = false;
        // New work arrived while the last claim was ending.
        if (isAsked && running.size < concurrency) wake();
      });
  }

  async function claim(): Promise<void> {
    // Items of a gateway that was killed are taken over before anything else is claimed.
    await enlist();
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
        // An item that is not returned waits until its lease ends.
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

  /** Safe to repeat: a second write has no effect. */
  async function persist<State>(write: () => Promise<State>, signal: AbortSignal): Promise<State> {
    for (const pauseMs of COMMIT_PAUSES_MS) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted) throw error;
        fail('batch-commit', error);
        // Ends early when the lease is lost: then a last attempt decides.
        await pause(clock, pauseMs, signal).catch(() => undefined);
      }
    }
    return write();
  }

  async function beat(): Promise<void> {
    const held = [...running.values()];
    if (held.length === 0) return;
    const items = held.map(({ item }) => item);
    const states = await batches.extend(items, leaseMs);
    held.forEach(({ stop }, index) => {
      const state = states[index];
      if (state === 'lost' || state === 'canceling') stop.abort(state);
    });
  }

  if (concurrency > 0) {
    wake();
    repeated.push(every(clock, POLL_MS, wake));
    // Three renewals per lease: one may be late.
    repeated.push(every(clock, leaseMs / 3, () => beat().catch((error) => fail('batch-extend', error))));
  }
  return {
    wake: () => {
      if (concurrency > 0) wake();
    },
    async close() {
      isClosed = true;
      for (const stop of repeated) stop();
      await claiming;
      const left = [...running.values()];
      for (const { stop } of left) stop.abort('closing');
      await Promise.all(left.map(({ done }) => done));
      // If the store is unavailable, the leases expire by themselves.
      await batches.release(left.map(({ item }) => item)).catch((error) => fail('batch-release', error));
    },
  };
}
