export { type Activity, createActivity, NO_ACTIVITY, planCost, type RequestEnd } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export { type GatewayEvent, type RequestRecord, wasCalled } from './gateway-event.ts';
