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
  type FitModel,
  RERANKER_DEFAULTS,
  type Reranker,
  type RerankerCall,
  type RerankerEmbedder,
  type RerankerEvent,
  type RerankerOptions,
  type SentenceReranker,
  type Timer,
  UNREADABLE,
} from './create-reranker.ts';
export { toolSentence } from './tool-sentence.ts';
export type { VectorCache } from './tool-vectors.ts';
