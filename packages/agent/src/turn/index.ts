export { createLedger, type LedgerOptions, type ModelPrice } from './ledger.ts';
export { requestFor, requestTokens, sum } from './make-room.ts';
export { createPlanner } from './planner.ts';
export { runTurn } from './run-turn.ts';
export { createSideChannel } from './side-channel.ts';
export { createStructuredOutput, type OutputFormat, type StructuredOutput } from './structured-output.ts';
export { createToolGuard, type GuardOptions, type ToolGuard } from './tool-guard.ts';
export type { TurnContext } from './turn-context.ts';
