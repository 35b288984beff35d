import type { Searcher, Snapshot } from '@quartermaster/core';
import type { IndexCache } from '@quartermaster/core/search';
import { createEngine, SEARCH_ENGINES, type SearchEngineName, type SearcherMaker } from '@quartermaster/host/search';
import { ApiError } from '../http/index.ts';

export interface SearchEngines {
  /** The engine that `auto` means. */
  readonly configured: SearchEngineName;
  /** The engines that can run here, without `auto`. */
  readonly available: readonly SearchEngineName[];
  /** Throws 400 for an engine that can't run here. */
  create(engine: SearchEngineName, snapshot: Snapshot): Searcher;
}

export function createSearchEngines(options: {
  readonly configured: SearchEngineName;
  /** The engine of the gateway's own searches. */
  readonly source: SearcherMaker;
  /** Aborts when the gateway closes, and ends builds in progress. */
  readonly signal: AbortSignal;
  /** Where indexes of catalogs are stored. @default nowhere */
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
      if (engine === 'auto' || engine === configured) return source(snapshot);
      if (engine !== 'hybrid+reranker') return createEngine(engine, snapshot, { slices, cache });
      throw new ApiError(
        400,
        `engine: this gateway runs without the reranker (search.engine is ${configured}); use hybrid`,
      );
    },
  };
}
