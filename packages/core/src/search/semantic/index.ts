export type { Embedder, EmbedOptions, StaticEmbedder } from './embedder.ts';
export { keptVectors } from './kept-vectors.ts';
export {
  buildMarkedVectorsInSteps,
  buildVectorIndex,
  buildVectorIndexInSteps,
  type VectorIndex,
  vectorBytes,
} from './vector-index.ts';
export {
  CommonMeaning,
  createVectorScan,
  nearestTools,
  type QueryVector,
  toQueryVector,
  type VectorScan,
} from './vector-scan.ts';
