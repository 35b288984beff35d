export type { Embedder, EmbedOptions, StaticEmbedder } from './embedder.ts';
export { keptVectors } from './kept-vectors.ts';
export {
  buildMarkedVectorsInSteps,
  buildVectorIndex,
  buildVectorIndexInSteps,
  CommonMeaning,
  type VectorIndex,
  vectorBytes,
} from './vector-index.ts';
export { createVectorScan, nearestTools, type QueryVector, toQueryVector, type VectorScan } from './vector-scan.ts';
