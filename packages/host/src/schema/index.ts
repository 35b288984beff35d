export { type CheckOptions, checkValue, type ValueCheck } from './check-value.ts';
export { type ArgumentCheckerOptions, createArgumentChecker } from './create-argument-checker.ts';
export type { EvaluationLimits } from './evaluator.ts';
export type { ProblemLimits } from './list-problems.ts';
export type { Unchecked } from './unchecked.ts';
