import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSnapshot,
  createTool,
  type SearchText,
  type Snapshot,
  searchText,
  type Tool,
} from '../../catalog/index.ts';
import { buildBm25Index } from '../bm25/index.ts';
import { describeSearcher } from '../searcher-contract.fixture.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import { buildVectorIndex, type VectorIndex } from '../semantic/vector-index.ts';
import { NO_FEATURES } from './features.ts';
import type { HybridOptions } from './hybrid-options.ts';
import { createHybridSearcher, createSemanticSearcher, type HybridSearcherOptions } from './hybrid-searcher.ts';
import { toyEmbedder } from './toy-embedder.fixture.ts';

describeSearcher('hybrid', (snapshot) => createHybridSearcher(snapshot, { embedder: toyEmbedder }));
describeSearcher('semantic', (snapshot) => createSemanticSearcher(snapshot, { embedder: toyEmbedder }));

function snapshotOf(...tools: readonly (readonly [name: string, description: string, server?: string])[]): Snapshot {
  return createSnapshot(
    tools.map(([name, description, server]) => {
      return createTool({ name, description, ...(server === undefined ? {} : { server }) });
    }),
  );
}

const OFFICE = snapshotOf(
  ['send_email', 'Send an email'],
  ['create_invoice', 'Create an invoice'],
  ['delete_file', 'Delete a file'],
  ['list_files', 'List files'],
  ['rename_file', 'Rename a file'],
  ['copy_file', 'Copy a file'],
  ['move_file', 'Move a file'],
);

describe('hybrid search', () => {
  const office = createHybridSearcher(OFFICE, { embedder: toyEmbedder });
  const names = async (query: string, limit?: number): Promise<string[]> => {
    const { hits } = await office.search({ query, ...(limit === undefined ? {} : { limit }) });
    return hits.map(({ tool }) => tool.name);
  };

  it('finds a tool that shares no word with the request', async () => {
    expect((await names('bill'))[0]).toBe('create_invoice');
  });

  it('puts a named tool first, whatever the rest of the request means', async () => {
    expect((await names('delete remove file with `send_email`'))[0]).toBe('send_email');
  });

  it('reads a misspelt word as the catalog spells it, and does not count it as unknown', async () => {
    // The toy knows no word that ends in x, so that only the catalog can tell what was meant.
    const { hits, verdict } = await office.search({ query: 'invoicex' });
    expect(hits[0]?.tool.name).toBe('create_invoice');
    expect(verdict).toBe('match');
  });

  it('gives finite scores if some tools are found by parts of their names and others by misspelt words', async () => {
    // "ile" is a part of "file" and no word, and only a misspelt word has lists to be read.
    for (const query of ['invoicex ile', 'send an email and invoicex ile xx. ile invoicex xx']) {
      const { hits } = await office.search({ query, limit: 50 });
      expect(hits.map(({ tool }) => tool.name)).toContain('create_invoice');
      expect(hits.filter(({ score }) => !Number.isFinite(score))).toEqual([]);
    }
  });

  it('uses separate weights for a request of one clause, unless only one set is given', async () => {
    const weights = { ...NO_FEATURES, meaning: 1 };
    const oneClauseWeights = { ...NO_FEATURES, meaning: 7 };
    const best = async (query: string, options: HybridOptions): Promise<number | undefined> => {
      const searcher = createHybridSearcher(OFFICE, { embedder: toyEmbedder, intentWeight: 0, ...options });
      return (await searcher.search({ query, limit: 1 })).hits[0]?.score;
    };
    const [one, several] = ['remove the file', 'remove the old file now and then list more files'];
    expect(await best(one, { weights, oneClauseWeights })).toBeCloseTo(7 * ((await best(one, { weights })) ?? 0));
    expect(await best(several, { weights, oneClauseWeights })).toBe(await best(several, { weights }));
  });

  it('makes room for each of several intents', async () => {
    const found = await names('delete a file and then create a bill', 2);
    expect(found.toSorted()).toEqual(['create_invoice', 'delete_file']);
  });

  it('favours the server that serves another part of the request, and says so', async () => {
    const tools = ['alpha', 'beta'].flatMap((server) => [
      createTool({ server, name: 'send_letter', description: 'Send a letter' }),
      createTool({ server, name: 'weigh_parcel', description: 'Weigh a parcel' }),
    ]);
    const only = createTool({ server: 'beta', name: 'stamp_book', description: 'Buy a stamp book for collectors' });
    const searcher = createHybridSearcher(createSnapshot([...tools, only]), { embedder: toyEmbedder });
    const query = 'buy a stamp book for collectors. Then weigh a parcel at home';
    const { hits } = await searcher.search({ query, explain: true });
    expect(hits.slice(0, 2).map(({ tool }) => tool.id)).toEqual(['beta/stamp_book', 'beta/weigh_parcel']);
    expect(hits[1]?.explanation?.details.map(({ what }) => what)).toContain('a tool of the same server ranks above it');
  });

  it('says what a share of words refers to if a named tool has more than all others', async () => {
    const query = 'create_invoice for the file';
    const { hits } = await office.search({ query, explain: true });
    const [, features] = hits[0]?.explanation?.details ?? [];
    const terms = features?.details.find(({ what }) => what.includes('keyword score: '));
    expect(hits[0]?.tool.name).toBe('create_invoice');
    expect(terms?.what).toMatch(
      /^\S+ × [12]\.\d{3}: keyword score: BM25 score relative to the best tool that the request does not name, at most 2$/,
    );
  });

  it('reports operators that match nothing', async () => {
    const query = ['server:nope +zzzz', 'select:send_email', 'delete +file', 'server:nope file'];
    expect((await office.search({ query })).unresolved).toEqual(['server:nope', '+zzzz']);
    expect(await office.search({ query: 'delete +file' })).not.toHaveProperty('unresolved');
  });

  it('gives scores that fall from place to place and that their explanations add up to', async () => {
    const { hits } = await office.search({
      query: 'delete the old file and then send a letter. list more files',
      explain: true,
    });
    hits.forEach((hit, at) => {
      expect(hit.score).toBeLessThanOrEqual(hits[at - 1]?.score ?? Number.POSITIVE_INFINITY);
      const { value = Number.NaN, details = [] } = hit.explanation ?? {};
      expect(value).toBe(hit.score);
      expect(details.reduce((sum, detail) => sum + detail.value, 0)).toBeCloseTo(value);
      const features = details.find(({ what }) => what.startsWith('sum of the features'));
      expect(features?.details.reduce((sum, detail) => sum + detail.value, 0)).toBeCloseTo(features?.value ?? 0);
    });
  });

  it('says that nothing fits a request about something else, and how sure it is', async () => {
    const { verdict, confidence } = await office.search({ query: 'quantum chromodynamics lattice' });
    expect(verdict).toBe('none');
    expect(confidence).toBeLessThan(0.25);
    expect((await office.search({ query: 'send an email' })).confidence).toBeGreaterThan(0.7);
  });

  it('folds the same tool from two servers into one place and names the other', async () => {
    const twice = snapshotOf(
      ['create_issue', 'Create an issue in a repository', 'github'],
      ['create_issue', 'Create an issue in a repository', 'gitlab'],
      ['close_issue', 'Close an issue in a repository', 'github'],
    );
    const { hits } = await createHybridSearcher(twice, { embedder: toyEmbedder }).search({
      query: 'create an issue for me',
      limit: 2,
    });
    expect(hits.map(({ tool }) => tool.id)).toEqual(['github/create_issue', 'github/close_issue']);
    expect(hits[0]?.also?.map(({ id }) => id)).toEqual(['gitlab/create_issue']);
  });

  it('does not fold tools that only share their name', async () => {
    const same = snapshotOf(
      ['search', 'Find songs and albums', 'music'],
      ['search', 'Query the flight schedule', 'travel'],
    );
    const { hits } = await createHybridSearcher(same, { embedder: toyEmbedder }).search({ query: 'search' });
    expect(hits).toHaveLength(2);
  });

  it('narrows what it finds by meaning to the server that the query names', async () => {
    const two = snapshotOf(['send_email', 'Send an email', 'work'], ['post', 'Send a letter', 'home']);
    const { hits } = await createHybridSearcher(two, { embedder: toyEmbedder }).search({ query: 'server:home mail' });
    expect(hits.map(({ tool }) => tool.server)).toEqual(['home']);
  });

  it('finds nothing for a catalog without tools', async () => {
    const none = createHybridSearcher(createSnapshot([]), { embedder: toyEmbedder });
    expect(await none.search({ query: 'send email' })).toMatchObject({ hits: [], verdict: 'none' });
  });

  it('explains why a tool has its rank, and why one is missing', async () => {
    const [first] = OFFICE.tools;
    const [, second] = OFFICE.tools;
    if (first === undefined || second === undefined) throw new Error('the office has tools');
    expect(await office.explain({ query: 'send email' }, first)).toMatchObject({ kind: 'listed', rank: 1 });
    expect(await office.explain({ query: 'send email', limit: 1 }, second)).not.toMatchObject({ kind: 'listed' });
  });

  it('never fails and never repeats a tool, whatever is asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.integer({ min: 1, max: 50 }),
        async (query, limit) => {
          const { hits } = await office.search({ query, limit });
          expect(new Set(hits.map(({ tool }) => tool.id)).size).toBe(hits.length);
          expect(hits.length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

describe('preparing a hybrid search', () => {
  /** An embedder that counts the tools it has read, and a pause that lasts until it is told to end. */
  function counted(): { options: HybridSearcherOptions; read: () => number; resume: () => void } {
    let count = 0;
    let resume = (): void => {};
    const embedder = {
      ...toyEmbedder,
      tool: (text: SearchText) => {
        count += 1;
        return toyEmbedder.tool(text);
      },
    };
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    return { options: { embedder, slices: { sliceMs: 0, pause: () => held } }, read: () => count, resume };
  }

  it('reads tools on demand, each once, however many searches run meanwhile', async () => {
    const { options, read, resume } = counted();
    const searcher = createHybridSearcher(OFFICE, options);
    expect(read()).toBe(0);
    const waiting = [
      searcher.prepare?.(),
      searcher.prepare?.(),
      searcher.search({ query: 'bill' }),
      searcher.search({ query: 'send a letter' }),
      searcher.explain({ query: 'bill' }, OFFICE.tools[0] as Tool),
    ];
    expect(read()).toBe(1);
    resume();
    await Promise.all(waiting);
    await searcher.prepare?.();
    await searcher.search({ query: 'bill' });
    expect(read()).toBe(OFFICE.tools.length);
  });

  it('gives the answers of a search that was not prepared', async () => {
    const prepared = createHybridSearcher(OFFICE, { embedder: toyEmbedder });
    await prepared.prepare?.();
    const unprepared = createHybridSearcher(OFFICE, { embedder: toyEmbedder });
    const request = { query: 'delete a file and then create a bill', explain: true };
    expect(await prepared.search(request)).toEqual(await unprepared.search(request));
  });

  it('ends a search whose caller has given up, and continues for the others', async () => {
    const { options, resume } = counted();
    const searcher = createSemanticSearcher(OFFICE, options);
    const controller = new AbortController();
    const impatient = searcher.search({ query: 'bill', signal: controller.signal });
    const patient = searcher.search({ query: 'bill' });
    controller.abort(new Error('gone'));
    await expect(impatient).rejects.toThrow('gone');
    resume();
    expect((await patient).hits[0]?.tool.name).toBe('create_invoice');
  });

  it('tries again after an embedder that failed', async () => {
    let isDown = true;
    const embedder = {
      ...toyEmbedder,
      tool: (text: SearchText) => {
        if (isDown) throw new Error('down');
        return toyEmbedder.tool(text);
      },
    };
    const searcher = createHybridSearcher(OFFICE, { embedder });
    await expect(searcher.prepare?.()).rejects.toThrow('down');
    isDown = false;
    expect((await searcher.search({ query: 'bill' })).hits[0]?.tool.name).toBe('create_invoice');
  });

  it('needs no preparation with vectors and an index that were built elsewhere', async () => {
    const { options, read } = counted();
    const bm25 = { index: buildBm25Index(OFFICE.tools) };
    const searcher = createHybridSearcher(OFFICE, { ...options, bm25, vectors: vectorsOf(OFFICE) });
    await searcher.prepare?.();
    expect((await searcher.search({ query: 'bill' })).hits[0]?.tool.name).toBe('create_invoice');
    expect(read()).toBe(0);
  });

  it('refuses an index of another catalog at once', () => {
    const bm25 = { index: buildBm25Index(OFFICE.tools.slice(1)) };
    const create = (): unknown => createHybridSearcher(OFFICE, { embedder: toyEmbedder, bm25 });
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_index' }));
  });
});

describe('the index of a hybrid search', () => {
  /** Tools that are seen to be read, by their words alone: the vectors are there. */
  function watchedOffice(onRead: () => void): { snapshot: Snapshot; options: HybridSearcherOptions } {
    const tools = Array.from({ length: 5 }, (_, floor) => {
      return OFFICE.tools.map(({ name, description }) => createTool({ name: `${name}_${floor}`, description }));
    }).flat();
    const watched = tools.map((tool) => {
      return Object.defineProperty({ ...tool }, 'description', {
        get: () => {
          onRead();
          return tool.description;
        },
      });
    });
    const vectors = vectorsOf(createSnapshot(tools));
    return { snapshot: createSnapshot(watched), options: { embedder: toyEmbedder, vectors } };
  }

  it('is built on demand, once and in slices, however many wait for it', async () => {
    let read = 0;
    const { snapshot, options } = watchedOffice(() => read++);
    const readAtPause: number[] = [];
    const pause = async (): Promise<void> => void readAtPause.push(read);
    const searcher = createHybridSearcher(snapshot, { ...options, slices: { sliceMs: 0, pause } });
    expect(read).toBe(0);
    const waiting = [
      searcher.prepare?.(),
      searcher.search({ query: 'bill' }),
      searcher.explain({ query: 'bill' }, snapshot.tools[0] as Tool),
    ];
    await Promise.all(waiting);
    // A request that nothing seems to fit is held against the names of what was found, once more.
    expect(readAtPause.at(-1)).toBe(snapshot.tools.length);
    const readInSlice = readAtPause.map((count, at) => count - (readAtPause[at - 1] ?? 0));
    expect(Math.max(...readInSlice)).toBeLessThanOrEqual(8);
    // What comes after reading gives way too.
    expect(readAtPause.filter((count) => count === snapshot.tools.length).length).toBeGreaterThan(5);
  });

  it('leaves a turn of its own to each part that reads all tools, and to the search that waited', async () => {
    let reads = 0;
    let queries = 0;
    const tools = OFFICE.tools.map((tool) =>
      Object.defineProperty({ ...tool }, 'server', {
        enumerable: true,
        get() {
          reads += 1;
          return 'office';
        },
      }),
    );
    const slices: { readonly reads: number; readonly queries: number }[] = [];
    const endSlice = (): void => {
      slices.push({ reads, queries });
      [reads, queries] = [0, 0];
    };
    const embedder: StaticEmbedder = {
      ...toyEmbedder,
      query(text) {
        queries += 1;
        return toyEmbedder.query(text);
      },
    };
    const searcher = createHybridSearcher(createSnapshot(tools), {
      embedder,
      slices: { sliceMs: 0, pause: async () => endSlice() },
    });
    await searcher.search({ query: 'bill' });
    endSlice();
    expect(slices.at(-1)?.queries).toBeGreaterThan(0);
    expect(slices.at(-1)?.reads).toBe(0);
    // The list of servers looks at each twice.
    expect(Math.max(...slices.map((slice) => slice.reads))).toBeLessThanOrEqual(2 * tools.length);
  });

  it('is built with the tuning that was given, and searched as one that was handed in', async () => {
    const { snapshot, options } = watchedOffice(() => {});
    const request = { query: 'delete a file and then create a bill', explain: true };
    const answer = async (bm25: HybridSearcherOptions['bm25']): Promise<unknown> => {
      return createHybridSearcher(snapshot, { ...options, ...(bm25 === undefined ? {} : { bm25 }) }).search(request);
    };
    const tuned = await answer({ k1: 9, wholeWeight: 0 });
    expect(tuned).toEqual(await answer({ index: buildBm25Index(snapshot.tools, { k1: 9, wholeWeight: 0 }) }));
    expect(tuned).not.toEqual(await answer(undefined));
  });

  it('is not built if one was passed in', async () => {
    let read = 0;
    const { snapshot, options } = watchedOffice(() => read++);
    const bm25 = { index: buildBm25Index(snapshot.tools) };
    const { embedder } = options;
    read = 0;
    await createHybridSearcher(snapshot, { embedder, bm25 }).prepare?.();
    // Once for the vectors.
    expect(read).toBe(snapshot.tools.length);
  });

  it('ends a search whose caller has given up, and continues for the others', async () => {
    let resume = (): void => {};
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const { snapshot, options } = watchedOffice(() => {});
    const searcher = createHybridSearcher(snapshot, { ...options, slices: { sliceMs: 0, pause: () => held } });
    const controller = new AbortController();
    const impatient = searcher.search({ query: 'bill', signal: controller.signal });
    const patient = searcher.search({ query: 'bill' });
    controller.abort(new Error('gone'));
    await expect(impatient).rejects.toThrow('gone');
    resume();
    expect((await patient).hits[0]?.tool.name).toMatch(/^create_invoice/u);
  });

  it('is no longer built once the owner of the searcher has closed', async () => {
    let read = 0;
    const { snapshot, options } = watchedOffice(() => read++);
    const owner = new AbortController();
    const pause = async (): Promise<void> => owner.abort(new Error('closed'));
    const slices = { sliceMs: 0, pause, signal: owner.signal };
    await expect(createHybridSearcher(snapshot, { ...options, slices }).prepare?.()).rejects.toThrow('closed');
    expect(read).toBeLessThan(snapshot.tools.length);
  });

  it('is built again after a build that failed', async () => {
    let isDown = true;
    const { snapshot, options } = watchedOffice(() => {
      if (isDown) throw new Error('down');
    });
    const searcher = createHybridSearcher(snapshot, options);
    await expect(searcher.prepare?.()).rejects.toThrow('down');
    await expect(searcher.search({ query: 'bill' })).rejects.toThrow('down');
    isDown = false;
    expect((await searcher.search({ query: 'bill' })).hits[0]?.tool.name).toMatch(/^create_invoice/u);
  });
});

function vectorsOf({ tools }: Snapshot): VectorIndex {
  return buildVectorIndex(tools.length, toyEmbedder.dimensions, (tool) => {
    return toyEmbedder.tool(searchText(tools[tool] as Tool));
  });
}
