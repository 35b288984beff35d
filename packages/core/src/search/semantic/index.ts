export { CommonMeaning } from './common-meaning.ts';
export type { Embedder, EmbedOptions, StaticEmbedder } from './embedder.ts';
export { keptVectors } from './kept-vectors.ts';
export { type QueryVector, toQueryVector } from './query-vector.ts';
export {
  buildMarkedVectorsInSteps,
  buildVectorIndex,
  buildVectorIndexInSteps,
  type VectorIndex,
  vectorBytes,
} from './vector-index.ts';
export { createVectorScan, type VectorScan } from './vector-scan.ts';
