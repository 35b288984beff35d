// The index as flat typed arrays. `read-tools` turns tools into tokens, `assign-stems` gives each term its stem, `write-postings` and
// `write-sequences` lay out the lists, and `Bm25Index` reads them. `check-index` guards an index that comes from another thread or store.

export { Bm25Index, type Bm25IndexData, type CatalogStatistics, IMPACT_SCALE, NO_LIST } from './bm25-index.ts';
export { type BuildOptions, buildBm25Index, buildBm25IndexInSteps } from './build-bm25-index.ts';
export { fieldWeight } from './field-weight.ts';
export { keptWords } from './kept-words.ts';
export {
  denseImpacts,
  findImpact,
  foldedDifferences,
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  headBytes,
  isDense,
  readLength,
} from './posting-list.ts';
export { NO_TERM } from './term-table.ts';
