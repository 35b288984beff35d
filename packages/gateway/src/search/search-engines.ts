import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import { createRegexSearcher, createSemanticSearcher, type IndexCache } from '@quartermaster/core/search';
import type { SearchSettings } from '@quartermaster/host/config';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import { ApiError } from '../http/index.ts';

/** The engines that a search request can name. `auto` is the engine in the gateway's own settings. */
export const SEARCH_ENGINES = ['auto', 'hybrid', 'hybrid+reranker', 'bm25', 'semantic', 'regex'] as const;

export type SearchEngineName = (typeof SEARCH_ENGINES)[number];

export interface SearchEngines {
  /** What `auto` stands for. */
  readonly configured: SearchEngineName;
  /** The engines that can run here, `auto` left out. */
  readonly available: readonly SearchEngineName[];
  /** Throws 400 for an engine that can't run here. */
  create(engine: SearchEngineName, snapshot: Snapshot): Searcher;
}

/** What `auto` stands for with these settings. */
export function configuredEngine({ engine }: Pick<SearchSettings, 'engine'>, hasReranker: boolean): SearchEngineName {
  if (engine !== 'auto') return engine;
  return hasReranker ? 'hybrid+reranker' : 'hybrid';
}

export function createSearchEngines(options: {
  readonly configured: SearchEngineName;
  /** What the gateway's own searches use. */
  readonly source: SearcherSource;
  /** Aborts when the gateway closes, and ends what is being built. */
  readonly signal: AbortSignal;
  /** Where what is built for a catalog is kept. @default nowhere */
  readonly cacheOf?: ((snapshot: Snapshot) => IndexCache | undefined) | undefined;
}): SearchEngines {
  const { configured, source, signal, cacheOf } = options;
  const slices = { signal };
  const hasReranker = configured === 'hybrid+reranker';
  return {
    configured,
    available: SEARCH_ENGINES.filter((engine) => engine !== 'auto' && (engine !== 'hybrid+reranker' || hasReranker)),
    create(engine, snapshot) {
      const cache = cacheOf?.(snapshot);
      if (engine === 'auto' || engine === configured) {
        return typeof source === 'function' ? source(snapshot) : source;
      }
      switch (engine) {
        case 'bm25':
          return createBm25Searcher(snapshot, { slices, cache });
        case 'semantic':
          return createSemanticSearcher(snapshot, { embedder: embeddedModel(), slices, cache });
        case 'regex':
          return createRegexSearcher(snapshot);
        case 'hybrid':
          return createEmbeddedSearcher(snapshot, { slices, cache });
        case 'hybrid+reranker':
          throw new ApiError(
            400,
            `engine: this gateway runs without the reranker (search.engine is ${configured}); use hybrid`,
          );
      }
    },
  };
}
