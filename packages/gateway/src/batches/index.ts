export { createBatchWorker } from './batch-worker.ts';
export { readBatch } from './read-batch.ts';
export { type BatchItemContext, runBatchItem } from './run-batch-item.ts';
