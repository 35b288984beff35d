export type { FitModel } from './fit-model.ts';
export {
  type Asked,
  type Compared,
  createSecondStage,
  SECOND_STAGE_DEFAULTS,
  type SecondStage,
  type SecondStageEmbedder,
  type SecondStageEvent,
  type SecondStageOptions,
  type SentenceStage,
} from './second-stage.ts';
export { toolSentence } from './tool-sentence.ts';
export type { VectorCache } from './vector-cache.ts';
