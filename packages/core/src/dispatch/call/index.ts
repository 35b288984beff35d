// Calls of real tools: checked against scope and schema, refused with a way out, executed between hooks, or described.

export type { ArgumentCheck, ArgumentChecker, ArgumentProblem } from './argument-checker.ts';
export { executeCall } from './execute-call.ts';
export { handleCalls } from './handle-calls.ts';
export { handleDescribe } from './handle-describe.ts';
export type { Awaitable, BeforeCall, Denial, HookContext, Hooks } from './hooks.ts';
export { refuse, unknownTool, wayWithoutSearch } from './refuse.ts';
