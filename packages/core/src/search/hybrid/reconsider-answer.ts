import type { FitModel } from '../reranker/create-reranker.ts';
import type { HybridSettings } from './hybrid-options.ts';
import { orderByIntent } from './order-answer.ts';
import { type HybridAnswer, judgeRated } from './rank-hybrid.ts';
import { CLAUSE_MARGIN, weighFeatures } from './rate-tools.ts';

/** What the reranker says of an answer. */
export interface Reranking {
  /** Of the answer's best tools, in their order; the others count as average. */
  readonly cosines: Float32Array;
  /** The same for each clause of the request; undefined for one that the model can't read. */
  readonly clauses: readonly (Float32Array | undefined)[];
  /**
   * What such cosines tell of whether anything fits. Without it the first stage's confidence stands, and so do its fits of
   * clauses: the scale of such a model's cosines is unknown.
   */
  readonly fitModel?: FitModel | undefined;
}

/** An answer in the light of the reranker, with as many places as it has. */
export function reconsiderAnswer(answer: HybridAnswer, look: Reranking, settings: HybridSettings): HybridAnswer {
  const { rated, rankings, judging } = answer;
  const { cosines, clauses, fitModel } = look;
  const { rerankedWeights, rerankedOneClauseWeights, rerankedIntentWeight, siblingWeight } = settings;
  const weights = rated.clauses.length === 0 ? rerankedOneClauseWeights : rerankedWeights;
  const seen = new Map(rankings.slice(0, cosines.length).map(({ tool }, at) => [tool, at]));
  const spread = (values: Float32Array): Float64Array => {
    return Float64Array.from(rated.tools, (tool) => values[seen.get(tool) ?? values.length] ?? 0);
  };
  const reranked = spread(heightsOf(cosines));
  const heights = clauses.flatMap((clause) => (clause === undefined ? [] : [spread(heightsOf(clause))]));
  const clauseReranked = heights.length === 0 ? reranked : greatest(heights);
  const features = { ...rated.features, reranked, clauseReranked };
  // A model whose cosines have an unknown scale can move the first stage's best tool down, but not out of the answer.
  const best = fitModel === undefined ? rankings[0] : undefined;
  const kept = best === undefined ? undefined : rated.tools.indexOf(best.tool);
  const worth = fitModel === undefined ? 0 : COSINE_WORTH;
  const reconsidered = {
    ...rated,
    features,
    bases: weighFeatures(features, weights),
    clauses: rated.clauses.map((fits, at) => {
      const clause = clauses[at];
      return clause === undefined || worth === 0 ? fits : mixFits(fits, spread(clause), worth);
    }),
  };
  return {
    ...answer,
    rated: reconsidered,
    weights,
    rankings: orderByIntent(reconsidered, {
      intentWeight: rerankedIntentWeight,
      fillerFit: FILLER_FIT,
      siblingWeight,
      wanted: rankings.length,
      kept,
    }),
    ...(fitModel === undefined || judging === undefined
      ? {}
      : { confidence: judgeRated({ ...judging, model: fitModel, cosine: spread(bestCosines(cosines, clauses)) }) }),
  };
}

/** Chosen on held-out requests, as that of the first stage: fits that are half a model's cosines are others. */
const FILLER_FIT = 2.5;

/** Of the whole request, or of a clause that fits clearly better. */
function bestCosines(whole: Float32Array, clauses: readonly (Float32Array | undefined)[]): Float32Array {
  return whole.map((cosine, at) => {
    return clauses.reduce((most, clause) => Math.max(most, (clause?.[at] ?? -1) - CLAUSE_MARGIN), cosine);
  });
}

/** Place by place. */
function greatest(columns: readonly Float64Array[]): Float64Array {
  const [first, ...others] = columns as [Float64Array, ...Float64Array[]];
  return others.reduce((most, column) => most.map((value, at) => Math.max(value, column[at] as number)), first);
}

/** How well each tool serves a clause, half by each stage. */
function mixFits(fits: Float64Array, cosines: Float64Array, worth: number): Float64Array {
  return fits.map((fit, at) => (fit + worth * Math.max(0, cosines[at] as number)) / 2);
}

/** What a cosine counts in the fit of a clause, where it is known what such cosines tell. */
const COSINE_WORTH = 9.7;

/** How far each stands from the mean to the nearest: `max(0, (x - mean) / (best - mean))`. */
function heightsOf(cosines: Float32Array): Float32Array {
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  const best = cosines.reduce((most, cosine) => Math.max(most, cosine), mean);
  const unit = Math.max(best - mean, LEAST_DIFFERENCE);
  return cosines.map((cosine) => Math.max(0, (cosine - mean) / unit));
}

/** Below this the cosines differ by the noise of the arithmetic. */
const LEAST_DIFFERENCE = 1e-4;
