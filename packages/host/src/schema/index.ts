export { type CheckOptions, checkValue, type ValueCheck } from './check-value.ts';
export { type ArgumentCheckerOptions, createArgumentChecker } from './create-argument-checker.ts';
export type { EvaluationLimits, Unchecked } from './evaluator.ts';
export type { ProblemLimits } from './list-problems.ts';
