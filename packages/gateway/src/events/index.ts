export {
  type Activity,
  type CountedEvent,
  createActivity,
  type EventSink,
  NO_ACTIVITY,
  planCost,
  type RequestEnd,
  type RequestStart,
  wasCalled,
} from './activity.ts';
export { explainEvent } from './explain-event.ts';
export type { GatewayEvent, RequestRecord, RunningRequest, RunningRequests } from './gateway-event.ts';
export { OpenRequests } from './open-requests.ts';
