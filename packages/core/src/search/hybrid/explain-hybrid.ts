import { NAMED } from '../bm25/index.ts';
import type { Explanation } from '../searcher.ts';
import { FEATURES, type HybridFeatures, type HybridWeights } from './features.ts';
import type { HybridRanking } from './order-answer.ts';

/** Takes a score apart. The values of the details add up to the score; the lexical part comes with its own terms. */
export function explainHybrid(
  ranking: HybridRanking,
  weights: HybridWeights,
  lexical: Explanation | undefined,
): Explanation {
  const { bonus, base, intent, sibling, lift, features, score } = ranking;
  const details: Explanation[] = [];
  if (bonus > 0) details.push({ value: bonus, what: 'bonus for a name; earlier names get more', details: [] });
  details.push({
    value: base,
    what: 'features, each times its weight',
    details: explainFeatures(features, weights, lexical),
  });
  if (intent > 0) {
    details.push({
      value: intent,
      what: 'covers a part of the request that no tool above covers as well',
      details: [],
    });
  }
  if (sibling > 0) details.push({ value: sibling, what: SIBLING, details: [] });
  if (lift > 0) details.push({ value: lift, what: KEPT, details: [] });
  return { value: score, what: bonus > 0 ? NAMED : 'words and meaning', details };
}

/** Why a tool is worth more beside those above it. */
export const SIBLING = 'a tool of the same server ranks above it';

const KEPT = 'placed here as the nearest by meaning, the best before reranking, or the successor of the tool below';

function explainFeatures(
  features: HybridFeatures,
  weights: HybridWeights,
  lexical: Explanation | undefined,
): readonly Explanation[] {
  return FEATURES.filter(({ name }) => weights[name] * features[name] !== 0).map(({ name, words }) => ({
    value: weights[name] * features[name],
    what: `${weights[name]} × ${features[name].toFixed(3)}: ${words}`,
    details: name === 'terms' && lexical !== undefined ? [lexical] : [],
  }));
}
