export { toCall } from './to-call.ts';
export { writeEvents } from './write-events.ts';
