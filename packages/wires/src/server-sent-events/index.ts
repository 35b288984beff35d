export { type ReadEventsOptions, readEvents } from './read-events.ts';
export { writeEvent } from './write-event.ts';
