export { type Activity, type CountedEvent, createActivity, type EventSink, NO_ACTIVITY } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export type { GatewayEvent, RequestRecord, RunningRequest, RunningRequests } from './gateway-event.ts';
export { OpenRequests } from './open-requests.ts';
export { planCost, type RequestEnd, type RequestStart, wasCalled } from './request-record.ts';
