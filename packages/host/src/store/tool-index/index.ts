export type { CatalogFigures } from './catalog-figures.ts';
export type { CandidatePlan } from './find-tools.ts';
export { TERM } from './term-counts.ts';
export { openToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index.ts';
export type { IndexedTool } from './tool-rows.ts';
export type { SyncOptions, SyncOutcome, ToolChanges } from './write-tools.ts';
