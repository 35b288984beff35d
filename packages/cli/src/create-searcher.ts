import {
  createBm25Searcher,
  createHybridSearcher,
  createRegexSearcher,
  createSemanticSearcher,
  type Searcher,
  type Snapshot,
} from '@quartermaster/core';
import { embeddedModel } from '@quartermaster/semantic';

/** The engines that can be asked for by name, the default first. */
export const ENGINES = ['hybrid', 'bm25', 'semantic', 'regex'] as const;

export type EngineName = (typeof ENGINES)[number];

export const DEFAULT_ENGINE: EngineName = 'hybrid';

/** The only place where an engine is chosen. Asynchronous, since an engine may have a model to load. */
export async function createSearcher(engine: EngineName, snapshot: Snapshot): Promise<Searcher> {
  switch (engine) {
    case 'regex':
      return createRegexSearcher(snapshot);
    case 'bm25':
      return createBm25Searcher(snapshot);
    case 'semantic':
      return createSemanticSearcher(snapshot, { embedder: embeddedModel() });
    case 'hybrid':
      return createHybridSearcher(snapshot, { embedder: embeddedModel() });
  }
}
