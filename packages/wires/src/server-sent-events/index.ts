export { type ReadEventsOptions, readEvents } from '@quartermaster/core/internal';
export { writeEvent } from './write-event.ts';
