export type { FormChoice } from './choose-form.ts';
export { chooseForm, readFormChoice } from './choose-form.ts';
export { definitions } from './definitions.ts';
export { cutText } from './first-sentence.ts';
export type { Form, FormName } from './form.ts';
export { FORMS, keepsPrefix } from './form.ts';
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
export type { Listing, ListingOptions } from './listing.ts';
export { LISTING_DEFAULTS } from './listing.ts';
export type { AskedSearch, Guard, GuardLimits } from './loop-guard.ts';
export { GUARD_DEFAULTS, guardSearch } from './loop-guard.ts';
export type { DeferQuestion, PlanQuestion } from './make-plan.ts';
export { makeDeferPlan, makeInlinePlan } from './make-plan.ts';
export type { ViewQuestion } from './make-view.ts';
export { makeView } from './make-view.ts';
export type { Reach } from './measure-reach.ts';
export { measureReach } from './measure-reach.ts';
export type { Fact, Memory, PastSearch } from './memory.ts';
export { EMPTY_MEMORY, forgetSearches, remember } from './memory.ts';
export { OWN_NAMES } from './own-tools.ts';
export type {
  DeferPlan,
  Definition,
  InlinePlan,
  Own,
  Plan,
  PlanEngine,
  PlanTokens,
  SecondSearch,
  Shown,
} from './plan.ts';
export { readTold } from './read-told.ts';
export { signature } from './signature.ts';
export { STUB_DEFAULTS } from './stub-description.ts';
export type { AnswerBudget, TellQuestion } from './tell.ts';
export { ANSWER_DEFAULTS, tell } from './tell.ts';
export type { HostedSearch, Transport, TransportCapabilities, TransportTable } from './transport-capabilities.ts';
export { capabilitiesOf, TRANSPORTS } from './transport-capabilities.ts';
export type { View } from './view.ts';
export { withoutSearch } from './without-search.ts';
export { wrapCall } from './wrap-call.ts';
