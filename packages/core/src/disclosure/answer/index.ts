// What a search answers: the text written from its matches within a budget, what distinguishes similar matches, and the guard that stops
// repeated searches. Pure functions of the result and the memory before it.
export type {
  Duplicate,
  Found,
  FoundByName,
  FoundBySearch,
  QueryAnswer,
  SearchFailure,
  Tell,
  Unavailable,
} from './found.ts';
export { type AskedSearch, GUARD_DEFAULTS, type Guard, type GuardLimits, guardSearch } from './loop-guard.ts';
export { ANSWER_DEFAULTS, type AnswerBudget, readTold, type TellQuestion, tell } from './tell.ts';
