export { rememberFound } from './answer-call.ts';
export type { ArgumentCheck, ArgumentChecker, ArgumentProblem } from './argument-checker.ts';
export type { Call, Caller, Resolved, Step, ToolOutcome } from './call.ts';
export { checkToolboxOptions, TOOLBOX_OPTIONS } from './check-toolbox-options.ts';
export { createToolbox } from './create-toolbox.ts';
export type { RefusalReason, ToolboxEvent } from './events.ts';
export type { Awaitable, BeforeCall, Denial, HookContext, Hooks } from './hooks.ts';
export { nameDistance } from './name-distance.ts';
export { parseArguments } from './parse-arguments.ts';
export { readAhead } from './read-ahead.ts';
export { readDefinitions } from './read-definitions.ts';
export { readQueries } from './read-queries.ts';
export type {
  Answered,
  CallContext,
  ExecuteOptions,
  PlanOptions,
  Prefetched,
  Prefetching,
  TellOptions,
  Toolbox,
  ViewExtra,
} from './toolbox.ts';
export type { SearcherSource, ToolboxOptions } from './toolbox-options.ts';
export type { FoundForQuery, UseMemory } from './use-memory.ts';
