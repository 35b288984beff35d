export { createEmbeddedSearcher, embeddedModel, modelProblem, provideModel, readModel } from './embedded-model.ts';
export type { FieldWeights } from './static-model.ts';
