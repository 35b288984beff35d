import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import { SettingError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import {
  createHintedSearcher,
  createRegexSearcher,
  createSemanticSearcher,
  type HybridSearcherOptions,
  type IndexCache,
  type Reranker,
} from '@quartermaster/core/search';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import type { SearchSettings } from '../config/index.ts';

/** The engines that can be selected by name. `auto` is one of the others: `chooseEngine` says which. */
export const SEARCH_ENGINES = ['auto', 'hybrid', 'hybrid+reranker', 'bm25', 'semantic', 'regex'] as const;

/** An engine by name. */
export type SearchEngineName = (typeof SEARCH_ENGINES)[number];

/** What a searcher is made of. */
export interface EngineParts extends Pick<HybridSearcherOptions, 'slices' | 'leastConfidence'> {
  /** Used by `hybrid+reranker` only. */
  readonly reranker?: Reranker | undefined;
  /** Stores what is built. @default nothing is stored */
  readonly cache?: IndexCache | undefined;
}

/** The searcher of an engine: the only switch over their names. The embedded model is loaded on first use. */
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

/** What a configured searcher can use. */
export interface SearcherParts {
  /** Aborts builds and embedding, so that they don't keep a stopping process alive. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Used by `hybrid+reranker`, which requires it, and by `auto`. @default none */
  readonly reranker?: Reranker | undefined;
  /** Stores what is built, so that the same tools are indexed once; a function chooses for which. @default each process builds its own */
  readonly cache?: IndexCache | ((snapshot: Snapshot) => IndexCache | undefined) | undefined;
}

/** Makes the searcher of a catalog. */
export type SearcherMaker = (snapshot: Snapshot) => Searcher;

/** The searchers of the configured engine, which makes one for each catalog. */
export function createSearcherFor(
  { engine, whenNothingFits, hints }: SearchSettings,
  { signal, reranker, cache }: SearcherParts = {},
): SearcherMaker {
  if (engine === 'hybrid+reranker' && reranker === undefined) throw missingReranker();
  const chosen = configuredEngine({ engine }, reranker !== undefined);
  const cacheOf = typeof cache === 'function' ? cache : () => cache;
  const tuning = { slices: { signal }, reranker, ...(whenNothingFits === 'best' ? { leastConfidence: 0 } : {}) };
  const create: SearcherMaker = (snapshot) => createEngine(chosen, snapshot, { ...tuning, cache: cacheOf(snapshot) });
  return hints === undefined ? create : createHintedSearcher(create, hints);
}

/** The engine that `auto` means with these settings. */
export function configuredEngine(
  { engine }: Pick<SearchSettings, 'engine'>,
  hasReranker: boolean,
): Exclude<SearchEngineName, 'auto'> {
  if (engine !== 'auto') return engine;
  return hasReranker ? 'hybrid+reranker' : 'hybrid';
}

function missingReranker(): SettingError {
  return new SettingError(
    'invalid_setting',
    'search.engine is hybrid+reranker, but no reranker was given; pass one as reranker.embedder, or choose auto or hybrid',
    { context: { setting: 'search.engine', value: 'hybrid+reranker' } },
  );
}
