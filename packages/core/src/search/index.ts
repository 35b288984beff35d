export {
  BM25_DEFAULTS,
  type Bm25Options,
  type Bm25SearcherOptions,
  type Bm25Settings,
  buildBm25Index,
  type CatalogStatistics,
  createBm25Searcher,
} from './bm25/index.ts';
export { createHintedSearcher } from './hinted-searcher.ts';
export {
  createHybridSearcher,
  createSemanticSearcher,
  HYBRID_DEFAULTS,
  type HybridFeatures,
  type HybridOptions,
  type HybridSearcherOptions,
  type HybridSettings,
  type HybridWeights,
  type SemanticSearcherOptions,
  type WholeCatalog,
} from './hybrid/index.ts';
export type { IndexCache } from './kept/index.ts';
export {
  type Companion,
  LEARNED_USES_DEFAULTS,
  type LearnedUse,
  LearnedUses,
  type LearnedUsesOptions,
  ORDERED_BY_USE,
  type OrderByUseOptions,
  orderByUse,
  toUseVector,
  type UseBonus,
} from './learned/index.ts';
export { QUERY_LIMITS } from './query/index.ts';
export {
  createRegexSearcher,
  REGEX_SEARCH_DEFAULTS,
  type RegexSearcherOptions,
  type StepLimits,
} from './regex/index.ts';
export {
  type Asked,
  type Compared,
  createModelReranker,
  createReranker,
  type FitModel,
  type ModelRerankerOptions,
  RERANKER_DEFAULTS,
  type Reranker,
  type RerankerCall,
  type RerankerEmbedder,
  type RerankerEvent,
  type RerankerOptions,
  type RerankingModel,
  type RerankOptions,
  type SentenceReranker,
  type Timer,
  toolSentence,
  type VectorCache,
} from './reranker/index.ts';
export {
  type Explanation,
  type Hit,
  type RerankerUse,
  SEARCH_LIMITS,
  type SearchEngine,
  type Searcher,
  type SearchRequest,
  type SearchResult,
  type Standing,
} from './searcher.ts';
export {
  buildVectorIndex,
  type Embedder,
  type EmbedOptions,
  type StaticEmbedder,
  type VectorIndex,
} from './semantic/index.ts';
export type { SliceOptions } from './slices.ts';
