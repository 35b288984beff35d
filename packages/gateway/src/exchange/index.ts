export { dialectsFor } from './dialects-for.ts';
export {
  type Continuation,
  clientOf,
  createModelService,
  type HeldModels,
  type ModelQuestion,
  type ModelService,
  type NamesServers,
  type OpenExchange,
  type PlainModelService,
  type ServerTools,
  type Transcripts,
} from './model-service.ts';
export { type AskObserver, observeUpstreams } from './observe-upstreams.ts';
export { streamBody, tallyUse } from './run-exchange.ts';
