export { runToEnd } from '../../run-to-end.ts';
export { macrotaskPause } from './macrotask-pause.ts';
export { runInSlices, SLICE_DEFAULTS, type SliceOptions } from './run-in-slices.ts';
export { SharedBuild } from './shared-build.ts';
export { stepThrough } from './step-through.ts';
