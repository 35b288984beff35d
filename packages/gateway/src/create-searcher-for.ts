import { createBm25Searcher, createHybridSearcher, type SearcherSource } from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import { embeddedModel } from '@quartermaster/semantic';

/**
 * What searches by words. The meaning of words is read from the model in the package when it is first needed.
 *
 * @param signal ends what is being built when it aborts, which would else keep a process that is stopping
 */
export function createSearcherFor({ engine, whenNothingFits }: SearchSettings, signal?: AbortSignal): SearcherSource {
  if (engine === 'bm25') return (snapshot) => createBm25Searcher(snapshot, { slices: { signal } });
  const tuning = whenNothingFits === 'best' ? { leastConfidence: 0 } : {};
  return (snapshot) => createHybridSearcher(snapshot, { embedder: embeddedModel(), slices: { signal }, ...tuning });
}
