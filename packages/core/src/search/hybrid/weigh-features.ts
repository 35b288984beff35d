import type { HybridWeights } from './hybrid-options.ts';
import type { FeatureColumns } from './rated-tools.ts';

/** For each tool the weighted sum of its features. */
export function weighFeatures(features: FeatureColumns, weights: HybridWeights): Float64Array {
  const { meaning, clauseMeaning, terms, clauseTerms, coverage, bigrams } = features;
  const { serverNamed, smallServer, embedded, clauseEmbedded } = features;
  const bases = new Float64Array(meaning.length);
  for (let at = 0; at < bases.length; at += 1) {
    bases[at] =
      weights.meaning * (meaning[at] as number) +
      weights.clauseMeaning * (clauseMeaning[at] as number) +
      weights.terms * (terms[at] as number) +
      weights.clauseTerms * (clauseTerms[at] as number) +
      weights.coverage * (coverage[at] as number) +
      weights.bigrams * (bigrams[at] as number) +
      weights.serverNamed * (serverNamed[at] as number) +
      weights.smallServer * (smallServer[at] as number) +
      weights.embedded * (embedded[at] as number) +
      weights.clauseEmbedded * (clauseEmbedded[at] as number);
  }
  return bases;
}
