export type { CommandIo } from './command-io.ts';
export {
  type CreateSearcherOptions,
  createSearcher,
  ENGINES,
  type EngineName,
  findEngines,
} from './create-searcher.ts';
export {
  averageEstimates,
  type ComparedRow,
  type ComparedSummary,
  type Comparison,
  confidenceAtLoss,
  drawComparison,
  type Estimate,
  evaluateQueries,
  type History,
  learnHistory,
  METRIC_TITLES,
  METRICS,
  makeReport,
  type Outcome,
  type Report,
  refuseBelow,
  renderComparison,
  renderReport,
  type Score,
  type Summary,
  summariseOutcomes,
} from './evaluate/index.ts';
export { EXIT, type ExitCode } from './exit-code.ts';
export { type LabelledQuery, type ReadTools, readQueries, readTools } from './input/index.ts';
export { InputError } from './input-error.ts';
export { run } from './run.ts';
export { findSampleCatalog, type SampleCatalog } from './sample-catalog.ts';
export { type Column, renderTable } from './terminal/index.ts';
