import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { ArgumentProblem } from '@quartermaster/core/dispatch';
import { memoized } from '@quartermaster/core/internal';
import { EVALUATION_DEFAULTS, type EvaluationLimits, Evaluator, type Unchecked } from './evaluator.ts';
import { listProblems, PROBLEM_DEFAULTS, type ProblemLimits } from './list-problems.ts';
import { createPatternCache } from './pattern-cache.ts';
import { repairValue } from './repair-value.ts';
import { indexSchema } from './schema-index.ts';

/** Options of a check against a schema. */
export interface CheckOptions extends Partial<EvaluationLimits>, Partial<ProblemLimits> {
  /**
   * Whether a value is repaired if only the form of its parts is wrong (`"5"` for 5, a single value for a list).
   *
   * @default false
   */
  readonly repair?: boolean;
}

/** The default limits of a check. */
export const CHECK_DEFAULTS: Required<CheckOptions> = { ...EVALUATION_DEFAULTS, ...PROBLEM_DEFAULTS, repair: false };

/** `unchecked` is what could not be decided and was accepted; empty if everything was checked. */
export type ValueCheck = { readonly unchecked: readonly Unchecked[] } & (
  | {
      readonly kind: 'good';
      /** The repaired value, if a repair was needed and allowed. */
      readonly repaired?: Json;
    }
  | { readonly kind: 'wrong'; readonly problems: readonly ArgumentProblem[] }
);

/**
 * Checks a value against a JSON Schema of any draft from 4 to 2020-12 by interpreting it: no code is generated from the
 * schema, nothing is fetched, and its patterns run on our regex engine. It rejects only what is certainly wrong; what
 * can't be decided within the budget is accepted and noted.
 */
export function checkValue(schema: JsonObject, value: Json, options: CheckOptions = {}): ValueCheck {
  const settings = { ...CHECK_DEFAULTS, ...options };
  const { index, patterns } = prepare(schema);
  const evaluator = new Evaluator({ index, patterns, limits: settings });
  const verdict = evaluator.check(schema, value);
  const { unchecked } = evaluator;
  if (verdict.truth !== 'invalid') return { kind: 'good', unchecked };
  const repaired = settings.repair
    ? repairValue(value, verdict, (candidate) => evaluator.check(schema, candidate))
    : undefined;
  if (repaired !== undefined && !evaluator.isSpent) {
    return { kind: 'good', repaired, unchecked: evaluator.unchecked };
  }
  return { kind: 'wrong', problems: listProblems(verdict.failures, settings), unchecked };
}

/** A catalog's schemas never change, and are freed with it. */
const prepare = memoized((schema: JsonObject) => ({ index: indexSchema(schema), patterns: createPatternCache() }));
