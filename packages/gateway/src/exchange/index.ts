export { type Connector, createModels, type HeldModels, type RemoteModelService } from './create-models.ts';
export { dialectsFor } from './dialects-for.ts';
export { endingIterator } from './ending-iterator.ts';
export { createHistoryMeter } from './measure-history.ts';
export {
  type Continuation,
  clientOf,
  createModelService,
  type ModelQuestion,
  type ModelService,
  type ModelServiceOptions,
  type NamesServers,
  type OpenExchange,
  type PlainModelService,
  type ServerTools,
  type Transcripts,
} from './model-service.ts';
export { type AskObserver, observeUpstreams } from './observe-upstreams.ts';
export { streamBody, tallyUse } from './run-exchange.ts';
