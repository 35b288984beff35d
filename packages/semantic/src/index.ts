export { embeddedModel, modelProblem, provideModel } from './embedded-model.ts';
export { createEmbeddedSearcher } from './embedded-searcher.ts';
export { readModel } from './read-model.ts';
export type { FieldWeights } from './static-model.ts';
