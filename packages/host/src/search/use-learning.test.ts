import { createTool } from '@quartermaster/core/catalog';
import type { LearnedUse } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import type { LearnedUseStore, UseScope } from '../store/index.ts';
import { createUseLearning, type UseLearningOptions } from './use-learning.ts';

const DAY_MS = 24 * 60 * 60_000;
const SEND = createTool({ name: 'send_mail', server: 'mail' });
const READ = createTool({ name: 'read_mail', server: 'mail' });
const FOUND = [READ, SEND].map((tool) => ({ tool, name: `mail__${tool.name}` }));

/** A direction for each first letter. */
function embed(text: string): Float32Array {
  const vector = new Float32Array(26);
  vector[text.charCodeAt(0) - 97] = 1;
  return vector;
}

function memoryStore() {
  const rows: { readonly scope: UseScope; readonly use: LearnedUse }[] = [];
  const isSame = (left: UseScope, right: UseScope) => left.owner === right.owner && left.catalog === right.catalog;
  let isDown = false;
  const store: LearnedUseStore = {
    async add(scope, uses) {
      if (isDown) throw new Error('down');
      rows.push(...uses.map((use) => ({ scope, use })));
    },
    async list(scope) {
      if (isDown) throw new Error('down');
      return rows.filter((row) => isSame(row.scope, scope)).map(({ use }) => use);
    },
    summarise: async ({ owner } = {}) =>
      rows.flatMap(({ scope, use }) =>
        owner === undefined || scope.owner === owner
          ? [{ ...scope, tool: use.tool, calls: 1, lastAtMs: use.atMs }]
          : [],
      ),
    forget: async () => 0,
    sweep: async () => undefined,
  };
  return { store, rows, setDown: (down: boolean) => (isDown = down) };
}

function learning(given: Partial<UseLearningOptions> = {}) {
  let time = 100 * DAY_MS;
  const kept = memoryStore();
  const errors: unknown[] = [];
  const learned = createUseLearning({
    learn: 'vectors',
    embed,
    store: kept.store,
    clock: { now: () => time, after: () => () => undefined },
    onError: (error) => errors.push(error),
    ...given,
  });
  const bonus = async (owner: string, query: string, catalog = 'acme'): Promise<number | undefined> =>
    (await learned.memoryFor(catalog).recall(query, { id: owner }))?.get(SEND.id)?.points;
  return {
    ...{ learned, errors, bonus, ...kept },
    search: (owner: string, query: string, catalog = 'acme') =>
      learned.memoryFor(catalog).note({ query, tools: FOUND }, { id: owner }),
    pass: (ms: number) => (time += ms),
  };
}

describe('learning from use', () => {
  it('favours what was called after a search, for searches like it', async () => {
    const { learned, search, bonus } = learning();
    search('anna', 'post a letter');
    expect(await bonus('anna', 'post a letter')).toBeUndefined();
    learned.called('anna', 'mail__send_mail');
    expect(await bonus('anna', 'parcel')).toBeGreaterThan(3);
    expect(await bonus('anna', 'archive')).toBeLessThan(0.5);
  });

  it('is separate for each owner and catalog', async () => {
    const { learned, search, bonus } = learning();
    search('anna', 'post a letter');
    learned.called('ben', SEND.id);
    learned.called('anna', SEND.id);
    await learned.flush();
    expect(await bonus('ben', 'post a letter')).toBeUndefined();
    expect(await bonus('anna', 'post a letter', 'other')).toBeUndefined();
    expect(await bonus('anna', 'post a letter')).toBeGreaterThan(3);
  });

  it('keeps vectors and times, never a text', async () => {
    const { learned, search, rows } = learning();
    search('anna', 'post a letter');
    learned.called('anna', SEND.id);
    await learned.flush();
    expect(rows).toEqual([
      {
        scope: { owner: 'anna', catalog: 'acme' },
        use: { tool: SEND.id, atMs: 100 * DAY_MS, vector: expect.any(Int8Array) },
      },
    ]);
  });

  it('keeps no vectors if only counts are kept', async () => {
    const { learned, search, rows, bonus } = learning({ learn: 'counts' });
    search('anna', 'post a letter');
    learned.called('anna', SEND.id);
    await learned.flush();
    expect(rows[0]?.use).toEqual({ tool: SEND.id, atMs: 100 * DAY_MS });
    expect(await bonus('anna', 'post a letter')).toBeLessThan(0.5);
  });

  it('learns a call once for a search, and not from one long ago', async () => {
    const { learned, search, rows, pass } = learning();
    search('anna', 'post a letter');
    for (const _ of [1, 2, 3]) learned.called('anna', SEND.id);
    pass(11 * 60_000);
    learned.called('anna', READ.id);
    await learned.flush();
    expect(rows).toHaveLength(1);
  });

  it('learns a repeated call for the last search only', async () => {
    const { learned, search, rows } = learning();
    search('anna', 'archive the inbox');
    search('anna', 'post a letter');
    learned.called('anna', SEND.id);
    learned.called('anna', 'mail__send_mail');
    await learned.flush();
    expect(rows).toHaveLength(1);
  });

  it('continues if the store fails, and writes later what it has learned meanwhile', async () => {
    const { learned, search, bonus, setDown, errors, rows } = learning();
    setDown(true);
    search('anna', 'post a letter');
    expect(await bonus('anna', 'post a letter')).toBeUndefined();
    learned.called('anna', SEND.id);
    await learned.flush();
    expect(errors).toHaveLength(2);
    setDown(false);
    await learned.flush();
    expect(rows).toHaveLength(1);
    expect(await bonus('anna', 'post a letter')).toBeGreaterThan(3);
  });

  it('counts a call once that comes while the store is being read', async () => {
    const { learned, search, bonus } = learning({ learn: 'counts' });
    search('anna', 'post a letter');
    const first = bonus('anna', 'post a letter');
    learned.called('anna', SEND.id);
    await first;
    expect(await bonus('anna', 'post a letter')).toBeCloseTo(0.2 * Math.log1p(1), 5);
  });

  it('does not write what is forgotten while it writes', async () => {
    const { learned, search, rows } = learning();
    for (const owner of ['anna', 'ben']) {
      search(owner, 'post a letter');
      learned.called(owner, SEND.id);
    }
    const flushed = learned.flush();
    // The first of both is being written.
    await Promise.resolve();
    learned.forget('ben');
    await flushed;
    expect(rows.map(({ scope }) => scope.owner)).toEqual(['anna']);
  });

  it('sees what another replica learns after a while', async () => {
    const { store, bonus, pass } = learning();
    expect(await bonus('anna', 'post')).toBeUndefined();
    await store.add({ owner: 'anna', catalog: 'acme' }, [{ tool: SEND.id, atMs: 100 * DAY_MS }]);
    expect(await bonus('anna', 'post')).toBeUndefined();
    pass(5 * 60_000);
    expect(await bonus('anna', 'post')).toBeGreaterThan(0);
  });

  it('finds an owner’s hot tools once a day; they age out', async () => {
    const { learned, store, pass } = learning();
    const uses = (days: number, count: number) =>
      Array.from({ length: count }, () => ({ tool: SEND.id, atMs: days * DAY_MS - 1 }));
    await store.add({ owner: 'anna', catalog: 'acme' }, uses(100, 4));
    expect(await learned.hotTools('anna')).toEqual([SEND.id]);
    expect(await learned.hotTools('ben')).toEqual([]);
    await store.add({ owner: 'ben', catalog: 'acme' }, uses(100.5, 9));
    expect(await learned.hotTools('ben')).toEqual([]);
    pass(DAY_MS);
    expect(await learned.hotTools('ben')).toEqual([SEND.id]);
    pass(60 * DAY_MS);
    expect(await learned.hotTools('anna')).toEqual([]);
  });

  it('forgets an owner at once', async () => {
    const { learned, search, bonus } = learning();
    for (const owner of ['anna', 'ben']) {
      search(owner, 'post a letter');
      learned.called(owner, SEND.id);
    }
    learned.forget('anna');
    await learned.flush();
    expect(await bonus('anna', 'post a letter')).toBeUndefined();
    expect(await bonus('ben', 'post a letter')).toBeGreaterThan(3);
    learned.forget();
    learned.called('ben', READ.id);
    await learned.flush();
    expect(await bonus('ben', 'post a letter')).toBeGreaterThan(3);
  });
});
