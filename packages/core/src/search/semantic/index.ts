export type { Embedder, EmbedOptions, StaticEmbedder } from './embedder.ts';
export { buildVectorIndex, cosine, nearBySigns, type VectorIndex } from './vector-index.ts';
