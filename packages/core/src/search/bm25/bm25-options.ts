/** The fields of a tool's text, in the order in which the index keeps them. */
export const BM25_FIELDS = [
  'name',
  'server',
  'description',
  'parameterNames',
  'parameterDescriptions',
  'enumValues',
] as const;

export type Bm25Field = (typeof BM25_FIELDS)[number];

/** How tools are scored. A tool's score for a query is
 *
 * `terms × (1 + nameCoverageWeight × coverage + nameMatchWeight × √(coverage × share)) + bigramWeight × bigrams`
 *
 * - `terms`: over the words of the query, `exactWeight × idf × saturation` of the word as written, plus `stemWeight × idf ×
 *   saturation` of all words with its stem. Saturation is `x / (x + k1)`, with `x` the sum over the fields of
 *   `weight × occurrences / (1 − b + b × length / average length)`, the average rounded to a sixteenth of an octave.
 * - `coverage`: how much of the tool's name, by idf, the query covers; `share`: how much of the query its name covers.
 * - `bigrams`: the smaller idf of each pair of neighbours that query and name or description have in common.
 */
export interface Bm25Options {
  /** How many occurrences it takes to approach the full score of a term; above 0. @default 1.5 */
  readonly k1?: number;
  /** The weight of an occurrence in each field; 0 or more. @default {@link BM25_DEFAULTS} */
  readonly fieldWeights?: Readonly<Record<Bm25Field, number>>;
  /** How much a field's length reduces the score of its terms, 0 to 1. @default {@link BM25_DEFAULTS} */
  readonly lengthWeights?: Readonly<Record<Bm25Field, number>>;
  /** The weight of the word as it is written; 0 or more. @default 0.5 */
  readonly exactWeight?: number;
  /** The additional weight of its stem; 0 or more. @default 0.7 */
  readonly stemWeight?: number;
  /** The weight of an identifier as a whole, in addition to its words; 0 or more. @default 0.6 */
  readonly wholeWeight?: number;
  /** What repeating a word in a query adds: `(repeat + 1) × n / (repeat + n)`; 0 adds nothing. @default 0.5 */
  readonly repeatWeight?: number;
  /** The weight of a function word of the query, relative to content words. @default 0.05 */
  readonly functionWordWeight?: number;
  /** The weight of a word that frames a request (`I need help`). @default 0.4 */
  readonly requestWordWeight?: number;
  /** The weight of a number in the query: usually a value for a parameter. @default 0.3 */
  readonly numberWeight?: number;
  /** The weight of a word that only occurs inside quotation marks or code in the query. @default 0.6 */
  readonly quotedWeight?: number;
  /** The weight of two adjacent words written as one (`web page` for `webpage`), or of one word split. @default 0.5 */
  readonly compoundWeight?: number;
  /** The weight of a word that corrects a misspelled one, one or two letters away. @default 0.4 */
  readonly typoWeight?: number;
  /** @default 0.4 */
  readonly nameCoverageWeight?: number;
  /** @default 0.3 */
  readonly nameMatchWeight?: number;
  /** @default 0.7 */
  readonly bigramWeight?: number;
}

/** BM25's options with all defaults. */
export type Bm25Settings = Required<Bm25Options>;

/**
 * Chosen on the training splits of four public tool catalogs by their macro average; where several values were equally good, the
 * rounder one was taken.
 */
export const BM25_DEFAULTS: Bm25Settings = {
  k1: 1.5,
  fieldWeights: {
    name: 3,
    server: 1.5,
    description: 1.5,
    parameterNames: 1.2,
    parameterDescriptions: 0.8,
    enumValues: 0.4,
  },
  lengthWeights: {
    name: 0.5,
    server: 0.3,
    description: 0.6,
    parameterNames: 0.6,
    parameterDescriptions: 0.6,
    enumValues: 0.3,
  },
  exactWeight: 0.5,
  stemWeight: 0.7,
  wholeWeight: 0.6,
  repeatWeight: 0.5,
  functionWordWeight: 0.05,
  requestWordWeight: 0.4,
  numberWeight: 0.3,
  quotedWeight: 0.6,
  compoundWeight: 0.5,
  typoWeight: 0.4,
  nameCoverageWeight: 0.4,
  nameMatchWeight: 0.3,
  bigramWeight: 0.7,
};

/** An index holds fewer tools than this, so that a sum below 2³¹ and a tool fit into one double. */
export const MOST_TOOLS = 0x200000;
