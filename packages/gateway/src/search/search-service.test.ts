import { createTool } from '@quartermaster/core/catalog';
import { createEngine } from '@quartermaster/host/search';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../catalogs/index.ts';
import { createSearchEngines } from './search-engines.ts';
import { readSearchRequest } from './search-request.ts';
import { createSearchService } from './search-service.ts';

it('counts the memory of every engine that a search was compared with', async () => {
  const memory = new MemoryBudget(2 ** 30);
  const { signal } = new AbortController();
  const engines = createSearchEngines({
    configured: 'bm25',
    source: (snapshot) => createEngine('bm25', snapshot),
    signal,
  });
  const service = createSearchService({ engines, memory, now: () => 0 });
  const tools = Array.from({ length: 50 }, (_, at) =>
    createTool({ name: `report_${at}`, description: `Creates report ${at} for the office of region ${at % 7}` }),
  );
  const search = (more: object) =>
    service.search(
      { hash: 'some', tools, bytes: 100, owner: '' },
      readSearchRequest({ query: 'report', ...more }, 100),
      signal,
    );
  await search({});
  const alone = memory.bytes;
  await search({ compare: ['hybrid', 'semantic', 'regex'] });
  const compared = memory.bytes;
  await search({});
  expect(compared).toBeGreaterThan(alone);
  expect(compared).toBe(memory.bytes);
});
