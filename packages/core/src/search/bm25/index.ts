// Fielded BM25. tools ──▶ index/ (flat typed arrays, built once per catalog) ──▶ rank/ (one query) ──▶ `bm25-searcher` (hits with scores)
export { BM25_DEFAULTS, BM25_FIELDS, type Bm25Options, type Bm25Settings } from './bm25-options.ts';
export {
  type Bm25SearcherOptions,
  createBm25Searcher,
  createRanker,
  rankerSearcher,
  wordsOf,
} from './bm25-searcher.ts';
export { Bm25Index, buildBm25Index, type CatalogStatistics, keptWords } from './index/index.ts';
export {
  CandidateTerms,
  FeatureReader,
  NAME_BONUS,
  NAMED,
  type QueryPlan,
  QueryRanker,
  type QueryRanking,
  type Ranking,
} from './rank/index.ts';
