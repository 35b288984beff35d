import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBm25Searcher, createSnapshot, type Snapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { createRegexSearcher } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import { createEmbeddedSearcher } from './embedded-model.ts';

const WORDS = 'list create delete invoice mail user report calendar branch deploy alert weather search archive'.split(
  ' ',
);

/** A different catalog for each number. */
function catalog(size: number, number: number): Snapshot {
  return createSnapshot(
    Array.from({ length: size }, (_, at) => {
      const word = (step: number): string => WORDS[(at * step + number) % WORDS.length] ?? '';
      return createTool({
        name: `${word(1)}_${word(3)}_${number}_${at}`,
        description: `Can ${word(5)} a ${word(7)} with the ${word(11)} of ${word(2)}${at}, in version ${number}.`,
      });
    }),
  );
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round += 1) {
    collect();
    // What is freed is freed by a task of the engine.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const ENGINES = [
  { engine: 'hybrid', create: createEmbeddedSearcher },
  { engine: 'bm25', create: createBm25Searcher },
] as const;

describe('the bytes that a searcher tells', () => {
  it.each(
    ENGINES.flatMap(({ engine, create }) =>
      [
        { size: 1, count: 200 },
        { size: 60, count: 60 },
        { size: 600, count: 12 },
      ].map((row) => ({ ...row, engine, create })),
    ),
  )('are those that $count of $engine over $size tools take', async ({ size, count, create }) => {
    const snapshots = Array.from({ length: count }, (_, number) => catalog(size, number));
    const search = async (snapshot: Snapshot) => {
      const searcher = create(snapshot);
      await searcher.search({ query: 'create an invoyce and mail it' });
      return searcher;
    };
    await search(catalog(size, count));
    await collectGarbage();
    const before = process.memoryUsage().external;
    const searchers = await Promise.all(snapshots.map(search));
    await collectGarbage();
    const taken = process.memoryUsage().external - before;
    const told = searchers.reduce((sum, searcher) => sum + (searcher.byteLength?.() ?? 0), 0);
    expect(taken).toBeLessThanOrEqual(told);
    // What is told counts the objects around the arrays too, which are not among what is taken.
    expect(told - count * 16 * 1024).toBeLessThanOrEqual(taken * 1.25);
  });

  it.each(ENGINES)('are few for a $engine of one tool, whose buffers are as small as it is', async ({ create }) => {
    const searcher = create(catalog(1, 0));
    await searcher.search({ query: 'create an invoice' });
    expect(searcher.byteLength?.()).toBeLessThan(32 * 1024);
  });

  it('grow with the build', async () => {
    const searcher = createEmbeddedSearcher(catalog(60, 0));
    const before = searcher.byteLength?.() ?? 0;
    await searcher.prepare?.();
    expect(searcher.byteLength?.()).toBeGreaterThan(before + 60 * 256);
  });

  it('grow with what a regex searcher has read', async () => {
    const searcher = createRegexSearcher(catalog(60, 0));
    expect(searcher.byteLength?.()).toBe(0);
    await searcher.search({ query: 'invoice' });
    expect(searcher.byteLength?.()).toBeGreaterThan(60 * 256);
  });
});
