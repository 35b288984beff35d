export { dialectsFor } from './dialects-for.ts';
export {
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
export { streamBody } from './stream-body.ts';
export { tallyUse } from './tally-use.ts';
