import { IMPACT_SCALE } from './bm25-index.ts';
import { BM25_FIELDS, type Bm25Settings } from './bm25-options.ts';

/** What one occurrence counts in a field of this length. A weight of 0 is kept above it, so that the term still matches. */
export function fieldWeight(settings: Bm25Settings, averages: Float64Array, field: number, length: number): number {
  const name = BM25_FIELDS[field] ?? 'name';
  const b = settings.lengthWeights[name];
  return Math.max(SMALLEST_WEIGHT, settings.fieldWeights[name]) / (1 - b + (b * length) / (averages[field] ?? 1));
}

/** The impact of a summed weight: never 0, so that what matches always scores. */
export function roundImpact(weight: number, k1: number): number {
  return Math.min(IMPACT_SCALE - 1, Math.max(1, Math.round((weight / (weight + k1)) * IMPACT_SCALE)));
}

const SMALLEST_WEIGHT = 1e-9;
