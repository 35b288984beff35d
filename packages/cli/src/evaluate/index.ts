export { averageEstimates, type Estimate } from './estimate.ts';
export { evaluateQueries, type Outcome } from './evaluate-queries.ts';
export { renderReport } from './render-report.ts';
export type { Score } from './score-ranking.ts';
export {
  METRIC_TITLES,
  METRICS,
  makeReport,
  type Report,
  type Summary,
  summariseOutcomes,
} from './summarise-outcomes.ts';
