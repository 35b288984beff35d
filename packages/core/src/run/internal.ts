// What other stages and packages share with this one. The public names are in index.ts.
export {
  limitHeadersIn,
  type ReadEventsOptions,
  readEvents,
  readResponseText,
  type ServerEvent,
} from './read-response.ts';
