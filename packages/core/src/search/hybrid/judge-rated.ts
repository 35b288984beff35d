import type { FitModel } from '../reranker/index.ts';
import { judgeFit } from './judge-fit.ts';
import type { RatedTools } from './rated-tools.ts';

/**
 * How likely it is that a request fits one of the tools that were weighed for it; one that it names always fits.
 * @param cosine the reranker's, where it has looked at them
 */
export function judgeRated(
  { bonuses, features, ownMeaning: meaning }: RatedTools,
  knownShare: number,
  model: FitModel,
  cosine?: Float64Array,
): number {
  if (bonuses.some((bonus) => bonus > 0)) return 1;
  const { coverage, bigrams } = features;
  return judgeFit({ meaning, coverage, bigrams, knownShare, ...(cosine === undefined ? {} : { cosine }) }, model);
}
