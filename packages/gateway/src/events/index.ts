export { type Activity, createActivity, planCost, type RequestEnd } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export { type GatewayEvent, type RequestRecord, wasCalled } from './gateway-event.ts';
