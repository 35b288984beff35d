// What is sent to the model: the form that the transport can carry, the fixed plan made from it (own tools, stubs, listing, note), and
// the view that adds what the conversation has revealed.
export { chooseForm, type FormChoice, readFormChoice } from './choose-form.ts';
export { definitions } from './definitions.ts';
export { FORMS, type Form, type FormName, keepsPrefix } from './form.ts';
export { LISTING_DEFAULTS, type Listing, type ListingOptions } from './listing.ts';
export { type DeferQuestion, makeDeferPlan, makeInlinePlan, type PlanQuestion } from './make-plan.ts';
export { makeView, type ViewQuestion } from './make-view.ts';
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
  View,
} from './plan.ts';
export { STUB_DEFAULTS } from './stub-description.ts';
export {
  capabilitiesOf,
  type HostedSearch,
  TRANSPORTS,
  type Transport,
  type TransportCapabilities,
  type TransportTable,
} from './transport-capabilities.ts';
export { withoutSearch } from './without-search.ts';
export { wrapCall } from './wrap-call.ts';
