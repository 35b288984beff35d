// What happens on a call. a call ──▶ read/ (unwrap, parse, resolve the name) ──▶ search/ or call/ ──▶ the text that answers it.
// `create-toolbox` puts these behind one interface, `Toolbox`.
export { rememberFound } from './answer-call.ts';
export type {
  ArgumentCheck,
  ArgumentChecker,
  ArgumentProblem,
  Awaitable,
  BeforeCall,
  Denial,
  HookContext,
  Hooks,
} from './call/index.ts';
export type { Call, Caller, Resolved, Step, ToolOutcome } from './call.ts';
export { checkToolboxOptions, TOOLBOX_OPTIONS } from './check-toolbox-options.ts';
export { createToolbox } from './create-toolbox.ts';
export type { RefusalReason, ToolboxEvent } from './events.ts';
export { nameDistance, parseArguments, readAhead, readQueries } from './read/index.ts';
export { readDefinitions } from './read-definitions.ts';
export type { FoundForQuery, UseMemory } from './search/index.ts';
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
