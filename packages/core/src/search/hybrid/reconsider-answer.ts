import type { HybridSettings } from './hybrid-options.ts';
import { orderByIntent } from './order-by-intent.ts';
import type { HybridAnswer } from './rank-hybrid.ts';
import { weighFeatures } from './weigh-features.ts';

/**
 * An answer in the light of the second stage, with as many places as it has.
 * @param cosines of its best tools, in their order; the others count as average
 */
export function reconsiderAnswer(answer: HybridAnswer, cosines: Float32Array, settings: HybridSettings): HybridAnswer {
  const { rated, rankings } = answer;
  const { secondWeights: weights, intentWeight } = settings;
  const heights = heightsOf(cosines);
  const heightOf = new Map(rankings.slice(0, cosines.length).map(({ tool }, at) => [tool, heights[at] ?? 0]));
  const features = { ...rated.features, embedded: Float64Array.from(rated.tools, (tool) => heightOf.get(tool) ?? 0) };
  const reconsidered = { ...rated, features, bases: weighFeatures(features, weights) };
  return {
    ...answer,
    rated: reconsidered,
    weights,
    rankings: orderByIntent(reconsidered, { intentWeight, wanted: rankings.length }),
  };
}

/** How far each stands from the mean to the nearest: `max(0, (x - mean) / (best - mean))`. */
function heightsOf(cosines: Float32Array): Float32Array {
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  const best = cosines.reduce((most, cosine) => Math.max(most, cosine), mean);
  const unit = Math.max(best - mean, LEAST_DIFFERENCE);
  return cosines.map((cosine) => Math.max(0, (cosine - mean) / unit));
}

/** Below this the cosines differ by the noise of the arithmetic. */
const LEAST_DIFFERENCE = 1e-4;
