import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Snapshot, type Tool } from '../../catalog/index.ts';
import { type Bm25SearcherOptions, createBm25Searcher } from './bm25-searcher.ts';
import { buildBm25Index } from './index/build-bm25-index.ts';

describe('the index of a BM25 searcher', () => {
  const QUERY = 'create an invoice';

  /** So many tools that none of the steps of a build reads them all, seen to be read. */
  function watchedShop(onRead: () => void = () => {}): Snapshot {
    const tools = Array.from({ length: 60 }, (_, number) => {
      const name = number === 7 ? 'create_invoice' : `sell_goods_${number}`;
      const description = number === 7 ? 'Creates an invoice.' : `Sells goods of the kind ${number}.`;
      return Object.defineProperty({ ...createTool({ name }) }, 'description', {
        get: () => {
          onRead();
          return description;
        },
      });
    });
    return createSnapshot(tools);
  }

  it('is built on demand, once and in slices, however many wait for it', async () => {
    let read = 0;
    const snapshot = watchedShop(() => read++);
    const { length: all } = snapshot.tools;
    const readAtPause: number[] = [];
    const pause = async (): Promise<void> => void readAtPause.push(read);
    read = 0;
    const searcher = createBm25Searcher(snapshot, { slices: { sliceMs: 0, pause } });
    expect(read).toBe(0);
    await Promise.all([
      searcher.prepare?.(),
      searcher.search({ query: QUERY }),
      searcher.explain({ query: QUERY }, snapshot.tools[0] as Tool),
    ]);
    expect(read).toBe(all);
    const readInSlice = readAtPause.map((count, at) => count - (readAtPause[at - 1] ?? 0));
    expect(Math.max(...readInSlice)).toBeLessThanOrEqual(8);
    // What comes after reading gives way too.
    expect(readAtPause.filter((count) => count === all).length).toBeGreaterThan(5);
    const { length: pauses } = readAtPause;
    expect((await searcher.search({ query: QUERY })).hits[0]?.tool.name).toBe('create_invoice');
    expect({ read, pauses: readAtPause.length }).toEqual({ read: all, pauses });
  });

  it('is not built for a request that needs none', async () => {
    let read = 0;
    const snapshot = watchedShop(() => read++);
    read = 0;
    const searcher = createBm25Searcher(snapshot);
    const [tool] = snapshot.tools as readonly [Tool];
    await expect(searcher.search({ query: QUERY, limit: 0 })).rejects.toThrow('Limit 0');
    expect(await searcher.explain({ query: QUERY, allow: () => false }, tool)).toEqual({ kind: 'not-allowed' });
    expect(await searcher.explain({ query: QUERY }, createTool({ name: 'other' }))).toEqual({ kind: 'not-in-catalog' });
    expect(read).toBe(0);
  });

  it('is not built if one was passed in', async () => {
    let read = 0;
    const snapshot = watchedShop(() => read++);
    const index = buildBm25Index(snapshot.tools);
    const pause = (): never => {
      throw new Error('Nothing is to be built');
    };
    read = 0;
    const searcher = createBm25Searcher(snapshot, { index, slices: { sliceMs: 0, pause } });
    await searcher.prepare?.();
    expect((await searcher.search({ query: QUERY })).hits[0]?.tool.name).toBe('create_invoice');
    expect(read).toBe(0);
  });

  it('is built with the tuning that was given, and searched as one that was handed in', async () => {
    const snapshot = watchedShop();
    const answer = (options: Bm25SearcherOptions): Promise<unknown> => {
      return createBm25Searcher(snapshot, options).search({ query: QUERY, explain: true });
    };
    const tuned = await answer({ k1: 9, slices: { sliceMs: 0, pause: async () => {} } });
    expect(tuned).toEqual(await answer({ index: buildBm25Index(snapshot.tools, { k1: 9 }) }));
    expect(tuned).not.toEqual(await answer({}));
  });

  it('ends a search whose caller has given up, and continues for the others', async () => {
    let resume = (): void => {};
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const snapshot = watchedShop();
    const searcher = createBm25Searcher(snapshot, { slices: { sliceMs: 0, pause: () => held } });
    const controller = new AbortController();
    const request = { query: QUERY, signal: controller.signal };
    const impatient = [searcher.search(request), searcher.explain(request, snapshot.tools[7] as Tool)];
    const patient = searcher.search({ query: QUERY });
    controller.abort(new Error('gone'));
    for (const waiting of impatient) await expect(waiting).rejects.toThrow('gone');
    resume();
    expect((await patient).hits[0]?.tool.name).toBe('create_invoice');
  });

  it('is no longer built once the owner of the searcher has closed', async () => {
    let read = 0;
    const snapshot = watchedShop(() => read++);
    const owner = new AbortController();
    const pause = async (): Promise<void> => owner.abort(new Error('closed'));
    read = 0;
    const searcher = createBm25Searcher(snapshot, { slices: { sliceMs: 0, pause, signal: owner.signal } });
    await expect(searcher.prepare?.()).rejects.toThrow('closed');
    expect(read).toBeLessThan(snapshot.tools.length);
  });

  it('is built again after a build that failed', async () => {
    let isDown = false;
    const snapshot = watchedShop(() => {
      if (isDown) throw new Error('down');
    });
    const searcher = createBm25Searcher(snapshot);
    isDown = true;
    await expect(searcher.prepare?.()).rejects.toThrow('down');
    await expect(searcher.search({ query: QUERY })).rejects.toThrow('down');
    isDown = false;
    expect((await searcher.search({ query: QUERY })).hits[0]?.tool.name).toBe('create_invoice');
  });
});
