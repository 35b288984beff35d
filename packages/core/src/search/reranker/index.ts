export {
  createModelReranker,
  type ModelRerankerOptions,
  type RerankingModel,
  type RerankOptions,
} from './create-model-reranker.ts';
export {
  type Asked,
  type Compared,
  createReranker,
  RERANKER_DEFAULTS,
  type Reranker,
  type RerankerCall,
  type RerankerEmbedder,
  type RerankerEvent,
  type RerankerOptions,
  type SentenceReranker,
  UNREADABLE,
} from './create-reranker.ts';
export type { FitModel } from './fit-model.ts';
export type { Timer } from './timer.ts';
export { toolSentence } from './tool-sentence.ts';
export type { VectorCache } from './vector-cache.ts';
