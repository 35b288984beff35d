// Fielded BM25. tools ──▶ index/ (flat typed arrays, built once per catalog) ──▶ rank/ (one query) ──▶ `bm25-searcher` (hits with scores)
//
// index/ `read-tools` turns tools into tokens, `build-bm25-index` gives each term its stem, `write-postings` and `write-sequences` lay out
//        the lists, and `Bm25Index` reads them. `kept-words` guards an index that comes from a cache.
// rank/  `plan-query` turns words into weighted lists, `tool-sums` adds up the lists and keeps the best tools, `match-features` adds how the
//        name and neighbouring words match, and `explain-score` breaks a score into these parts.
export { BM25_DEFAULTS, BM25_FIELDS, type Bm25Options, type Bm25Settings } from './bm25-options.ts';
export {
  type Bm25SearcherOptions,
  createBm25Searcher,
  createRanker,
  explainByWords,
  wordsOf,
} from './bm25-searcher.ts';
export { Bm25Index, type CatalogStatistics, firstAtLeast } from './index/bm25-index.ts';
export { buildBm25Index } from './index/build-bm25-index.ts';
export { keptWords } from './index/kept-words.ts';
export { NAMED } from './rank/explain-score.ts';
export { CandidateTerms, FeatureReader } from './rank/match-features.ts';
export type { QueryPlan } from './rank/plan-query.ts';
export { NAME_BONUS, QueryRanker, type QueryRanking, type Ranking } from './rank/rank-query.ts';
