// Calls of real tools: checked against scope and schema, refused with a way out, executed between hooks, or described.

export {
  type Awaitable,
  type BeforeCall,
  type Denial,
  executeCall,
  type HookContext,
  type Hooks,
} from './execute-call.ts';
export { type ArgumentCheck, type ArgumentChecker, type ArgumentProblem, handleCalls } from './handle-calls.ts';
export { handleDescribe } from './handle-describe.ts';
export { refuse, unknownTool, wayWithoutSearch } from './refuse.ts';
