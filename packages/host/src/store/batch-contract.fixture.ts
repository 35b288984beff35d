import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH_LIFETIME_MS, BATCH_RETENTION_MS, type BatchResult, type NewBatchItem } from './batch-store.ts';
import type { Store } from './open-store.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';
export const OWNER = 'key_1';

export function makeItems(count: number): NewBatchItem[] {
  return Array.from({ length: count }, (_, index) => ({
    customId: `item-${index}`,
    params: JSON.stringify({ index }),
  }));
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function finishAll(store: Store): Promise<void> {
  for (const lease of await store.batches.claim({ limit: 1000, leaseMs: 1000 })) {
    await store.batches.complete(lease, { outcome: 'succeeded', result: `{"type":"succeeded","n":${lease.position}}` });
  }
}

export function describeBatches({ place, open, clock }: StoreHarness): void {
  describe('batches', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open(await place());
    });

    it('a new batch is in progress, with all of its items processing and a day to live', async () => {
      const batch = await store.batches.create({ owner: OWNER, items: makeItems(3) });
      expect(batch).toEqual({
        id: expect.stringMatching(/^msgbatch_[0-9a-z]{24}$/),
        owner: OWNER,
        status: 'in_progress',
        counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
        createdAt: START,
        expiresAt: START + BATCH_LIFETIME_MS,
      });
      expect(await store.batches.get(batch.id, OWNER)).toEqual(batch);
    });

    it('refuses two items with one custom id and an empty batch, and stores neither', async () => {
      const twice = [...makeItems(2), { customId: 'item-0', params: '{}' }];
      await expect(store.batches.create({ owner: OWNER, items: twice })).rejects.toThrow('same custom id');
      await expect(store.batches.create({ owner: OWNER, items: [] })).rejects.toThrow('at least one item');
      expect(await store.batches.list({ owner: OWNER, limit: 10 })).toEqual({ batches: [], hasMore: false });
    });

    it('keeps more items than one statement can insert, and large ones, in order', async () => {
      const big = 'x'.repeat(400_000);
      const items = makeItems(1203).map((item, index) => (index % 300 === 0 ? { ...item, params: big } : item));
      const { id } = await store.batches.create({ owner: OWNER, items });
      const claimed = [
        ...(await store.batches.claim({ limit: 1000, leaseMs: 1 })),
        ...(await store.batches.claim({ limit: 1000, leaseMs: 1 })),
      ];
      expect(claimed.map(({ customId, params }) => ({ customId, params }))).toEqual(items);
      expect((await store.batches.get(id, OWNER))?.counts.processing).toBe(1203);
    });

    it('shows a batch to its owner only', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      await finishAll(store);
      expect(await store.batches.get(id, 'key_2')).toBeUndefined();
      expect(await store.batches.cancel(id, 'key_2')).toBeUndefined();
      expect(await store.batches.delete(id, 'key_2')).toBe('unknown');
      expect(await collect(store.batches.results(id, 'key_2'))).toEqual([]);
      expect(await store.batches.list({ owner: 'key_2', limit: 10 })).toEqual({ batches: [], hasMore: false });
      expect(await store.batches.list({ owner: 'key_2', limit: 10, cursor: { kind: 'after', id } })).toBeUndefined();
      expect(await collect(store.batches.results(id, OWNER))).toHaveLength(1);
    });

    it('lists the newest first, page by page in both directions', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        // Two batches in one millisecond have an order too.
        if (index !== 3) clock.time += 1;
        ids.unshift((await store.batches.create({ owner: OWNER, items: makeItems(1) })).id);
      }
      const all = (await store.batches.list({ owner: OWNER, limit: 100 }))?.batches.map(({ id }) => id) ?? [];
      expect([...all].sort()).toEqual([...ids].sort());
      expect(all.slice(0, 3)).toEqual(ids.slice(0, 3));

      const page = async (kind: 'after' | 'before', id: string | undefined, limit: number) => {
        const answer = await store.batches.list({ owner: OWNER, limit, cursor: { kind, id: id ?? '' } });
        return { ids: answer?.batches.map((batch) => batch.id), hasMore: answer?.hasMore };
      };
      expect(await page('after', all[2], 3)).toEqual({ ids: all.slice(3, 6), hasMore: true });
      expect(await page('after', all[2], 4)).toEqual({ ids: all.slice(3, 7), hasMore: false });
      expect(await page('before', all[4], 2)).toEqual({ ids: all.slice(2, 4), hasMore: true });
      expect(await page('before', all[4], 4)).toEqual({ ids: all.slice(0, 4), hasMore: false });
      expect(
        await store.batches.list({ owner: OWNER, limit: 3, cursor: { kind: 'after', id: 'none' } }),
      ).toBeUndefined();
    });

    it('streams results in the order of the items', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(120) });
      const leases = [...(await store.batches.claim({ limit: 120, leaseMs: 1000 }))].reverse();
      for (const lease of leases) {
        const outcome = lease.position % 2 === 0 ? 'succeeded' : 'errored';
        await store.batches.complete(lease, { outcome, result: `{"n":${lease.position}}` });
      }
      const results = await collect(store.batches.results(id, OWNER));
      expect(results).toEqual(
        Array.from(
          { length: 120 },
          (_, index): BatchResult => ({
            customId: `item-${index}`,
            outcome: index % 2 === 0 ? 'succeeded' : 'errored',
            result: `{"n":${index}}`,
          }),
        ),
      );
    });

    it('can be deleted once it has ended, with its results', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(2) });
      expect(await store.batches.delete(id, OWNER)).toBe('not-ended');
      await finishAll(store);
      expect(await store.batches.delete(id, OWNER)).toBe('deleted');
      expect(await store.batches.delete(id, OWNER)).toBe('unknown');
      expect(await store.batches.get(id, OWNER)).toBeUndefined();
      expect(await collect(store.batches.results(id, OWNER))).toEqual([]);
    });

    it('cancelling ends what was not started and lets the rest finish', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(3) });
      const [lease] = await store.batches.claim({ limit: 1, leaseMs: 1000 });
      expect(lease).toBeDefined();
      if (lease === undefined) return;
      clock.time += 10;
      expect(await store.batches.cancel(id, OWNER)).toMatchObject({
        status: 'canceling',
        cancelInitiatedAt: START + 10,
        counts: { processing: 1, canceled: 2 },
      });
      expect(await store.batches.claim({ limit: 5, leaseMs: 1000 })).toEqual([]);
      expect(await store.batches.extend([lease], 1000)).toEqual(['canceling']);
      clock.time += 10;
      expect(await store.batches.complete(lease, { outcome: 'succeeded', result: '{}' })).toBe('committed');
      const ended = await store.batches.get(id, OWNER);
      expect(ended).toMatchObject({
        status: 'ended',
        cancelInitiatedAt: START + 10,
        endedAt: START + 20,
        counts: { processing: 0, succeeded: 1, canceled: 2 },
      });
      expect(await store.batches.cancel(id, OWNER)).toEqual(ended);
      expect((await collect(store.batches.results(id, OWNER))).map(({ result }) => result)).toEqual([
        '{}',
        '{"type":"canceled"}',
        '{"type":"canceled"}',
      ]);
    });

    it('cancelling a batch that no worker has claimed ends it at once', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(2) });
      expect(await store.batches.cancel(id, OWNER)).toMatchObject({ status: 'ended', counts: { canceled: 2 } });
    });

    it('a cancelled batch whose worker died is ended by a sweep, and the late worker gets an error', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      const [lease] = await store.batches.claim({ limit: 1, leaseMs: 1000 });
      await store.batches.cancel(id, OWNER);
      await store.sweep();
      expect((await store.batches.get(id, OWNER))?.status).toBe('canceling');
      clock.time += 1001;
      await store.sweep();
      expect(await store.batches.get(id, OWNER)).toMatchObject({
        status: 'ended',
        counts: { processing: 0, canceled: 1 },
      });
      expect(lease && (await store.batches.complete(lease, { outcome: 'succeeded', result: '{}' }))).toBe('lost');
      expect(lease && (await store.batches.extend([lease], 1000))).toEqual(['lost']);
      expect((await store.batches.get(id, OWNER))?.counts).toMatchObject({ succeeded: 0, canceled: 1 });
    });

    it('what is unfinished after a day expires, except what is being worked on', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(3) });
      clock.time += BATCH_LIFETIME_MS - 1;
      await store.sweep();
      const [lease] = await store.batches.claim({ limit: 1, leaseMs: 1000 });
      clock.time += 1;
      expect(await store.batches.claim({ limit: 5, leaseMs: 1000 })).toEqual([]);
      await store.sweep();
      expect(await store.batches.get(id, OWNER)).toMatchObject({
        status: 'in_progress',
        counts: { processing: 1, expired: 2 },
      });
      expect(lease && (await store.batches.complete(lease, { outcome: 'errored', result: '{}' }))).toBe('committed');
      expect(await store.batches.get(id, OWNER)).toMatchObject({ status: 'ended', counts: { errored: 1, expired: 2 } });
    });

    it('an ended batch is deleted after its retention', async () => {
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      const { id: open } = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      const [lease] = await store.batches.claim({ limit: 1, leaseMs: BATCH_RETENTION_MS * 2 });
      expect(lease && [id, open].includes(lease.batchId)).toBe(true);
      await store.batches.cancel(id, OWNER);
      await store.batches.cancel(open, OWNER);
      clock.time += BATCH_RETENTION_MS - 1;
      await store.sweep();
      expect((await store.batches.list({ owner: OWNER, limit: 10 }))?.batches).toHaveLength(2);
      clock.time += 1;
      await store.sweep();
      const left = (await store.batches.list({ owner: OWNER, limit: 10 }))?.batches.map((batch) => batch.id);
      expect(left).toEqual([lease?.batchId]);
    });
  });
}
