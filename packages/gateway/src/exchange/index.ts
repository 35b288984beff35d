export { dialectsFor } from './dialects-for.ts';
export { endingIterator } from './ending-iterator.ts';
export {
  clientOf,
  createModelService,
  createModels,
  type ModelServiceOptions,
  type Transcripts,
} from './model-service.ts';
export type {
  Connector,
  Continuation,
  HeldModels,
  ModelQuestion,
  ModelService,
  NamesServers,
  OpenExchange,
  PlainModelService,
  RemoteModelService,
  ServerTools,
} from './models.ts';
export { type AskObserver, observeUpstreams } from './observe-upstreams.ts';
export { streamBody, tallyUse } from './run-exchange.ts';
