// How schemas reach the model. transport ──▶ plan/ (form, own tools, listing) ──▶ model ──▶ a search ──▶ answer/ (text of its matches);
// `memory` folds the conversation's messages into what was shown so far.
//
// plan/   the form that the transport can carry, the fixed plan made from it, and the view that adds what the conversation has revealed
// answer/ the text of matches within a budget, what distinguishes similar ones, and the guard that stops repeated searches
// text/   whole sentences, one-line signatures and counts, for both

export type {
  Duplicate,
  Found,
  FoundByName,
  FoundBySearch,
  QueryAnswer,
  SearchFailure,
  Tell,
  Unavailable,
} from './answer/found.ts';
export { ANSWER_DEFAULTS, type AnswerBudget, readTold } from './answer/tell.ts';
export {
  EMPTY_MEMORY,
  type Fact,
  forgetSearches,
  GUARD_DEFAULTS,
  type GuardLimits,
  type Memory,
  measureReach,
  type PastSearch,
  type Reach,
  remember,
} from './memory.ts';
export {
  capabilitiesOf,
  chooseForm,
  FORMS,
  type Form,
  type FormChoice,
  type FormName,
  type HostedSearch,
  keepsPrefix,
  TRANSPORTS,
  type Transport,
  type TransportCapabilities,
  type TransportTable,
} from './plan/form.ts';
export { LISTING_DEFAULTS, type Listing, type ListingOptions } from './plan/listing.ts';
export { STUB_DEFAULTS, withoutSearch } from './plan/make-plan.ts';
export { OWN_NAMES } from './plan/own-tools.ts';
export {
  type DeferPlan,
  type Definition,
  definitions,
  type InlinePlan,
  type Own,
  type Plan,
  type PlanEngine,
  type PlanTokens,
  type SecondSearch,
  type Shown,
  type View,
  wrapCall,
} from './plan/plan.ts';
