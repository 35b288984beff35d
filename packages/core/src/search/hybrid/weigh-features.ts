import type { HybridFeatures, HybridWeights } from './hybrid-options.ts';

/** The weighted sum of a tool's features. */
export function weighFeatures(features: HybridFeatures, weights: HybridWeights): number {
  let sum = 0;
  for (const name of Object.keys(weights) as (keyof HybridFeatures)[]) sum += weights[name] * features[name];
  return sum;
}
