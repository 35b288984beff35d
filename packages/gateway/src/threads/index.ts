export { createThreadedModels, type ThreadedModels } from './threaded-models.ts';
