export { type Activity, createActivity, type EventSink, NO_ACTIVITY } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export {
  byKind,
  type EventOf,
  type GatewayEvent,
  type RequestRecord,
  type RunningRequest,
  type RunningRequests,
} from './gateway-event.ts';
export { OpenRequests } from './open-requests.ts';
export { countFound, type RequestEnd, type RequestStart } from './request-record.ts';
export { planCost } from './token-account.ts';
