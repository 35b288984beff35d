import type { ArgumentProblem } from '@quartermaster/core/dispatch';
import { describeFailure } from './describe-failure.ts';
import type { Failure } from './failure.ts';

/** How much the error messages contain. */
export interface ProblemLimits {
  /**
   * The maximum number of problems, including the line that counts the others; 2 or more.
   * @default 8
   */
  readonly maxProblems: number;
  /** The maximum size of all problems together, in bytes of UTF-8; the first is always included. @default 2_000 */
  readonly maxBytes: number;
}

export const PROBLEM_DEFAULTS: ProblemLimits = { maxProblems: 8, maxBytes: 2_000 };

/** The bytes reserved for the line that counts what is not listed. */
const COUNT_LINE_BYTES = 60;

/** Failures as problems, without repetitions, within the limits; a last line counts what is left out. */
export function listProblems(failures: readonly Failure[], limits: ProblemLimits): readonly ArgumentProblem[] {
  const kept = new Map<string, ArgumentProblem>();
  let bytes = 0;
  for (const [index, failure] of failures.entries()) {
    const problem = describeFailure(failure);
    const key = `${problem.path} ${problem.message}`;
    if (kept.has(key)) continue;
    const isLast = index === failures.length - 1;
    bytes += bytesOf(problem);
    const isTooLong = bytes + (isLast ? 0 : COUNT_LINE_BYTES) > limits.maxBytes;
    const isTooMany = kept.size >= limits.maxProblems - (isLast ? 0 : 1);
    if (kept.size > 0 && (isTooLong || isTooMany)) return [...kept.values(), moreLine(failures.length - index)];
    kept.set(key, problem);
  }
  return [...kept.values()];
}

function moreLine(left: number): ArgumentProblem {
  return { path: '', message: left === 1 ? 'has 1 more problem' : `has ${left} more problems` };
}

function bytesOf({ path, message, closest = '' }: ArgumentProblem): number {
  return Buffer.byteLength(path) + Buffer.byteLength(message) + Buffer.byteLength(closest);
}
