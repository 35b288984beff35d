export type { OrderedReads, Place } from './ordered-reads.ts';
export { orderedReads } from './ordered-reads.ts';
export type { Planned, PlannedLoop, PlanQuestion } from './plan-request.ts';
export { planHistory, planRequest, renderOnce } from './plan-request.ts';
export type { LoopOptions, LoopRound, PausedTurn } from './run-loop.ts';
export { LOOP_DEFAULTS, runLoop } from './run-loop.ts';
export type { WholeOptions } from './run-whole.ts';
export { runWhole } from './run-whole.ts';
export type {
  FoundEntry,
  Hidden,
  HiddenContent,
  HistoryPiece,
  ShownPiece,
  TranscriptStore,
  WireTranscript,
} from './transcript.ts';
export { MAX_TRANSCRIPT_ID_LENGTH, MAX_TRANSCRIPT_IDS } from './transcript.ts';
export type { SharedMemory, TranscriptCache, TranscriptCacheOptions } from './transcript-cache.ts';
export { createTranscriptCache, TRANSCRIPT_CACHE_DEFAULTS } from './transcript-cache.ts';
export type { UniqueIdOptions } from './unique-ids.ts';
export { uniqueIds } from './unique-ids.ts';
export type { Slot } from './weave-slots.ts';
export { readSlots, weaveSlots } from './weave-slots.ts';
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
export type { HistoryOptions, WovenHistory } from './woven-history.ts';
export { resolveReferences, weaveHistory } from './woven-history.ts';
