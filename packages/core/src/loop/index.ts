export type { LoopOptions } from './run-loop.ts';
export { LOOP_DEFAULTS, runLoop } from './run-loop.ts';
export type { WholeOptions } from './run-whole.ts';
export { runWhole } from './run-whole.ts';
export type { UniqueIdOptions } from './unique-ids.ts';
export { uniqueIds } from './unique-ids.ts';
export type { Ending, Opened, OpenedSearch, Read, Reader, Upstream, Whole, Wire, Writer } from './wire.ts';
