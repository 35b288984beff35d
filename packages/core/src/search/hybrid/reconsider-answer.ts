import type { FitModel } from '../second-stage/index.ts';
import type { HybridSettings } from './hybrid-options.ts';
import { judgeRated } from './judge-rated.ts';
import { orderByIntent } from './order-by-intent.ts';
import type { HybridAnswer } from './rank-hybrid.ts';
import { weighFeatures } from './weigh-features.ts';

/** What the second stage says of an answer. */
export interface SecondLook {
  /** Of the answer's best tools, in their order; the others count as average. */
  readonly cosines: Float32Array;
  /** What such cosines tell of whether anything fits. @default nothing: the first stage's confidence stands */
  readonly fitModel?: FitModel | undefined;
}

/** An answer in the light of the second stage, with as many places as it has. */
export function reconsiderAnswer(answer: HybridAnswer, look: SecondLook, settings: HybridSettings): HybridAnswer {
  const { rated, rankings, knownShare } = answer;
  const { cosines, fitModel } = look;
  const { secondWeights: weights, intentWeight } = settings;
  const seen = new Map(rankings.slice(0, cosines.length).map(({ tool }, at) => [tool, at]));
  const spread = (values: Float32Array): Float64Array => {
    return Float64Array.from(rated.tools, (tool) => values[seen.get(tool) ?? values.length] ?? 0);
  };
  const features = { ...rated.features, embedded: spread(heightsOf(cosines)) };
  const reconsidered = { ...rated, features, bases: weighFeatures(features, weights) };
  return {
    ...answer,
    rated: reconsidered,
    weights,
    rankings: orderByIntent(reconsidered, { intentWeight, wanted: rankings.length }),
    ...(fitModel === undefined ? {} : { confidence: judgeRated(rated, knownShare, fitModel, spread(cosines)) }),
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
