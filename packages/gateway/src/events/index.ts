export { type Activity, createActivity, type RequestEnd } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export { type GatewayEvent, type RequestRecord, wasCalled } from './gateway-event.ts';
export { planCost } from './token-account.ts';
