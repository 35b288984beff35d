// How schemas reach the model. transport ──▶ plan/ (form, own tools, listing) ──▶ model ──▶ a search ──▶ answer/ (text of its matches);
// `memory` folds the conversation's messages into what was shown so far, and text/ shortens descriptions for all of them.
export type {
  AnswerBudget,
  AskedSearch,
  Duplicate,
  Found,
  FoundByName,
  FoundBySearch,
  Guard,
  GuardLimits,
  QueryAnswer,
  SearchFailure,
  Tell,
  TellQuestion,
  Unavailable,
} from './answer/index.ts';
export { ANSWER_DEFAULTS, GUARD_DEFAULTS, guardSearch, readTold, tell } from './answer/index.ts';
export type { Fact, Memory, PastSearch, Reach } from './memory.ts';
export { EMPTY_MEMORY, forgetSearches, measureReach, remember } from './memory.ts';
export type {
  DeferPlan,
  DeferQuestion,
  Definition,
  Form,
  FormChoice,
  FormName,
  HostedSearch,
  InlinePlan,
  Listing,
  ListingOptions,
  Own,
  Plan,
  PlanEngine,
  PlanQuestion,
  PlanTokens,
  SecondSearch,
  Shown,
  Transport,
  TransportCapabilities,
  TransportTable,
  View,
  ViewQuestion,
} from './plan/index.ts';
export {
  capabilitiesOf,
  chooseForm,
  definitions,
  FORMS,
  keepsPrefix,
  LISTING_DEFAULTS,
  makeDeferPlan,
  makeInlinePlan,
  makeView,
  OWN_NAMES,
  readFormChoice,
  STUB_DEFAULTS,
  TRANSPORTS,
  withoutSearch,
  wrapCall,
} from './plan/index.ts';
export { cutText, signature } from './text/index.ts';
