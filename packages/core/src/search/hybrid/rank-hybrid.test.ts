import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { type HybridWeights, NO_FEATURES } from './features.ts';
import { createHybridSearcher } from './hybrid-searcher.ts';
import { toyEmbedder } from './toy-embedder.fixture.ts';

/** Six tools that have the word, among others that dilute their meaning, and one that means just that. */
const LETTERS = createSnapshot([
  ...['stamp', 'fold', 'print', 'weigh', 'scan', 'shred'].map((name) =>
    createTool({ name, description: `${name} a letter on paper at the desk of the post office next door` }),
  ),
  createTool({ name: 'email', description: 'Email' }),
]);

async function search(weights: HybridWeights): Promise<{ name: string; why: readonly string[] }[]> {
  const searcher = createHybridSearcher(LETTERS, { embedder: toyEmbedder, weights });
  const { hits } = await searcher.search({ query: 'letter', explain: true });
  return hits.map(({ tool, explanation }) => ({
    name: tool.name,
    why: explanation?.details.map(({ what }) => what) ?? [],
  }));
}

const KEPT = 'moved up: nearest by meaning, best before reranking, or successor of the tool below';

describe('the nearest by meaning', () => {
  it('is in an answer of five, however much the words count, and says why', async () => {
    const found = await search({ ...NO_FEATURES, terms: 9, meaning: 0.1 });
    expect(found[4]?.name).toBe('email');
    expect(found[4]?.why).toContain(KEPT);
    expect(found[3]?.why).not.toContain(KEPT);
  });

  it('claims no place if meaning has no weight', async () => {
    const found = await search({ ...NO_FEATURES, terms: 9 });
    expect(found.map(({ name }) => name)).not.toContain('email');
  });
});
