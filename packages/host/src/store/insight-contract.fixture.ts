import { describe, expect, it } from 'vitest';
import { INSIGHT_COUNTS, type InsightCell, type InsightCounts, type InsightRecord } from './insight-store.ts';
import { hostileNames } from './records-contract.fixture.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';

const DAY_MS = 86_400_000;
const NO_COUNTS = Object.fromEntries(INSIGHT_COUNTS.map((count) => [count, 0])) as unknown as InsightCounts;

function cell(given: Partial<InsightCell>): InsightCell {
  return { ...NO_COUNTS, day: '2026-11-15', owner: '', model: 'm', form: 'f', catalog: '', ...given };
}

function record(id: string, given: Partial<InsightRecord> = {}): InsightRecord {
  return { id, owner: 'ann', atMs: START, outcomes: [], record: JSON.stringify({ id, query: 'a\u0000ü' }), ...given };
}

export function describeInsight({ place, open, clock }: StoreHarness): void {
  describe('labelled requests', () => {
    it('are kept by catalog and query, of any text, until they are deleted', async () => {
      const location = await place();
      const { cases } = await open(location);
      for (const query of hostileNames) {
        expect(await cases.put('acme', { query, tools: [query, 'b'], by: 'key_1' })).toBe('stored');
      }
      clock.time += 1;
      await cases.put('acme', { query: 'weather', tools: ['a'], by: 'key_1' });
      await cases.put('acme', { query: 'weather', tools: ['get_weather'], by: 'key_2' });
      await cases.put('other', { query: 'weather', tools: ['x'], by: '' });
      const listed = await (await open(location)).cases.list('acme');
      expect(listed).toHaveLength(hostileNames.length + 1);
      expect(listed.at(-1)).toEqual({ query: 'weather', tools: ['get_weather'], at: START + 1, by: 'key_2' });
      expect(new Set(listed.slice(0, -1).map(({ query }) => query))).toEqual(new Set(hostileNames));
      expect(await cases.delete('acme', 'weather')).toBe(true);
      expect(await cases.delete('acme', 'weather')).toBe(false);
      expect(await cases.list('other')).toHaveLength(1);
    });
  });

  describe('insight', () => {
    it('adds up the counts of all replicas, which may be negative, and survives a restart', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      const some = cell({ owner: 'ann', requests: 2, keptOut: 10, added: 500 });
      await Promise.all([
        one.insight.add({ cells: [some, cell({ owner: 'bob', requests: 1 })], records: [] }),
        two.insight.add({ cells: [cell({ owner: 'bob', requests: 5 }), some], records: [] }),
      ]);
      const { insight } = await open(location);
      expect(await insight.cells({ owner: 'ann', fromDay: '2026-11-15' })).toEqual([
        cell({ owner: 'ann', requests: 4, keptOut: 20, added: 1_000 }),
      ]);
      expect((await insight.cells({ fromDay: '2026-11-15' })).map(({ requests }) => requests).sort()).toEqual([4, 6]);
      expect(await insight.cells({ fromDay: '2026-11-16' })).toEqual([]);
    });

    it('counts long names that differ only at the end together, since names are cut', async () => {
      const { insight } = await open(await place());
      const cells = ['one', 'two'].map((end) => cell({ catalog: `${'long, '.repeat(50)}${end}`, requests: 1 }));
      await insight.add({ cells, records: [] });
      expect((await insight.cells({ fromDay: '' })).map(({ requests }) => requests)).toEqual([2]);
    });

    it('counts models of any name', async () => {
      const { insight } = await open(await place());
      const cells = [...hostileNames, 'x'.repeat(5_000)].map((model) => cell({ model, requests: 1 }));
      await insight.add({ cells, records: [] });
      const models = (await insight.cells({ fromDay: '' })).map(({ model }) => model);
      expect(models).toHaveLength(cells.length);
      expect(models).toEqual(expect.arrayContaining(hostileNames.filter((name) => name.length < 128)));
    });

    it('keeps records by owner, time and outcome, each once', async () => {
      const { insight } = await open(await place());
      const records = [
        record('a', { outcomes: ['nothing', 'loss'] }),
        record('b', { atMs: START + 1, owner: 'bob', outcomes: ['nothing'] }),
        record('c', { atMs: START + 2 }),
      ];
      await insight.add({ cells: [], records });
      await insight.add({ cells: [], records });
      const ids = async (query: object) =>
        (await insight.records({ limit: 10, ...query })).map(({ id }: InsightRecord) => id);
      expect(await ids({})).toEqual(['c', 'b', 'a']);
      expect(await ids({ owner: 'ann' })).toEqual(['c', 'a']);
      expect(await ids({ outcome: 'nothing', beforeMs: START + 1 })).toEqual(['a']);
      expect(await insight.record('a')).toEqual(records[0]);
      expect(await insight.record('nope')).toBeUndefined();
    });

    it('is swept by age and by size, the oldest first', async () => {
      const { insight } = await open(await place());
      const cells = ['2026-11-13', '2026-11-15'].map((day) => cell({ day, requests: 1 }));
      const record20 = (id: string, atMs: number) => record(id, { atMs, record: 'x'.repeat(20) });
      const records = [record20('old', START - 3 * DAY_MS), record20('a', START), record20('b', START + 1)];
      await insight.add({ cells, records });
      expect(await insight.sweep({ fromMs: START - DAY_MS, maxBytes: 20 })).toBe(2);
      expect((await insight.records({ limit: 10 })).map(({ id }) => id)).toEqual(['b']);
      expect((await insight.cells({ fromDay: '' })).map(({ day }) => day)).toEqual(['2026-11-15']);
    });
  });
}
