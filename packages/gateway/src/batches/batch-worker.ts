import type { BatchStore, ClaimedItem, ItemResult } from '@quartermaster/host/store';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

export interface BatchWorker {
  /** There may be something new to do. */
  wake(): void;
  /** Gives back what is unfinished, for other replicas to go on with at once. */
  close(): Promise<void>;
}

export interface BatchWorkerOptions {
  readonly batches: BatchStore;
  /** Works on one item. Never throws but for an aborted signal. */
  run(item: ClaimedItem, signal: AbortSignal): Promise<ItemResult>;
  /** How many items at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often is looked for what other replicas were given. @default 5_000 */
  readonly pollMs?: number;
  /** How long an item stays ours without a sign of life. @default 60_000 */
  readonly leaseMs?: number;
}

const BATCH_WORKER_DEFAULTS = { pollMs: 5_000, leaseMs: 60_000 } as const;

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

  function fail(work: string): void {
    logger.log({ level: 'error', event: 'work-fail', work });
  }

  function wake(): void {
    isAsked = true;
    if (isClaiming || isClosed) return;
    isClaiming = true;
    claiming = claim()
      .catch(() => fail('batch-claim'))
      .finally(() => {
        isClaiming = false;
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
    const work = async (): Promise<void> => {
      try {
        const result = await options.run(item, stop.signal);
        await batches.complete(item, result);
      } catch {
        if (stop.signal.reason === 'canceling') await batches.complete(item, CANCELED);
        else if (!stop.signal.aborted) await batches.release([item]);
      }
    };
    const done = work()
      .catch(() => fail('batch-item'))
      .finally(() => {
        running.delete(key);
        wake();
      });
    running.set(key, { item, stop, done });
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
        .catch(() => fail('batch-extend'))
        .finally(() => {
          if (!isClosed) scheduleBeat();
        });
    });
  }

  if (concurrency > 0) {
    wake();
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
      await batches.release(left.map(({ item }) => item));
    },
  };
}
