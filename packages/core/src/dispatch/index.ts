// What happens on a call. a call ──▶ read/ (unwrap, parse, resolve the name) ──▶ search/ or call/ ──▶ the text that answers it.
// `create-toolbox` puts these behind one interface, `Toolbox`.
//
// read/   the bridge taken off a call, arguments parsed out of whatever the model wrote, and names resolved to tools
// search/ searches, and tools found before the model asks
// call/   calls of real tools: checked against scope and schema, refused with a way out, executed between hooks, or described

export type { Awaitable, BeforeCall, Denial, HookContext, Hooks } from './call/execute-call.ts';
export type { ArgumentCheck, ArgumentChecker, ArgumentProblem } from './call/handle-calls.ts';
export { createToolbox, rememberFound } from './create-toolbox.ts';
export type { RefusalReason, ToolboxEvent } from './events.ts';
export { parseArguments } from './read/unwrap-call.ts';
export type { FoundForQuery, UseMemory } from './search/handle-search.ts';
export type {
  Answered,
  Call,
  CallContext,
  Caller,
  ExecuteOptions,
  PlanOptions,
  Prefetched,
  Prefetching,
  Resolved,
  Step,
  TellOptions,
  Toolbox,
  ToolOutcome,
  ViewExtra,
} from './toolbox.ts';
export { readDefinitions } from './toolbox-context.ts';
export type { SearcherSource, ToolboxOptions } from './toolbox-options.ts';
