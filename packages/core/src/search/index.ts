export type { SliceOptions } from '../slices.ts';
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
export type { HybridFeatures, HybridWeights } from './hybrid/features.ts';
export { HYBRID_DEFAULTS, type HybridOptions, type HybridSettings } from './hybrid/hybrid-options.ts';
export {
  createHybridSearcher,
  createSemanticSearcher,
  type HybridSearcherOptions,
  type SemanticSearcherOptions,
} from './hybrid/hybrid-searcher.ts';
export type { WholeCatalog } from './hybrid/whole-catalog.ts';
export type { IndexCache } from './kept/keep-index.ts';
export {
  type Companion,
  LEARNED_USES_DEFAULTS,
  type LearnedUse,
  LearnedUses,
  type LearnedUsesOptions,
  toUseVector,
  type UseBonus,
} from './learned/learned-uses.ts';
export { ORDERED_BY_USE, type OrderByUseOptions, orderByUse } from './learned/order-by-use.ts';
export { QUERY_LIMITS } from './query/read-request.ts';
export {
  createRegexSearcher,
  REGEX_SEARCH_DEFAULTS,
  type RegexSearcherOptions,
  type StepLimits,
} from './regex/index.ts';
export {
  createModelReranker,
  type ModelRerankerOptions,
  type RerankingModel,
  type RerankOptions,
} from './reranker/create-model-reranker.ts';
export {
  type Asked,
  type Compared,
  createReranker,
  type FitModel,
  RERANKER_DEFAULTS,
  type Reranker,
  type RerankerCall,
  type RerankerEmbedder,
  type RerankerEvent,
  type RerankerOptions,
  type SentenceReranker,
  type Timer,
} from './reranker/create-reranker.ts';
export { toolSentence } from './reranker/tool-sentence.ts';
export type { VectorCache } from './reranker/tool-vectors.ts';
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
export type { Embedder, EmbedOptions, StaticEmbedder } from './semantic/embedder.ts';
export { buildVectorIndex, type VectorIndex } from './semantic/vector-index.ts';
