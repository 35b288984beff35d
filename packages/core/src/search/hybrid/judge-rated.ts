import type { FitModel } from '../reranker/index.ts';
import { judgeFit } from './judge-fit.ts';
import type { RatedTools } from './rated-tools.ts';

export interface Judgement {
  readonly rated: RatedTools;
  /** How much of the request the catalog has words for, 0 to 1. */
  readonly knownShare: number;
  readonly model: FitModel;
  readonly toolCount: number;
  /** The probability below which nothing fits. */
  readonly least: number;
  /** Whether the request names something of a tool exactly. Asked only where all else says that nothing fits. */
  readonly namesExactly: () => boolean;
  /** The reranker's, where it has looked at them. */
  readonly cosine?: Float64Array;
}

/** How likely it is that a request fits one of the tools that were weighed for it; one that it names always fits. */
export function judgeRated({ rated, knownShare, model, least, namesExactly, cosine, toolCount }: Judgement): number {
  const { bonuses, ownMeaning: meaning, features } = rated;
  if (bonuses.some((bonus) => bonus > 0)) return 1;
  const confidence = judgeFit({ meaning, bigrams: features.bigrams, knownShare, cosine, toolCount }, model);
  return meaning.length > 0 && confidence < least && namesExactly() ? Math.max(EXACT, least) : confidence;
}

/** What a rare word that names a parameter or a tool makes likely, whatever it means. */
const EXACT = 0.9;
