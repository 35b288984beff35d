export { embeddedModel, modelProblem, provideModel, readModel } from './embedded-model.ts';
export { createEmbeddedSearcher } from './embedded-searcher.ts';
export type { FieldWeights } from './static-model.ts';
