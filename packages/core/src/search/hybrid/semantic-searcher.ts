import type { Snapshot } from '../../catalog/index.ts';
import { checkOptionNames } from '../../check-option-names.ts';
import type { Searcher } from '../searcher.ts';
import { type HybridWeights, NO_FEATURES } from './features.ts';
import { createHybridSearcher, HYBRID_OPTIONS, type HybridSearcherOptions } from './hybrid-searcher.ts';

/** How a semantic searcher is made: as a hybrid one, without the weights. */
export type SemanticSearcherOptions = Omit<
  HybridSearcherOptions,
  | 'weights'
  | 'oneClauseWeights'
  | 'rerankedWeights'
  | 'rerankedOneClauseWeights'
  | 'intentWeight'
  | 'rerankedIntentWeight'
  | 'siblingWeight'
>;

/** Search by meaning alone: the hybrid with every other weight at 0, so that exact names and operators work as ever. */
export function createSemanticSearcher(snapshot: Snapshot, options: SemanticSearcherOptions): Searcher {
  checkOptionNames('createSemanticSearcher', options, OPTIONS);
  const searcher = createHybridSearcher(snapshot, {
    ...options,
    weights: MEANING_ALONE,
    rerankedWeights: { ...MEANING_ALONE, reranked: 1 },
    intentWeight: 0,
    siblingWeight: 0,
  });
  return { ...searcher, engine: 'semantic' };
}

/** All weights are given. */
const OPTIONS: object = Object.fromEntries(Object.entries(HYBRID_OPTIONS).filter(([name]) => !/weight/i.test(name)));

const MEANING_ALONE: HybridWeights = { ...NO_FEATURES, meaning: 1 };
