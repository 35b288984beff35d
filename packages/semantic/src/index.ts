export { embeddedModel, modelProblem, provideModel } from './embedded-model.ts';
export { createEmbeddedSearcher } from './embedded-searcher.ts';
export { type FieldWeights, readModel } from './static-model.ts';
