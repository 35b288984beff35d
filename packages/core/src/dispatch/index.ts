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
export { createToolbox } from './create-toolbox.ts';
export type { RefusalReason, ToolboxEvent } from './events.ts';
export { nameDistance, parseArguments, readAhead, readQueries, toInput, writtenInput } from './read/index.ts';
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
export { readDefinitions } from './toolbox-context.ts';
export { checkToolboxOptions, type SearcherSource, TOOLBOX_OPTIONS, type ToolboxOptions } from './toolbox-options.ts';
