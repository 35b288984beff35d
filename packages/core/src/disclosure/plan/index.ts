// What is sent to the model: the form that the transport can carry, the fixed plan made from it (own tools, stubs, listing, note), and
// the view that adds what the conversation has revealed.
export { chooseForm, FORMS, type Form, type FormChoice, type FormName, keepsPrefix, readFormChoice } from './form.ts';
export { LISTING_DEFAULTS, type Listing, type ListingOptions } from './listing.ts';
export {
  type DeferQuestion,
  makeDeferPlan,
  makeInlinePlan,
  type PlanQuestion,
  STUB_DEFAULTS,
  withoutSearch,
} from './make-plan.ts';
export { makeView, type ViewQuestion } from './make-view.ts';
export { OWN_NAMES } from './own-tools.ts';
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
} from './plan.ts';
export {
  capabilitiesOf,
  type HostedSearch,
  TRANSPORTS,
  type Transport,
  type TransportCapabilities,
  type TransportTable,
} from './transport-capabilities.ts';
