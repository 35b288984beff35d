import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import { checkOptionNames, defined, HYBRID_OPTIONS } from '@quartermaster/core/internal';
import { createHybridSearcher, type HybridSearcherOptions } from '@quartermaster/core/search';
import { embeddedModelIfAny } from './embedded-model.ts';

/**
 * Search by words and by meaning with the embedded model: what every surface searches with by default. A toolbox takes it as
 * its `searcher`. Where the model can't be read (no file system, a bundle that left it behind) it searches by words alone:
 * `engine` is then `bm25`, and `modelProblem()` says why.
 *
 * @example
 * const toolbox = createToolbox({ tools, execute, searcher: createEmbeddedSearcher });
 */
export function createEmbeddedSearcher(
  snapshot: Snapshot,
  options: Omit<HybridSearcherOptions, 'embedder'> = {},
): Searcher {
  checkOptionNames('createEmbeddedSearcher', options, OPTIONS);
  const embedder = embeddedModelIfAny();
  if (embedder !== undefined) return createHybridSearcher(snapshot, { embedder, ...options });
  const { bm25, slices, cache } = options;
  return createBm25Searcher(snapshot, { ...bm25, ...defined({ slices, cache }) });
}

const { embedder: _, ...OPTIONS } = HYBRID_OPTIONS;
