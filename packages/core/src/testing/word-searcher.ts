import type { Snapshot } from '../catalog/index.ts';
import type { Searcher, SearchRequest } from '../search/index.ts';

/** The simplest searcher that fulfils the contract: a tool fits if its name or description contains a word of the query. */
export function wordSearcher(snapshot: Snapshot): Searcher {
  return {
    engine: 'bm25',
    async search(request) {
      const hits = snapshot.tools
        .filter((tool) => request.allow?.(tool) ?? true)
        .map((tool) => ({ tool, score: words(request).filter((word) => textOf(tool).includes(word)).length }))
        .filter((hit) => hit.score > 0)
        .sort((left, right) => right.score - left.score)
        .slice(0, request.limit ?? 5);
      return { hits, verdict: hits.length > 0 ? 'match' : 'none' };
    },
    async explain() {
      return { kind: 'not-matched', reason: 'This searcher does not explain' };
    },
  };
}

function words(request: SearchRequest): readonly string[] {
  return [request.query].flat().flatMap((query) => query.toLowerCase().match(/[a-z0-9]+/g) ?? []);
}

function textOf(tool: { readonly name: string; readonly description: string }): string {
  return `${tool.name} ${tool.description}`.toLowerCase();
}
