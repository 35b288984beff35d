// A query against the index. `plan-query` turns words into weighted lists, `rank-tools` adds up the lists and keeps the best tools,
// `rerank` adds how the name and neighbouring words match, and `explain-score` breaks a score into these parts.

export { explainRanking, NAMED } from './explain-score.ts';
export { CandidateTerms, FeatureReader } from './match-features.ts';
export type { QueryPlan } from './plan-query.ts';
export { NAME_BONUS, QueryRanker, type QueryRanking, type Ranking } from './rank-query.ts';
