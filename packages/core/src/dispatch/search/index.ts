// Searches: the searcher of each engine, made once and prepared ahead, the search itself, and tools found before the model asks.

export { prepareSearch, type SearchersFor, tellFound } from '../toolbox-context.ts';
export { type FoundForQuery, handleSearch, type UseMemory } from './handle-search.ts';
export { prefetchTools } from './prefetch-tools.ts';
