import { type BatchStore, type ClaimedItem, type ItemResult, openStore, type Store } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogEntry } from '../logger.ts';
import { type BatchWorkerOptions, createBatchWorker } from './batch-worker.ts';

const LEASE_MS = 60_000;

/** Time that stands still until it is told to pass. */
function manualClock() {
  let time = Date.parse('2026-11-01T00:00:00Z');
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => time,
    after(delayMs: number, run: () => void) {
      const timer = { at: time + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** When what is waited for is due, from now. */
    delays: () => [...timers].map(({ at }) => at - time),
    pass(ms: number) {
      time += ms;
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

interface Asked {
  readonly item: ClaimedItem;
  readonly signal: AbortSignal;
  keep(progress: string): Promise<void>;
  answer(result?: Partial<ItemResult>): void;
}

/** A worker over a store in memory, whose items are answered by hand. */
async function setUp(
  items: number,
  options: Partial<BatchWorkerOptions> & { readonly wrap?: (batches: BatchStore) => BatchStore } = {},
) {
  const clock = manualClock();
  const store: Store = await openStore({ path: ':memory:', now: clock.now });
  const log: LogEntry[] = [];
  const asked: Asked[] = [];
  const { id } = await store.batches.create({
    owner: '',
    items: Array.from({ length: items }, (_, index) => ({ customId: `item-${index}`, params: '{}' })),
  });
  const { wrap = (batches: BatchStore) => batches, ...rest } = options;
  const worker = createBatchWorker({
    batches: wrap(store.batches),
    concurrency: 2,
    clock,
    logger: { log: (entry) => log.push(entry) },
    run: (item, { signal, keep }) =>
      new Promise((resolve, reject) => {
        const answer: Asked['answer'] = (result = {}) =>
          resolve({ outcome: 'succeeded', result: `"${item.customId}"`, ...result });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        asked.push({ item, signal, keep, answer });
      }),
    ...rest,
  });
  onTestFinished(async () => {
    await worker.close();
    await store.close();
  });
  const counts = async () => (await store.batches.get(id, ''))?.counts;
  return { clock, store, worker, asked, log, id, counts };
}

/** Lets everything run that does not wait for time or for an answer. */
async function until(isDue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDue())) await new Promise(setImmediate);
}

describe('a batch worker', () => {
  it('works on so many items at a time, and takes the next one as soon as one is done', async () => {
    const { asked, counts } = await setUp(5);
    await until(() => asked.length === 2);
    for (let done = 0; done < 5; done += 1) {
      asked[done]?.answer();
      await until(async () => (await counts())?.succeeded === done + 1);
      await until(() => asked.length === Math.min(5, done + 3));
    }
    expect(asked.map(({ item }) => item.customId)).toEqual(['item-0', 'item-1', 'item-2', 'item-3', 'item-4']);
  });

  it('keeps its leases alive for as long as it works', async () => {
    const { asked, clock, store } = await setUp(1);
    await until(() => asked.length === 1);
    for (let beat = 0; beat < 9; beat += 1) {
      clock.pass(LEASE_MS / 3);
      await until(() => clock.delays().includes(LEASE_MS / 3));
      expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toEqual([]);
    }
    expect(asked[0]?.signal.aborted).toBe(false);
  });

  it('ends its work on an item that another replica has taken over', async () => {
    const { asked, clock, store } = await setUp(1, { leaseMs: LEASE_MS * 10 });
    await until(() => asked.length === 1);
    // As if it had been away for longer than its lease: another one has claimed the item before it comes back.
    const other = await openOther(store, asked[0]?.item);
    clock.pass(LEASE_MS * 4);
    await until(() => asked[0]?.signal.aborted === true);
    expect(asked[0]?.signal.reason).toBe('lost');
    expect(await store.batches.complete(other, { outcome: 'succeeded', result: '"other"' })).toBe('committed');
  });

  it('finds what other replicas were given', async () => {
    const { asked, clock, store } = await setUp(1);
    await until(() => asked.length === 1);
    await store.batches.create({ owner: '', items: [{ customId: 'late', params: '{}' }] });
    clock.pass(5_000);
    await until(() => asked.length === 2);
    expect(asked[1]?.item.customId).toBe('late');
  });

  it('commits a result when the store is back, without asking for it again', async () => {
    let failures = 3;
    const { asked, clock, counts, log } = await setUp(1, {
      wrap: (batches) => ({
        ...batches,
        async complete(lease, result) {
          failures -= 1;
          if (failures >= 0) throw new Error('away');
          return batches.complete(lease, result);
        },
      }),
    });
    await until(() => asked.length === 1);
    asked[0]?.answer();
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      await until(() => clock.delays().includes(pauseMs));
      clock.pass(pauseMs);
    }
    await until(async () => (await counts())?.succeeded === 1);
    expect(asked).toHaveLength(1);
    expect(log).toMatchObject(
      Array.from({ length: 3 }, () => ({ level: 'error', event: 'work-fail', work: 'batch-commit' })),
    );
  });

  it('keeps what has been done when the store is back, and another replica goes on from there', async () => {
    let failures = 2;
    const { asked, clock, store, worker } = await setUp(1, {
      wrap: (batches) => ({
        ...batches,
        async keep(lease, progress) {
          failures -= 1;
          if (failures >= 0) throw new Error('away');
          return batches.keep(lease, progress);
        },
      }),
    });
    await until(() => asked.length === 1);
    const kept = asked[0]?.keep('"half"');
    for (const pauseMs of [1_000, 2_000]) {
      await until(() => clock.delays().includes(pauseMs));
      clock.pass(pauseMs);
    }
    await kept;
    await worker.close();
    expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toMatchObject([{ progress: '"half"' }]);
  });

  it('ends its work on an item when it finds out on keeping that another replica has it', async () => {
    const { asked, store } = await setUp(1);
    await until(() => asked.length === 1);
    const other = await openOther(store, asked[0]?.item);
    await expect(asked[0]?.keep('"half"')).rejects.toBe('lost');
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(other).not.toHaveProperty('progress');
    expect(await store.batches.complete(other, { outcome: 'succeeded', result: '"other"' })).toBe('committed');
  });

  it('counts a result once whose commit was answered by a broken connection', async () => {
    let isBroken = true;
    const { asked, clock, counts } = await setUp(2, {
      concurrency: 1,
      wrap: (batches) => ({
        ...batches,
        async complete(lease, result) {
          const answer = await batches.complete(lease, result);
          if (!isBroken) return answer;
          isBroken = false;
          throw new Error('The connection broke');
        },
      }),
    });
    await until(() => asked.length === 1);
    asked[0]?.answer();
    await until(() => clock.delays().includes(1_000));
    clock.pass(1_000);
    await until(() => asked.length === 2);
    expect(await counts()).toMatchObject({ succeeded: 1, processing: 1 });
    expect(asked[1]?.item.customId).toBe('item-1');
  });

  it('gives back at once what it has not finished when it closes', async () => {
    const { asked, worker, store } = await setUp(3);
    await until(() => asked.length === 2);
    await worker.close();
    expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
    const again = await store.batches.claim({ limit: 5, leaseMs: LEASE_MS });
    expect(again.map(({ customId }) => customId).sort()).toEqual(['item-0', 'item-1', 'item-2']);
    worker.wake();
    expect(asked).toHaveLength(2);
  });

  it('takes nothing if it is configured to leave batches to others', async () => {
    const { asked, worker, clock, store } = await setUp(1, { concurrency: 0 });
    worker.wake();
    expect(clock.delays()).toEqual([]);
    expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toHaveLength(1);
    expect(asked).toEqual([]);
  });
});

/** A claim by another replica, as it comes about when a lease has run out: the item is given back behind its worker's back. */
async function openOther({ batches }: Store, item: ClaimedItem | undefined): Promise<ClaimedItem> {
  await batches.release(item === undefined ? [] : [item]);
  const [claimed] = await batches.claim({ limit: 1, leaseMs: LEASE_MS * 100 });
  if (claimed === undefined) throw new Error('The item was not given back');
  return claimed;
}
