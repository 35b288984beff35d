export { type ChosenEngine, chooseEngine } from './choose-engine.ts';
export { createEngine, type EngineParts, SEARCH_ENGINES, type SearchEngineName } from './create-engine.ts';
export { createIndexCache, indexCacheFolder } from './create-index-cache.ts';
export { createSearcherFor, type SearcherParts } from './create-searcher-for.ts';
export { createServedReranker, type RerankerFailure, type ServedRerankerOptions } from './create-served-reranker.ts';
export { type FoundReranker, findReranker } from './find-reranker.ts';
export { createLazyReranker } from './lazy-reranker.ts';
export { createPostgresSearcher, type PostgresSearcherOptions } from './postgres/index.ts';
export { createUseLearning, type UseLearning, type UseLearningOptions } from './use-learning.ts';
