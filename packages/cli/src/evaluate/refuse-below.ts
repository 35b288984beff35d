import { type Estimate, estimateShare } from './estimate.ts';
import type { Outcome } from './evaluate-queries.ts';
import { isRight } from './summarise-outcomes.ts';

/**
 * The threshold at which this share of the right answers is lost, if everything below it is refused. Undefined if the engine
 * reports no confidence, or nothing is right.
 */
export function confidenceAtLoss(outcomes: readonly Outcome[], lostShare: number): number | undefined {
  const right = outcomes
    .filter(isRight)
    .flatMap(({ confidence }) => confidence ?? [])
    .sort((left, right) => left - right);
  return right[Math.floor(right.length * lostShare)];
}

/** The share that would be refused if everything below this confidence were. */
export function refuseBelow(outcomes: readonly Outcome[], leastConfidence: number): Estimate {
  const refused = outcomes.filter(({ confidence }) => (confidence ?? 1) < leastConfidence).length;
  return estimateShare(refused, outcomes.length);
}
