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
  /** The same for each clause of the request; undefined for one that the model can't read. */
  readonly clauses: readonly (Float32Array | undefined)[];
  /** What such cosines tell of whether anything fits. @default nothing: the first stage's confidence stands */
  readonly fitModel?: FitModel | undefined;
}

/** An answer in the light of the second stage, with as many places as it has. */
export function reconsiderAnswer(answer: HybridAnswer, look: SecondLook, settings: HybridSettings): HybridAnswer {
  const { rated, rankings, knownShare } = answer;
  const { cosines, clauses, fitModel } = look;
  const { secondWeights, secondOneClauseWeights, intentWeight } = settings;
  const weights = rated.clauses.length === 0 ? secondOneClauseWeights : secondWeights;
  const seen = new Map(rankings.slice(0, cosines.length).map(({ tool }, at) => [tool, at]));
  const spread = (values: Float32Array): Float64Array => {
    return Float64Array.from(rated.tools, (tool) => values[seen.get(tool) ?? values.length] ?? 0);
  };
  const embedded = spread(heightsOf(cosines));
  const read = clauses.filter((clause) => clause !== undefined);
  const clauseEmbedded = read.length === 0 ? embedded : greatest(read.map((clause) => spread(heightsOf(clause))));
  const features = { ...rated.features, embedded, clauseEmbedded };
  const reconsidered = {
    ...rated,
    features,
    bases: weighFeatures(features, weights),
    clauses: rated.clauses.map((fits, at) => {
      const clause = clauses[at];
      return clause === undefined ? fits : mixFits(fits, spread(clause));
    }),
  };
  return {
    ...answer,
    rated: reconsidered,
    weights,
    rankings: orderByIntent(reconsidered, { intentWeight, wanted: rankings.length }),
    ...(fitModel === undefined ? {} : { confidence: judgeRated(rated, knownShare, fitModel, spread(cosines)) }),
  };
}

/** Place by place. */
function greatest(columns: readonly Float64Array[]): Float64Array {
  const [first, ...others] = columns as [Float64Array, ...Float64Array[]];
  return others.reduce((most, column) => most.map((value, at) => Math.max(value, column[at] as number)), first);
}

/** How well each tool serves a clause when both stages have a say. */
function mixFits(fits: Float64Array, cosines: Float64Array): Float64Array {
  return fits.map((fit, at) => CLAUSE_FIT.first * fit + CLAUSE_FIT.cosine * Math.max(0, cosines[at] as number));
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
/** What the first stage's fit counts, and the second's cosine, in units of that fit. */
const CLAUSE_FIT = { first: 0.5, cosine: 4.5 } as const;
