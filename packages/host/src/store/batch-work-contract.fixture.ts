import { describe, expect, it } from 'vitest';
import { collect, finishAll, makeItems, OWNER } from './batch-contract.fixture.ts';
import type { ClaimedItem } from './batch-store.ts';
import type { Store } from './open-store.ts';
import { hostileNames } from './records-contract.fixture.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';

const LEASE_MS = 60_000;

export function describeBatchWork({ place, open, clock }: StoreHarness): void {
  describe('work on batches', () => {
    it('hands out an item with everything that its worker needs', async () => {
      const store = await open(await place());
      const batch = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      expect(await store.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toEqual([
        {
          batchId: batch.id,
          position: 0,
          token: expect.stringMatching(/^lease_/),
          owner: OWNER,
          customId: 'item-0',
          params: '{"index":0}',
          headers: {},
          attempt: 1,
          expiresAt: batch.expiresAt,
        },
      ]);
    });

    it('hands out the oldest batch first, and never the same item twice while its lease lives', async () => {
      const store = await open(await place());
      const first = await store.batches.create({ owner: OWNER, items: makeItems(3) });
      clock.time += 5;
      const second = await store.batches.create({ owner: OWNER, items: makeItems(3) });
      const claimed: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        const items = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
        claimed.push(...items.map(({ batchId, position }) => `${batchId}/${position}`));
      }
      expect(claimed).toEqual([first, second].flatMap(({ id }) => [0, 1, 2].map((position) => `${id}/${position}`)));
    });

    it('an item whose lease ran out is claimed again, and only the second worker can finish it', async () => {
      const store = await open(await place());
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(1) });
      const [dead] = await store.batches.claim({ limit: 1, leaseMs: LEASE_MS });
      clock.time += LEASE_MS - 1;
      expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toEqual([]);
      clock.time += 1;
      const [alive] = await store.batches.claim({ limit: 1, leaseMs: LEASE_MS });
      expect(alive).toMatchObject({ position: 0, attempt: 2, params: '{"index":0}' });
      expect(dead && alive && (await store.batches.extend([dead, alive], LEASE_MS))).toEqual(['lost', 'held']);
      expect(dead && (await store.batches.complete(dead, { outcome: 'succeeded', result: '"dead"' }))).toBe('lost');
      expect(alive && (await store.batches.complete(alive, { outcome: 'succeeded', result: '"alive"' }))).toBe(
        'committed',
      );
      expect((await collect(store.batches.results(id, OWNER))).map(({ result }) => result)).toEqual(['"alive"']);
    });

    it('the items of a dead worker are free for the next one to start, unless another is alive', async () => {
      const location = await place();
      const first = await open(location);
      await first.batches.enlist();
      await first.batches.create({ owner: OWNER, items: makeItems(2) });
      expect(await first.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toHaveLength(2);

      const second = await open(location);
      await second.batches.enlist();
      await second.batches.enlist();
      expect(await second.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toEqual([]);
      // A store that closes gives nothing back, as if its process had died.
      await first.close();
      await second.close();

      const third = await open(location);
      expect(await third.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toEqual([]);
      await third.batches.enlist();
      expect(await third.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toHaveLength(2);
    });

    it('the waiting items of one owner can be put off, and those of others stay', async () => {
      const store = await open(await place());
      await store.batches.create({ owner: OWNER, items: makeItems(2) });
      await store.batches.create({ owner: 'other', items: makeItems(1) });
      await store.batches.postpone(OWNER, clock.time + 1_000);
      expect((await store.batches.claim({ limit: 5, leaseMs: LEASE_MS })).map(({ owner }) => owner)).toEqual(['other']);
      clock.time += 1_000;
      expect(await store.batches.claim({ limit: 5, leaseMs: LEASE_MS })).toHaveLength(2);
    });

    it('a lease that is kept alive outlasts its length, and one that lapsed unnoticed is taken up again', async () => {
      const store = await open(await place());
      await store.batches.create({ owner: OWNER, items: makeItems(1) });
      const leases = await store.batches.claim({ limit: 1, leaseMs: LEASE_MS });
      for (let beat = 0; beat < 5; beat += 1) {
        clock.time += LEASE_MS / 2;
        expect(await store.batches.extend(leases, LEASE_MS)).toEqual(['held']);
        expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toEqual([]);
      }
      clock.time += LEASE_MS * 2;
      expect(await store.batches.extend(leases, LEASE_MS)).toEqual(['held']);
      expect(await store.batches.claim({ limit: 1, leaseMs: LEASE_MS })).toEqual([]);
    });

    it('released items are claimed at once, and their old lease is invalid', async () => {
      const store = await open(await place());
      await store.batches.create({ owner: OWNER, items: makeItems(2) });
      const leases = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      await store.batches.release(leases);
      const again = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      expect(again.map(({ position, attempt }) => ({ position, attempt }))).toEqual([
        { position: 0, attempt: 2 },
        { position: 1, attempt: 2 },
      ]);
      await store.batches.release(leases);
      expect(await store.batches.extend([...leases, ...again], LEASE_MS)).toEqual(['lost', 'lost', 'held', 'held']);
    });

    it('hands out the headers of a batch with each of its items', async () => {
      const store = await open(await place());
      const headers = { 'anthropic-beta': 'a-2026-01-01,b-2026-02-02', ['__proto__']: 'x' };
      await store.batches.create({ owner: OWNER, headers, items: makeItems(2) });
      const claimed = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      expect(claimed.map((item) => item.headers)).toEqual([headers, headers]);
    });

    it('what was kept for an item comes with the next claim, and only the holder of a lease can keep anything', async () => {
      const store = await open(await place());
      await store.batches.create({ owner: OWNER, items: makeItems(2) });
      const [dead, other] = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      if (dead === undefined || other === undefined) throw new Error('Nothing was claimed');
      expect(dead).not.toHaveProperty('progress');
      expect(await store.batches.keep(dead, '"first"')).toBe('kept');
      const second = JSON.stringify('\ud800\0é');
      expect(await store.batches.keep(dead, second)).toBe('kept');
      clock.time += LEASE_MS;
      const [alive, untouched] = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      if (alive === undefined) throw new Error('Nothing was claimed');
      expect(alive).toMatchObject({ position: 0, attempt: 2, params: '{"index":0}', progress: second });
      expect(untouched).not.toHaveProperty('progress');
      expect(await store.batches.keep(dead, '"late"')).toBe('lost');
      await store.batches.release([alive]);
      expect(await store.batches.keep(alive, '"late"')).toBe('lost');
      const [last] = await store.batches.claim({ limit: 1, leaseMs: LEASE_MS });
      if (last === undefined) throw new Error('Nothing was claimed');
      expect(last.progress).toBe(second);
      expect(await store.batches.complete(last, { outcome: 'succeeded', result: '{}' })).toBe('committed');
      expect(await store.batches.keep(last, '"late"')).toBe('lost');
    });

    it('repeating a commit whose answer got lost changes nothing and says the same', async () => {
      const store = await open(await place());
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(2) });
      const [lease] = await store.batches.claim({ limit: 1, leaseMs: LEASE_MS });
      for (const result of ['"first"', '"second"']) {
        expect(lease && (await store.batches.complete(lease, { outcome: 'succeeded', result }))).toBe('committed');
      }
      expect((await store.batches.get(id, OWNER))?.counts).toMatchObject({ processing: 1, succeeded: 1 });
      expect((await collect(store.batches.results(id, OWNER))).map(({ result }) => result)).toEqual(['"first"']);
    });

    it('the batch ends with its last result, at that time', async () => {
      const store = await open(await place());
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(2) });
      const leases = await store.batches.claim({ limit: 2, leaseMs: LEASE_MS });
      for (const lease of leases) {
        expect((await store.batches.get(id, OWNER))?.status).toBe('in_progress');
        clock.time += 7;
        await store.batches.complete(lease, { outcome: 'errored', result: '{}' });
      }
      expect(await store.batches.get(id, OWNER)).toMatchObject({
        status: 'ended',
        endedAt: START + 14,
        counts: { processing: 0, errored: 2 },
      });
    });

    it('replicas that work side by side give every item exactly one result, and ask for it once', async () => {
      const location = await place();
      const replicas = await Promise.all([open(location), open(location), open(location), open(location)]);
      const ids = await Promise.all(
        replicas.map(async (store) => (await store.batches.create({ owner: OWNER, items: makeItems(40) })).id),
      );
      const calls = new Map<string, number>();
      await Promise.all(replicas.map((store) => workUntilDry(store, calls)));
      expect(calls.size).toBe(160);
      expect([...calls.values()].every((count) => count === 1)).toBe(true);
      for (const id of ids) {
        expect(await replicas[0].batches.get(id, OWNER)).toMatchObject({
          status: 'ended',
          counts: { processing: 0, succeeded: 40 },
        });
        const customIds = (await collect(replicas[1].batches.results(id, OWNER))).map(({ customId }) => customId);
        expect(customIds).toEqual(makeItems(40).map(({ customId }) => customId));
      }
    });

    it('cancelling while replicas work leaves counts that add up', async () => {
      const location = await place();
      const replicas = await Promise.all([open(location), open(location), open(location)]);
      const { id } = await replicas[0].batches.create({ owner: OWNER, items: makeItems(60) });
      const calls = new Map<string, number>();
      await Promise.all([
        workUntilDry(replicas[0], calls),
        workUntilDry(replicas[1], calls),
        replicas[2].batches.cancel(id, OWNER).then(() => replicas[2].sweep()),
      ]);
      const batch = await replicas[2].batches.get(id, OWNER);
      const { succeeded = -1, canceled = -1 } = batch?.counts ?? {};
      expect(batch).toMatchObject({ status: 'ended', counts: { processing: 0 } });
      expect(succeeded + canceled).toBe(60);
      expect(succeeded).toBe(calls.size);
      expect(await collect(replicas[0].batches.results(id, OWNER))).toHaveLength(60);
    });

    it('keeps custom ids and owners of any characters apart', async () => {
      const store = await open(await place());
      const items = hostileNames.map((customId) => ({ customId, params: '{}' }));
      for (const owner of ['\ud800', '\ud801']) {
        const { id } = await store.batches.create({ owner, items });
        await finishAll(store);
        expect((await collect(store.batches.results(id, owner))).map(({ customId }) => customId)).toEqual(hostileNames);
      }
      expect((await store.batches.list({ owner: '\ud800', limit: 5 }))?.batches).toHaveLength(1);
    });
  });
}

async function workUntilDry(store: Store, calls: Map<string, number>): Promise<void> {
  while (true) {
    const items = await store.batches.claim({ limit: 3, leaseMs: LEASE_MS });
    if (items.length === 0) return;
    await Promise.all(items.map((item) => workOn(store, item, calls)));
  }
}

async function workOn(store: Store, item: ClaimedItem, calls: Map<string, number>): Promise<void> {
  const key = `${item.batchId}/${item.position}`;
  calls.set(key, (calls.get(key) ?? 0) + 1);
  expect(await store.batches.complete(item, { outcome: 'succeeded', result: '{}' })).toBe('committed');
}
