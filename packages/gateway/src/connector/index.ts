export { createConnectedModels } from './connected-models.ts';
