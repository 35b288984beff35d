import type { Explanation } from '../searcher.ts';
import type { HybridFeatures, HybridWeights } from './hybrid-options.ts';
import type { HybridRanking } from './order-by-intent.ts';

/** Takes a score apart. The values of the details add up to the score; the lexical part comes with its own terms. */
export function explainHybrid(
  ranking: HybridRanking,
  weights: HybridWeights,
  lexical: Explanation | undefined,
): Explanation {
  const { bonus, base, intent, sibling, lift, features, score } = ranking;
  const details: Explanation[] = [];
  if (bonus > 0) details.push({ value: bonus, what: 'bonus for a name, more for one that comes earlier', details: [] });
  details.push({
    value: base,
    what: 'features, each times its weight',
    details: explainFeatures(features, weights, lexical),
  });
  if (intent > 0) {
    details.push({
      value: intent,
      what: 'serves a part of the request that nothing above it serves as well',
      details: [],
    });
  }
  if (sibling > 0) details.push({ value: sibling, what: 'a tool of the same server stands above it', details: [] });
  if (lift > 0) details.push({ value: lift, what: KEPT, details: [] });
  return { value: score, what: bonus > 0 ? 'named by the query' : 'words and meaning', details };
}

const KEPT =
  'has its place as the nearest by meaning, as the best before the reranker, or as the successor of the one below';

function explainFeatures(
  features: HybridFeatures,
  weights: HybridWeights,
  lexical: Explanation | undefined,
): readonly Explanation[] {
  const names = Object.keys(FEATURE_WORDS) as (keyof HybridFeatures)[];
  return names
    .filter((name) => weights[name] * features[name] !== 0)
    .map((name) => ({
      value: weights[name] * features[name],
      what: `${weights[name]} × ${features[name].toFixed(3)}: ${FEATURE_WORDS[name]}`,
      details: name === 'terms' && lexical !== undefined ? [lexical] : [],
    }));
}

const FEATURE_WORDS: Readonly<Record<keyof HybridFeatures, string>> = {
  meaning: 'cosine of the request with the tool',
  clauseMeaning: 'cosine of the clause of the request that fits best',
  terms: 'lexical score, as a share of the best that is not named, at most 2',
  clauseTerms: 'lexical score of the clause that fits best, as a share of the best one',
  coverage: 'how much of the request’s known words the tool has, by idf',
  bigrams: 'neighbouring words in common, by idf',
  serverNamed: 'the request names its server',
  smallServer: 'how few tools its server has beside the largest one, ln(most / own)',
  embedded: 'cosine in the reranker, from the mean of the best (0) to the nearest (1)',
  clauseEmbedded: 'the same for the clause of the request that fits best',
};
