// What is sent to the model: the form that the transport can carry, the fixed plan made from it (own tools, stubs, listing, note), and
// the view that adds what the conversation has revealed.
export {
  capabilitiesOf,
  chooseForm,
  FORMS,
  type Form,
  type FormChoice,
  type FormName,
  type HostedSearch,
  keepsPrefix,
  readFormChoice,
  TRANSPORTS,
  type Transport,
  type TransportCapabilities,
  type TransportTable,
} from './form.ts';
export { LISTING_DEFAULTS, type Listing, type ListingOptions } from './listing.ts';
export {
  type DeferQuestion,
  makeDeferPlan,
  makeInlinePlan,
  makeView,
  type PlanQuestion,
  STUB_DEFAULTS,
  type ViewQuestion,
  withoutSearch,
} from './make-plan.ts';
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
