import { NAMED } from '../bm25/index.ts';
import { type Explanation, explained } from '../searcher.ts';
import type { HybridRanking } from './order-answer.ts';

/**
 * The parts of a tool's score, one row each: its name, a label and a text for explanations, and its weights. Each runs from 0 to about 1
 * (`terms` to 2 for a tool that is named), none counts against a tool, and the score is their weighted sum: a linear model works on
 * catalogs that it has never seen, where trees and networks did not.
 *
 * The four weights are for requests of several clauses and of one, without the reranker and with it; `packages/semantic/training/ranker`
 * fits them and reads this table. `isClause`: the same as the feature before it for a request of one clause. `isReranked`: 0 without a
 * reranker.
 */
export const FEATURES = [
  {
    name: 'meaning',
    words: 'meaning: cosine similarity of the request and the tool',
    weights: [7.9, 14.3, 2.3, 8.2],
  },
  {
    name: 'clauseMeaning',
    words: 'meaning of a clause: cosine similarity of the best-fitting clause and the tool',
    weights: [6.1, 0, 1.2, 0],
    isClause: true,
  },
  {
    name: 'terms',
    words: 'keyword score: BM25 score relative to the best tool that the request does not name, at most 2',
    weights: [1, 1, 0.7, 0],
  },
  {
    name: 'clauseTerms',
    words: 'keyword score of a clause: BM25 score of the best-fitting clause, relative to the best tool',
    weights: [0.8, 0, 0.9, 0],
    isClause: true,
  },
  {
    name: 'coverage',
    words: 'shared words: share of the request’s words that the tool has, weighted by rarity',
    weights: [2.6, 3.6, 1.4, 3],
  },
  {
    name: 'bigrams',
    words: 'word order: share of the request’s word pairs that the tool has, weighted by rarity',
    weights: [1.1, 1.8, 0.9, 2.1],
  },
  {
    name: 'serverNamed',
    words: 'server: the request names it',
    weights: [1.2, 1.4, 1, 1.2],
  },
  {
    name: 'reranked',
    words: 'reranker: its score, scaled to 0 for the average of the candidates and 1 for the first',
    weights: [0, 0, 2.9, 3.8],
    isReranked: true,
  },
  {
    name: 'clauseReranked',
    words: 'reranker for a clause: the same for the best-fitting clause of the request',
    weights: [0, 0, 2.2, 0],
    isClause: true,
    isReranked: true,
  },
] as const;

export type FeatureName = (typeof FEATURES)[number]['name'];

/** One number for each feature: a tool's values, or the weights. */
export type HybridFeatures = Readonly<Record<FeatureName, number>>;
/** The weight of each feature in a hybrid score. */
export type HybridWeights = HybridFeatures;

/** A value for each feature. */
export function mapFeatures<Value>(read: (name: FeatureName) => Value): Record<FeatureName, Value> {
  return Object.fromEntries(FEATURES.map(({ name }) => [name, read(name)])) as Record<FeatureName, Value>;
}

/** A tool that has nothing in common with a request. */
export const NO_FEATURES: HybridFeatures = mapFeatures(() => 0);

/** The learned weights of one kind of request, by its place in the table. */
export function learnedWeights(kind: 0 | 1 | 2 | 3): HybridWeights {
  const weights = new Map<FeatureName, number>(FEATURES.map((feature) => [feature.name, feature.weights[kind]]));
  return mapFeatures((name) => weights.get(name) ?? 0);
}

/** Breaks a score into its parts. The values of the details add up to the score; the lexical part has its own terms. */
export function explainHybrid(
  ranking: HybridRanking,
  weights: HybridWeights,
  lexical: Explanation | undefined,
): Explanation {
  const { bonus, base, intent, sibling, lift, features, score } = ranking;
  const details: Explanation[] = [];
  if (bonus > 0) details.push(explained(bonus, 'bonus for a name; earlier names get more'));
  details.push(
    explained(base, 'sum of the features, each multiplied by its weight', explainFeatures(features, weights, lexical)),
  );
  if (intent > 0) details.push(explained(intent, 'covers a part of the request that no tool above covers as well'));
  if (sibling > 0) details.push(explained(sibling, SIBLING));
  if (lift > 0) details.push(explained(lift, KEPT));
  return explained(score, bonus > 0 ? NAMED : 'words and meaning', details);
}

/** Why the tools above it make a tool worth more. */
export const SIBLING = 'a tool of the same server ranks above it';

const KEPT = 'moved up: nearest by meaning, best before reranking, or successor of the tool below';

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
