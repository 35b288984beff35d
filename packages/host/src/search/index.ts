export { type ChosenEngine, chooseEngine, type FoundReranker, findReranker } from './choose-engine.ts';
export {
  configuredEngine,
  createEngine,
  createSearcherFor,
  type EngineParts,
  SEARCH_ENGINES,
  type SearchEngineName,
  type SearcherMaker,
  type SearcherParts,
} from './create-engine.ts';
export { createIndexCache, indexCacheFolder } from './create-index-cache.ts';
export {
  createLazyReranker,
  createServedReranker,
  type RerankerFailure,
  type ServedRerankerOptions,
} from './create-served-reranker.ts';
export { createPostgresSearcher, type PostgresSearcherOptions } from './postgres/postgres-searcher.ts';
export { createUseLearning, type UseLearning, type UseLearningOptions } from './use-learning.ts';
