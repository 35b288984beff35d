import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import { SettingError } from '@quartermaster/core/errors';
import { createHintedSearcher, type IndexCache, type Reranker } from '@quartermaster/core/search';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import type { SearchSettings } from '../config/index.ts';

/** What a configured searcher can use. */
export interface SearcherParts {
  /** Stops builds and embedding when it aborts, so that they don't keep a stopping process alive. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Used by `hybrid+reranker`, which requires it, and by `auto`. @default none */
  readonly reranker?: Reranker | undefined;
  /** Keeps what is built, so that the same tools are indexed once; a function chooses for which. @default they are indexed by each process */
  readonly cache?: IndexCache | ((snapshot: Snapshot) => IndexCache | undefined) | undefined;
}

/** The searcher of the chosen engine. The embedded model is read on first use. */
export function createSearcherFor(
  { engine, whenNothingFits, hints }: SearchSettings,
  { signal, reranker, cache }: SearcherParts = {},
): SearcherSource {
  const slices = { signal };
  const cacheOf = typeof cache === 'function' ? cache : () => cache;
  const hinted = (create: (snapshot: Snapshot) => Searcher): SearcherSource =>
    hints === undefined ? create : createHintedSearcher(create, hints);
  if (engine === 'bm25')
    return hinted((snapshot) => createBm25Searcher(snapshot, { slices, cache: cacheOf(snapshot) }));
  if (engine === 'hybrid+reranker' && reranker === undefined) throw missingReranker();
  const tuning = {
    ...(whenNothingFits === 'best' ? { leastConfidence: 0 } : {}),
    ...(engine === 'hybrid' || reranker === undefined ? {} : { reranker }),
  };
  return hinted((snapshot) => createEmbeddedSearcher(snapshot, { slices, cache: cacheOf(snapshot), ...tuning }));
}

function missingReranker(): SettingError {
  return new SettingError(
    'invalid_setting',
    'search.engine is hybrid+reranker, but no reranker was given; pass one as reranker.embedder, or choose auto or hybrid',
    { context: { setting: 'search.engine', value: 'hybrid+reranker' } },
  );
}
