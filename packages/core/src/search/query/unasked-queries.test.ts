import { expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { createBm25Searcher } from '../bm25/index.ts';
import { createHybridSearcher } from '../hybrid/index.ts';
import { toyEmbedder } from '../hybrid/toy-embedder.fixture.ts';
import { createRegexSearcher } from '../regex/index.ts';

const SNAPSHOT = createSnapshot([createTool({ name: 'send_mail', description: 'Sends a letter' })]);
const QUERIES = Array.from({ length: 19 }, (_, at) => `mail ${at}`);

it.each([
  ['bm25', createBm25Searcher(SNAPSHOT)],
  ['hybrid', createHybridSearcher(SNAPSHOT, { embedder: toyEmbedder })],
  ['regex', createRegexSearcher(SNAPSHOT)],
])('%s says which queries beyond the first 16 it has not asked', async (_, searcher) => {
  expect((await searcher.search({ query: QUERIES })).unasked).toEqual(['mail 16', 'mail 17', 'mail 18']);
  expect(await searcher.search({ query: QUERIES.slice(0, 16) })).not.toHaveProperty('unasked');
  expect(await searcher.search({ query: 'mail' })).not.toHaveProperty('unasked');
});
