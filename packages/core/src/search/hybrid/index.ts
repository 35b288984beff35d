export type { FeatureName, HybridFeatures, HybridWeights } from './features.ts';
export {
  HYBRID_DEFAULTS,
  type HybridOptions,
  type HybridSettings,
} from './hybrid-options.ts';
export { createHybridSearcher, type HybridSearcherOptions } from './hybrid-searcher.ts';
export { createSemanticSearcher } from './semantic-searcher.ts';
export type { WholeCatalog } from './whole-catalog.ts';
