import {
  createBm25Searcher,
  createHybridSearcher,
  type HybridSearcherOptions,
  type Searcher,
  type Snapshot,
} from '@quartermaster/core';
import { embeddedModel, hasFileSystem } from './embedded-model.ts';

/**
 * Search by words and by meaning with the embedded model: what every surface searches with by default. A toolbox takes it as
 * its `searcher`. Where there is no file system to read the model from, it searches by words alone; `engine` says which.
 */
export function createEmbeddedSearcher(
  snapshot: Snapshot,
  options: Omit<HybridSearcherOptions, 'embedder'> = {},
): Searcher {
  if (hasFileSystem()) return createHybridSearcher(snapshot, { embedder: embeddedModel(), ...options });
  const { bm25, slices } = options;
  return createBm25Searcher(snapshot, { ...bm25, ...(slices === undefined ? {} : { slices }) });
}
