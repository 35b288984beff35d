export type {
  Api,
  Catalog,
  DefinitionChange,
  Evaluation,
  EvaluationCase,
  Explanation,
  Key,
  KeyLimits,
  RankedTool,
  RequestRecord,
  SearchAnswer,
  SearchHit,
  SearchRecord,
  Server,
  Standing,
  TokenAccount,
  ToolFacts,
  ToolFinding,
  Totals,
  WireRound,
} from './api.ts';
export { ApiFailure } from './api-failure.ts';
export { type Client, type ClientOptions, createClient, type Route } from './create-client.ts';
