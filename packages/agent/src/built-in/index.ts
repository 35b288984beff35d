export { type BuiltInTools, createBuiltInTools } from './create-built-in-tools.ts';
export type { RewindFilesResult } from './file-checkpoints.ts';
