import { createBm25Searcher, createSnapshot, type Snapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { expect, it } from 'vitest';
import { countSearchers } from './count-searchers.ts';
import { MemoryBudget } from './memory-budget.ts';

function catalogOf(count: number): Snapshot {
  return createSnapshot(
    Array.from({ length: count }, (_, at) => createTool({ name: `send_mail_${at}`, description: 'Sends a letter' })),
  );
}

function counted(maxBytes: number) {
  const memory = new MemoryBudget(maxBytes);
  let made = 0;
  const source = countSearchers((snapshot) => {
    made += 1;
    return createBm25Searcher(snapshot);
  }, memory);
  if (typeof source !== 'function') throw new Error('It makes searchers');
  return { memory, source, made: () => made };
}

it('counts the index of the latest catalog once it is built', async () => {
  const { memory, source } = counted(10_000_000);
  const first = source(catalogOf(100));
  expect(memory.bytes).toBe(0);
  await first.search({ query: 'mail' });
  expect(memory.bytes).toBe(first.byteLength?.());
  const second = source(catalogOf(200));
  await second.prepare?.();
  await first.search({ query: 'mail' });
  expect(memory.bytes).toBe(second.byteLength?.());
});

it('lets an index go that others need the room of, and makes it again for the next search', async () => {
  const { memory, source, made } = counted(100_000);
  const searcher = source(catalogOf(100));
  const { hits } = await searcher.search({ query: 'mail 7' });
  // Owners that hold less than the index, and leave no room for it.
  for (let key = 0; key < 10; key += 1) memory.hold(`key_${key}`, 10_000, () => undefined);
  expect(searcher.byteLength?.()).toBe(0);
  expect((await searcher.search({ query: 'mail 7' })).hits).toEqual(hits);
  expect(made()).toBe(2);
});

it('answers where the index is larger than the whole budget, and keeps none', async () => {
  const { memory, source } = counted(10);
  const searcher = source(catalogOf(20));
  expect((await searcher.search({ query: 'mail' })).verdict).toBe('match');
  expect(memory.bytes).toBe(0);
  expect(searcher.byteLength?.()).toBe(0);
});
