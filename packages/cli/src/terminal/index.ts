export { ask, confirm } from './ask.ts';
export { counted, dollars, percentOf } from './counted.ts';
export { type Progress, startProgress } from './progress.ts';
export { renderBars } from './render-bars.ts';
export { renderHits } from './render-hits.ts';
export { renderStanding } from './render-standing.ts';
export { type Column, renderTable } from './render-table.ts';
export { createTerminal, oneLine, type Terminal } from './terminal.ts';
export { wrap } from './wrap.ts';
