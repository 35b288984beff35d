import type { Snapshot } from '../../catalog/index.ts';
import type { Searcher } from '../searcher.ts';
import { type HybridWeights, NO_FEATURES } from './features.ts';
import { createHybridSearcher, type HybridSearcherOptions } from './hybrid-searcher.ts';

/** Search by meaning alone: the hybrid with every other weight at 0, so that exact names and operators work as ever. */
export function createSemanticSearcher(snapshot: Snapshot, options: HybridSearcherOptions): Searcher {
  const searcher = createHybridSearcher(snapshot, {
    ...options,
    weights: MEANING_ALONE,
    rerankedWeights: { ...MEANING_ALONE, reranked: 1 },
    intentWeight: 0,
    siblingWeight: 0,
  });
  return { ...searcher, engine: 'semantic' };
}

const MEANING_ALONE: HybridWeights = { ...NO_FEATURES, meaning: 1 };
