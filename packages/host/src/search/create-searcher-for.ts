import type { Searcher, Snapshot } from '@quartermaster/core';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import { SettingError } from '@quartermaster/core/errors';
import { createHintedSearcher, type IndexCache, type Reranker } from '@quartermaster/core/search';
import type { SearchSettings } from '../config/index.ts';
import { createEngine } from './create-engine.ts';

/** What a configured searcher can use. */
export interface SearcherParts {
  /** Stops builds and embedding when it aborts, so that they don't keep a stopping process alive. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Used by `hybrid+reranker`, which requires it, and by `auto`. @default none */
  readonly reranker?: Reranker | undefined;
  /** Keeps what is built, so that the same tools are indexed once; a function chooses for which. @default they are indexed by each process */
  readonly cache?: IndexCache | ((snapshot: Snapshot) => IndexCache | undefined) | undefined;
}

/** The searchers of the configured engine, which makes one for each catalog. */
export function createSearcherFor(
  { engine, whenNothingFits, hints }: SearchSettings,
  { signal, reranker, cache }: SearcherParts = {},
): SearcherSource {
  if (engine === 'hybrid+reranker' && reranker === undefined) throw missingReranker();
  const chosen = engine === 'auto' ? engineOf(reranker) : engine;
  const cacheOf = typeof cache === 'function' ? cache : () => cache;
  const tuning = { slices: { signal }, reranker, ...(whenNothingFits === 'best' ? { leastConfidence: 0 } : {}) };
  const create = (snapshot: Snapshot): Searcher =>
    createEngine(chosen, snapshot, { ...tuning, cache: cacheOf(snapshot) });
  return hints === undefined ? create : createHintedSearcher(create, hints);
}

function engineOf(reranker: Reranker | undefined): 'hybrid' | 'hybrid+reranker' {
  return reranker === undefined ? 'hybrid' : 'hybrid+reranker';
}

function missingReranker(): SettingError {
  return new SettingError(
    'invalid_setting',
    'search.engine is hybrid+reranker, but no reranker was given; pass one as reranker.embedder, or choose auto or hybrid',
    { context: { setting: 'search.engine', value: 'hybrid+reranker' } },
  );
}
