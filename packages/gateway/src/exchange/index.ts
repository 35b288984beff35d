export { dialectsFor } from './dialects-for.ts';
export { endingIterator } from './ending-iterator.ts';
export {
  type Connector,
  type Continuation,
  clientOf,
  createModelService,
  createModels,
  type HeldModels,
  type ModelQuestion,
  type ModelService,
  type NamesServers,
  type OpenExchange,
  type PlainModelService,
  type RemoteModelService,
  type ServerTools,
  type Transcripts,
} from './model-service.ts';
export { type AskObserver, observeUpstreams } from './observe-upstreams.ts';
export { streamBody, tallyUse } from './run-exchange.ts';
