import { confidenceAtLoss, refuseBelow, summariseOutcomes } from 'quartermaster';

/** Of the right answers, how many a stricter setting may lose. */
const LOST_SHARE = 0.01;

/**
 * What is refused where nothing fits: as the engine is set, and with the setting that loses one right answer in a hundred on
 * the calibration sets, which is the same for all catalogs. Undefined for an engine that gives no confidence.
 */
export function measureRefusals(pairs, calibration) {
  const { rightLost } = summariseOutcomes(calibration);
  const least = confidenceAtLoss(calibration, LOST_SHARE);
  return {
    rightLost,
    leastConfidence: least,
    pairs: pairs.map(({ name, outcomes }) => ({
      name,
      queries: outcomes.length,
      refused: summariseOutcomes(outcomes).unanswerable.refused,
      refusedAtLoss: least === undefined ? undefined : refuseBelow(outcomes, least),
    })),
  };
}
