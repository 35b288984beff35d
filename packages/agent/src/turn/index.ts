export { createPlanner } from './planner.ts';
export { runTurn } from './run-turn.ts';
export { createToolGuard } from './tool-guard.ts';
export type { TurnContext } from './turn-context.ts';
