/** A mean with its 95% confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * A share (hits among tries) with Wilson's interval:
 * (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). Unlike p ± z·σ it stays within 0 and 1 and holds for few tries.
 */
export function estimateShare(hits: number, tries: number): Estimate {
  if (tries === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  const p = hits / tries;
  const z2 = Z * Z;
  const centre = p + z2 / (2 * tries);
  const spread = Z * Math.sqrt((p * (1 - p)) / tries + z2 / (4 * tries * tries));
  const scale = 1 + z2 / tries;
  return { mean: p, low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/**
 * A mean of values from 0 to 1 with a percentile bootstrap interval: 1,000 resamples from a fixed seed, so that a second run
 * prints the same.
 *
 * If all values are equal there is nothing to resample, and an interval of zero width would claim certainty, even from one
 * query. Such values get Wilson's interval for a share of their size. It is rather wide, because of all values from 0 to 1 with one
 * mean, hits and misses vary the most. If all are 0 or all are 1 it equals that of hit@k.
 */
export function estimateMean(values: readonly number[]): Estimate {
  if (values.length === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  const [first = 0] = values;
  if (values.every((value) => value === first)) {
    return { ...estimateShare(first * values.length, values.length), mean: first };
  }
  const data = Float64Array.from(values);
  const means = new Float64Array(RESAMPLES);
  let state = SEED;
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    let sum = 0;
    for (let i = 0; i < data.length; i += 1) {
      // xorshift32 (Marsaglia 2003)
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum += data[(state >>> 0) % data.length] ?? 0;
    }
    means[sample] = sum / data.length;
  }
  means.sort();
  const at = (share: number): number => means[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return { mean: mean(data), low: at(0.025), high: at(0.975) };
}

/**
 * The average of several independent means, each counting the same, with a normal interval from their standard errors:
 * the variance of the average is the sum of theirs divided by the square of their number.
 */
export function averageEstimates(estimates: readonly Estimate[]): Estimate {
  const centre = mean(estimates.map((estimate) => estimate.mean));
  const variances = estimates.map(({ low, high }) => ((high - low) / (2 * Z)) ** 2);
  const spread = (Z * Math.sqrt(variances.reduce((sum, value) => sum + value, 0))) / estimates.length;
  return { mean: centre, low: Math.max(0, centre - spread), high: Math.min(1, centre + spread) };
}

/** The value below which a share of the sorted values lies (nearest rank); NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0;
  return sum / values.length;
}

/** The 97.5% quantile of the normal distribution. */
const Z = 1.959964;
const RESAMPLES = 1_000;
const SEED = 0x2545f491;
