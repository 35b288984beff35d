import { createBm25Searcher, type SearcherSource, type SecondStage, SettingError } from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import { createEmbeddedSearcher } from '@quartermaster/semantic';

export interface SearcherParts {
  /** Ends what is being built when it aborts, which would else keep a process that is stopping. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Looks at the best again. The engine `hybrid+reranker` can't do without, and no other uses it. @default none */
  readonly second?: SecondStage | undefined;
}

/** What searches by words. The meaning of words is read from the model in the package when it is first needed. */
export function createSearcherFor(
  { engine, whenNothingFits }: SearchSettings,
  { signal, second }: SearcherParts = {},
): SearcherSource {
  const slices = { signal };
  if (engine === 'bm25') return (snapshot) => createBm25Searcher(snapshot, { slices });
  const tuning = {
    ...(whenNothingFits === 'best' ? { leastConfidence: 0 } : {}),
    ...(engine === 'hybrid+reranker' ? { second: needed(second) } : {}),
  };
  return (snapshot) => createEmbeddedSearcher(snapshot, { slices, ...tuning });
}

function needed(second: SecondStage | undefined): SecondStage {
  if (second !== undefined) return second;
  throw new SettingError(
    'invalid_setting',
    'search.engine is hybrid+reranker, but there is no model for the second stage; give the gateway one as secondStage.embedder, or choose hybrid',
    { context: { setting: 'search.engine', value: 'hybrid+reranker' } },
  );
}
