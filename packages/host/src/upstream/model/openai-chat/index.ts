export { toCall } from './to-call.ts';
export { writeChunks } from './write-chunks.ts';
