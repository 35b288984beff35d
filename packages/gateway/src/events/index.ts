export { type Activity, createActivity, type RecordSink, type RequestEnd } from './activity.ts';
export type { GatewayEvent, RequestRecord } from './gateway-event.ts';
export { planCost } from './token-account.ts';
