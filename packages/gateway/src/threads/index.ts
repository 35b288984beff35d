export { createThreadedModels } from './threaded-models.ts';
