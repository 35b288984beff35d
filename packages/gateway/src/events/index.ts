export { type Activity, createActivity, type RequestEnd } from './activity.ts';
export { explainEvent } from './explain-event.ts';
export type { GatewayEvent, RequestRecord } from './gateway-event.ts';
export { planCost } from './token-account.ts';
