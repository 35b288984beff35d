export { embeddedModel } from './embedded-model.ts';
export { readModel } from './read-model.ts';
export { createStaticModel, type FieldWeights, type StaticModelData } from './static-model.ts';
