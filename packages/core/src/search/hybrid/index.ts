export { type FeatureName, type HybridFeatures, type HybridWeights, SIBLING } from './features.ts';
export {
  HYBRID_DEFAULTS,
  type HybridOptions,
  type HybridSettings,
} from './hybrid-options.ts';
export { createHybridSearcher, HYBRID_OPTIONS, type HybridSearcherOptions } from './hybrid-searcher.ts';
export { createSemanticSearcher, type SemanticSearcherOptions } from './semantic-searcher.ts';
export type { WholeCatalog } from './whole-catalog.ts';
