export { isLeftToConnector } from './connector-needed.ts';
export { isToolset } from './is-toolset.ts';
export {
  createModelService,
  type HeldModels,
  type ModelQuestion,
  type ModelService,
  type OpenExchange,
  type Transcripts,
} from './model-service.ts';
export { streamBody } from './stream-body.ts';
export type { Surface } from './surface.ts';
export { type Surfaces, surfacesFor } from './surfaces.ts';
export { tallyUse } from './tally-use.ts';
