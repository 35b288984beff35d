export { type BulkWork, createLocalBulk, createThreadedBulk } from './bulk-work.ts';
export { createThreadedModels } from './threaded-models.ts';
export { createWorkerPool } from './worker-pool.ts';
