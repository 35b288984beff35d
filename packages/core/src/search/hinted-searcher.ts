import { applySearchHints, type SearchHints, type Snapshot, type Tool } from '../catalog/index.ts';
import type { Searcher, SearchRequest } from './searcher.ts';

/**
 * Creates searchers whose index has hints in addition to the definitions. They return the tools as given, so
 * that no hint reaches a model.
 */
export function createHintedSearcher(
  create: (snapshot: Snapshot) => Searcher,
  hints: SearchHints,
): (snapshot: Snapshot) => Searcher {
  return (plain) => {
    const { snapshot, hinted } = applySearchHints(plain, hints);
    const searcher = create(snapshot);
    if (hinted === 0) return searcher;
    const given = (tool: Tool): Tool => plain.get(tool.id) ?? tool;
    const within = ({ allow, ...request }: SearchRequest): SearchRequest =>
      allow === undefined ? request : { ...request, allow: (tool) => allow(given(tool)) };
    return {
      engine: searcher.engine,
      async search(request) {
        const result = await searcher.search(within(request));
        const hits = result.hits.map((hit) => ({
          ...hit,
          tool: given(hit.tool),
          ...(hit.also === undefined ? {} : { also: hit.also.map(given) }),
        }));
        return { ...result, hits };
      },
      explain: (request, tool) => searcher.explain(within(request), snapshot.get(tool.id) ?? tool),
      ...(searcher.prepare === undefined ? {} : { prepare: () => searcher.prepare?.() ?? Promise.resolve() }),
      ...(searcher.byteLength === undefined ? {} : { byteLength: () => searcher.byteLength?.() ?? 0 }),
    };
  };
}
