import { BM25_FIELDS, type Bm25Settings } from '../bm25-options.ts';
import { IMPACT_SCALE } from './bm25-index.ts';

/** What one occurrence counts in a field of this length. A weight of 0 is kept above it, so that the term still matches. */
export function fieldWeight(settings: Bm25Settings, averages: Float64Array, field: number, length: number): number {
  const name = BM25_FIELDS[field] ?? 'name';
  const b = settings.lengthWeights[name];
  return Math.max(SMALLEST_WEIGHT, settings.fieldWeights[name]) / (1 - b + (b * length) / (averages[field] ?? 1));
}

/** {@link fieldWeight} for many tools: a weight is made for the first that needs it, since most fields are short. */
export class FieldWeights {
  readonly #settings: Bm25Settings;
  readonly #averages: Float64Array;
  /** By field and length; 0 where it is not made so far. */
  readonly #known: Float64Array = new Float64Array(BM25_FIELDS.length * KNOWN_LENGTHS);

  constructor(settings: Bm25Settings, averages: Float64Array) {
    this.#settings = settings;
    this.#averages = averages;
  }

  of(field: number, length: number): number {
    if (length >= KNOWN_LENGTHS) return fieldWeight(this.#settings, this.#averages, field, length);
    const place = field * KNOWN_LENGTHS + length;
    const known = this.#known[place] ?? 0;
    if (known !== 0) return known;
    const weight = fieldWeight(this.#settings, this.#averages, field, length);
    this.#known[place] = weight;
    return weight;
  }
}

/** The impact of a summed weight: never 0, so that what matches always scores. */
export function roundImpact(weight: number, k1: number): number {
  return Math.min(IMPACT_SCALE - 1, Math.max(1, Math.round((weight / (weight + k1)) * IMPACT_SCALE)));
}

const SMALLEST_WEIGHT = 1e-9;
const KNOWN_LENGTHS = 256;
