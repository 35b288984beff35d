export { cacheEmbeddings } from './cache-embeddings.ts';
export { drawComparison } from './draw-comparison.ts';
export { averageEstimates, type Estimate } from './estimate.ts';
export { evaluateQueries, type Outcome } from './evaluate-queries.ts';
export { type Floor, findShortfalls, parseFloors } from './floors.ts';
export { type History, learnHistory } from './learn-history.ts';
export { confidenceAtLoss, refuseBelow } from './refuse-below.ts';
export { type ComparedRow, type ComparedSummary, type Comparison, renderComparison } from './render-comparison.ts';
export { renderCaveats, renderReport } from './render-report.ts';
export type { Score } from './score-ranking.ts';
export {
  METRIC_TITLES,
  METRICS,
  makeReport,
  type Report,
  type Summary,
  summariseOutcomes,
} from './summarise-outcomes.ts';
