import { createSnapshot, type Searcher, type Tool } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { createHybridSearcher } from '@quartermaster/core/search';
import { describeSearcher } from '@quartermaster/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../store/embedded-postgres.fixture.ts';
import { openStore, type Store, StoreError, type ToolIndex } from '../../store/index.ts';
import { openPglite } from '../../store/tool-index/open-pglite.fixture.ts';
import { openToolIndex } from '../../store/tool-index/tool-index.ts';
import { hashedEmbedder as embedder } from './hashed-embedder.fixture.ts';
import { createPostgresSearcher } from './postgres-searcher.ts';

let server: TestPostgres;
let store: Store;
let onServer: ToolIndex;
let pglite: Awaited<ReturnType<typeof openPglite>>;
let onPglite: ToolIndex;

beforeAll(async () => {
  server = await startPostgres();
  const timeouts = { connectMs: 1_000, statementMs: 2_000 };
  store = await openStore({ ...(await server.createPlace()), timeouts });
  onServer = await store.openToolIndex({ embedder });
  pglite = await openPglite();
  onPglite = await openToolIndex(pglite, { embedder });
}, 120_000);

afterAll(async () => {
  await pglite.close();
  await store.close();
  await server.stop();
});

const DATABASES = [
  ['sign bits on a server', () => onServer],
  ['pgvector on PGlite', () => onPglite],
] as const;

it('compares vectors with pgvector if it is installed, otherwise sign bits', () => {
  expect(onServer.vectors).toBe('sign-bits');
  expect(onPglite.vectors).toBe('pgvector');
});

const VERBS = ['create', 'list', 'delete', 'rename', 'share', 'export', 'archive', 'merge'];
const THINGS = ['invoice', 'email', 'file', 'calendar', 'ticket', 'branch', 'order', 'room', 'contract', 'photo'];
const PLACES = ['office', 'warehouse', 'cloud', 'archive', 'desktop'];

/** 400 tools: far more than the candidates of one search. */
const LARGE: readonly Tool[] = VERBS.flatMap((verb) =>
  THINGS.flatMap((thing) =>
    PLACES.map((place) =>
      createTool({
        server: `${place} ${thing}`,
        name: `${verb}_${thing}_${place}`,
        description: `Can ${verb} one ${thing} that is kept in the ${place}.`,
        schema: { type: 'object', properties: { [`${thing}_id`]: { type: 'string', description: 'Which one' } } },
      }),
    ),
  ),
);

const QUERIES = [
  'rename a branch in the cloud',
  'share_photo_desktop',
  'select:merge_order_office, list_room_cloud',
  'server:"office invoice" delete',
  '+contract archive',
  'server:nowhere photo',
  'exprot tickets',
  'all invoices of the warehouse and the photos of the desktop',
  'what is the weather in Lisbon',
];

for (const [name, index] of DATABASES) {
  describeSearcher(
    { describe, it, expect },
    {
      name,
      async create(snapshot) {
        await index().sync('contract', snapshot.tools, { hash: snapshot.hash });
        return createPostgresSearcher(index(), 'contract', { now: everLater() });
      },
    },
  );

  describe(`${name}`, () => {
    let here: Searcher;
    const inMemory = createHybridSearcher(createSnapshot(LARGE), { embedder });

    beforeAll(async () => {
      await index().sync('large', LARGE);
      here = createPostgresSearcher(index(), 'large');
    });

    it.each(QUERIES)('answers %j as the engine in memory does', async (query) => {
      const expected = await inMemory.search({ query });
      const found = await here.search({ query });
      expect(found.verdict).toBe(expected.verdict);
      expect(found.unresolved).toEqual(expected.unresolved);
      expect(found.hits[0]?.tool.id).toBe(expected.hits[0]?.tool.id);
      if (expected.verdict === 'none') return;
      const ids = new Set(found.hits.map(({ tool }) => tool.id));
      expect(expected.hits.filter(({ tool }) => ids.has(tool.id)).length).toBeGreaterThanOrEqual(
        expected.hits.length - 1,
      );
    });

    it('looks further if the caller may see little of what is nearest', async () => {
      const allow = (tool: Tool): boolean => tool.name.startsWith('merge_photo');
      const { hits } = await here.search({ query: 'one that is kept', allow, limit: 5 });
      expect(hits.map(({ tool }) => tool.name).sort()).toEqual(PLACES.map((place) => `merge_photo_${place}`).sort());
    });

    it('returns definitions unchanged', async () => {
      const { hits } = await here.search({ query: 'share_photo_desktop', limit: 1 });
      expect(hits[0]?.tool).toEqual(LARGE.find((tool) => tool.name === 'share_photo_desktop'));
    });

    it('never finds tools of another catalog', async () => {
      const secret = createTool({ server: 'vault', name: 'open_secret_vault', description: 'Opens the secret vault.' });
      await index().sync('other', [secret]);
      const queries = [
        'open the secret vault',
        'open_secret_vault',
        'select:vault/open_secret_vault',
        'server:vault open',
        '+secret vault',
        'secrt vualt',
      ];
      for (const query of [...queries, queries]) {
        const { hits } = await here.search({ query, limit: 50 });
        expect(hits.some(({ tool }) => tool.id === secret.id)).toBe(false);
      }
      expect(await here.explain({ query: 'vault' }, secret)).toEqual({ kind: 'not-in-catalog' });
      const other = createPostgresSearcher(index(), 'other');
      expect(
        (await other.search({ query: 'rename a branch', limit: 50 })).hits.every(({ tool }) => tool.id === secret.id),
      ).toBe(true);
      const [mine, theirs] = await Promise.all(['large', 'other'].map((catalog) => index().figures(catalog)));
      if (mine === undefined || theirs === undefined) throw new Error('both are indexed');
      // The number of a tool is nothing without its catalog's.
      expect((await index().fetch(theirs, [0, 1, 2])).map(({ tool }) => tool.id)).toEqual([secret.id]);
      expect((await index().countTerms(mine, ['svault'])).size).toBe(0);
      expect(await index().get(mine, secret.id)).toBeUndefined();
    });

    it('sees changes within a second', async () => {
      let now = 0;
      const searcher = createPostgresSearcher(index(), 'changing', { now: () => now });
      await index().sync('changing', [createTool({ name: 'paint_fence', description: 'Paints a fence' })]);
      expect((await searcher.search({ query: 'paint fence' })).hits).toHaveLength(1);
      await index().update('changing', {
        put: [createTool({ name: 'mow_lawn', description: 'Mows a lawn' })],
        remove: ['paint_fence'],
      });
      now += 1_000;
      expect((await searcher.search({ query: 'mow lawn' })).hits.map(({ tool }) => tool.name)).toEqual(['mow_lawn']);
      await index().remove('changing');
      now += 1_000;
      expect(await searcher.search({ query: 'mow lawn' })).toMatchObject({ hits: [], verdict: 'none' });
    });
  });
}

it('fails like the store while the server is down, and works again afterwards', async () => {
  await onServer.sync('away', LARGE.slice(0, 20));
  const searcher = createPostgresSearcher(onServer, 'away', { now: everLater() });
  expect((await searcher.search({ query: 'invoice' })).verdict).toBe('match');
  await server.halt();
  const failed = await searcher.search({ query: 'invoice' }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreError);
  expect(failed).toMatchObject({ code: 'unavailable' });
  await server.resume();
  await expect
    .poll(
      () =>
        searcher.search({ query: 'invoice' }).then(
          ({ verdict }) => verdict,
          () => 'away',
        ),
      { timeout: 20_000 },
    )
    .toBe('match');
});

/** Figures are read again each time. */
function everLater(): () => number {
  let now = 0;
  return () => (now += 1_000);
}
