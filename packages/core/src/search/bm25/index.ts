export { Bm25Index, type Bm25IndexData } from './bm25-index.ts';
export { BM25_DEFAULTS, BM25_FIELDS, type Bm25Options, type Bm25Settings } from './bm25-options.ts';
export {
  type Bm25SearcherOptions,
  createBm25Searcher,
  createRanker,
  rankerSearcher,
  wordsOf,
} from './bm25-searcher.ts';
export { buildBm25Index } from './build-bm25-index.ts';
export { CandidateTerms } from './candidate-terms.ts';
export type { CatalogStatistics } from './catalog-statistics.ts';
export { keptWords } from './kept-words.ts';
export { FeatureReader } from './match-features.ts';
export type { QueryPlan } from './plan-query.ts';
export { QueryRanker, type QueryRanking, type Ranking } from './rank-query.ts';
