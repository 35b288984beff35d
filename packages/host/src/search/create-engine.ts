import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import {
  createRegexSearcher,
  createSemanticSearcher,
  type HybridSearcherOptions,
  type IndexCache,
  type Reranker,
} from '@quartermaster/core/search';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';

/** The engines that can be asked for by name. `auto` stands for one of the others: `chooseEngine` says which. */
export const SEARCH_ENGINES = ['auto', 'hybrid', 'hybrid+reranker', 'bm25', 'semantic', 'regex'] as const;

/** An engine by name. */
export type SearchEngineName = (typeof SEARCH_ENGINES)[number];

/** What a searcher is made of. */
export interface EngineParts extends Pick<HybridSearcherOptions, 'slices' | 'leastConfidence'> {
  /** Used by `hybrid+reranker` alone. */
  readonly reranker?: Reranker | undefined;
  /** Keeps what is built for later. @default nothing is kept */
  readonly cache?: IndexCache | undefined;
}

/** The searcher of an engine: the one switch over their names. The embedded model is read on first use. */
export function createEngine(
  engine: Exclude<SearchEngineName, 'auto'>,
  snapshot: Snapshot,
  parts: EngineParts = {},
): Searcher {
  const { reranker, leastConfidence, ...rest } = parts;
  switch (engine) {
    case 'regex':
      return createRegexSearcher(snapshot);
    case 'bm25':
      return createBm25Searcher(snapshot, rest);
    case 'semantic':
      return createSemanticSearcher(snapshot, { embedder: embeddedModel(), ...rest });
    case 'hybrid':
      return createEmbeddedSearcher(snapshot, { ...rest, ...defined({ leastConfidence }) });
    case 'hybrid+reranker':
      return createEmbeddedSearcher(snapshot, { ...rest, ...defined({ leastConfidence, reranker }) });
  }
}
