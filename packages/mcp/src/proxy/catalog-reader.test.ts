import { createSnapshot, type Snapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { expect, it } from 'vitest';
import { createCatalogReader } from './catalog-reader.ts';

function catalogOf(count: number): Snapshot {
  return createSnapshot(Array.from({ length: count }, (_, at) => createTool({ name: `tool_${at}`, server: 's' })));
}

it('reads a large catalog once, with pauses, and a small one not at all', async () => {
  let current = catalogOf(10);
  let pauses = 0;
  const slices = {
    sliceMs: 0,
    pause: async () => {
      pauses += 1;
    },
  };
  const read = createCatalogReader(() => current, { slices });
  expect(read()).toBeUndefined();
  current = catalogOf(1_000);
  const reading = read();
  expect(reading).toBeInstanceOf(Promise);
  expect(read()).toBe(reading);
  await reading;
  expect(pauses).toBeGreaterThan(10);
  expect(read()).toBeUndefined();
  current = catalogOf(1_001);
  expect(read()).toBeInstanceOf(Promise);
});
