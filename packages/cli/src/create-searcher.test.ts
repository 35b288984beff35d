import { createSnapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { createEngine } from '@quartermaster/host/search';
import { expect, it } from 'vitest';
import { createCommandReranker } from './create-searcher.ts';

it('embeds the candidates of a search and nothing else, so that the command ends with its answer', async () => {
  const embedded: string[] = [];
  const reranker = createCommandReranker({
    modelId: 'fake',
    isLocal: true,
    doEmbed({ values }) {
      embedded.push(...values);
      return Promise.resolve({ embeddings: values.map(() => [1, 0]) });
    },
  });
  const tools = Array.from({ length: 200 }, (_, at) => createTool({ name: `tool_${at}`, description: `Counts ${at}` }));
  const searcher = createEngine('hybrid+reranker', createSnapshot(tools), { reranker });
  await searcher.prepare?.();
  await new Promise(setImmediate);
  expect(embedded).toEqual([]);
  await searcher.search({ query: 'count something' });
  await new Promise(setImmediate);
  expect(embedded.length).toBeGreaterThan(1);
  expect(embedded.length).toBeLessThanOrEqual(reranker.depth + 1);
});
