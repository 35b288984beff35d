export {
  HYBRID_DEFAULTS,
  type HybridFeatures,
  type HybridOptions,
  type HybridSettings,
  type HybridWeights,
} from './hybrid-options.ts';
export { createHybridSearcher, type HybridSearcherOptions } from './hybrid-searcher.ts';
export { createSemanticSearcher } from './semantic-searcher.ts';
