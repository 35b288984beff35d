export { call, DONE, type Extra, reply, script, TOOLS, unpaired } from './scripted-run.ts';
export { type ContractQueries, describeSearcher, type SearcherSample } from './searcher-contract.ts';
export { describeTranscriptStore, describeVectorCache } from './store-contract.ts';
export type { Expectation, TestFramework } from './test-framework.ts';
export { describeWire, LOCAL_FORMS } from './wire-contract.ts';
export type {
  Received,
  Reply,
  ScriptedItem,
  ScriptedRound,
  Seen,
  SeenMessage,
  WireSample,
} from './wire-sample.ts';
export { wordSearcher } from './word-searcher.ts';
