import type { Searcher, Snapshot } from '@quartermaster/core';

/** The plainest searcher that keeps the contract: a tool fits when its name or description has a word of the query. */
export const wordSearcher = (snapshot: Snapshot): Searcher => ({
  engine: 'bm25',
  async search(request) {
    const words = [request.query].flat().flatMap((query) => query.toLowerCase().match(/[a-z0-9]+/g) ?? []);
    const hits = snapshot.tools
      .filter((tool) => request.allow?.(tool) ?? true)
      .map((tool) => {
        const text = `${tool.name} ${tool.description}`.toLowerCase();
        return { tool, score: words.filter((word) => text.includes(word)).length };
      })
      .filter((hit) => hit.score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, request.limit ?? 5);
    return { hits, verdict: hits.length > 0 ? 'match' : 'none' };
  },
  explain: async () => ({ kind: 'not-matched', reason: 'This searcher does not explain' }),
});
