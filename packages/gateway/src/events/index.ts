export { type Activity, createActivity, NO_ACTIVITY, planCost, type RequestEnd, wasCalled } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export type { GatewayEvent, RequestRecord } from './gateway-event.ts';
