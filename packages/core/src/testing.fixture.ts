export { wordSearcher } from './dispatch/word-searcher.fixture.ts';
export { describeWire, LOCAL_FORMS } from './loop/wire-contract.fixture.ts';
export type {
  Received,
  Reply,
  ScriptedItem,
  ScriptedRound,
  Seen,
  SeenMessage,
  WireSample,
} from './loop/wire-sample.fixture.ts';
export type { ContractQueries } from './search/searcher-contract.fixture.ts';
export { describeSearcher } from './search/searcher-contract.fixture.ts';
