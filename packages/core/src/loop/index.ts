export {
  type Planned,
  type PlannedLoop,
  type PlanQuestion,
  planHistory,
  planRequest,
  renderOnce,
} from './plan-request.ts';
export { type OrderedReads, orderedReads, type Place, type UniqueIdOptions, uniqueIds } from './rounds.ts';
export {
  LOOP_DEFAULTS,
  type LoopOptions,
  type LoopRound,
  type PausedTurn,
  runLoop,
  runWhole,
  type WholeOptions,
} from './run-loop.ts';
export {
  type ContinuedHistory,
  createTranscriptCache,
  type FoundEntry,
  type Hidden,
  type HiddenContent,
  type HistoryPiece,
  MAX_TRANSCRIPT_ID_LENGTH,
  MAX_TRANSCRIPT_IDS,
  type SharedMemory,
  type ShownPiece,
  TRANSCRIPT_CACHE_DEFAULTS,
  type TranscriptCache,
  type TranscriptCacheOptions,
  type TranscriptStore,
  type WireTranscript,
} from './transcript.ts';
export type {
  Ending,
  Opened,
  OpenedSearch,
  Read,
  Reader,
  Upstream,
  Whole,
  Wire,
  Writer,
  WriterClient,
} from './wire.ts';
export {
  type HistoryOptions,
  readSlots,
  resolveReferences,
  type Slot,
  type WovenHistory,
  weaveHistory,
  weaveSlots,
} from './woven-history.ts';
