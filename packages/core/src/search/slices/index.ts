export { runToEnd } from '../../run-to-end.ts';
export { macrotaskPause, runInSlices, SLICE_DEFAULTS, type SliceOptions, stepThrough } from './run-in-slices.ts';
export { SharedBuild } from './shared-build.ts';
