import type { HybridFeatures, HybridWeights } from './hybrid-options.ts';

/** The weighted sum of a tool's features. */
export function weighFeatures(features: HybridFeatures, weights: HybridWeights): number {
  return (
    weights.meaning * features.meaning +
    weights.clauseMeaning * features.clauseMeaning +
    weights.terms * features.terms +
    weights.clauseTerms * features.clauseTerms +
    weights.coverage * features.coverage +
    weights.bigrams * features.bigrams +
    weights.nameCoverage * features.nameCoverage +
    weights.serverNamed * features.serverNamed +
    weights.embedded * features.embedded
  );
}
