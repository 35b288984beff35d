import type { SearcherSource } from '@quartermaster/core/dispatch';
import type { SearchSettings } from '@quartermaster/host/config';
import { chooseEngine, createLazyReranker, createSearcherFor } from '@quartermaster/host/search';

export interface AgentSearcherParts {
  readonly given: SearcherSource | undefined;
  readonly engine: SearchSettings['engine'];
  /** Ends what is being built when it aborts, which would else keep the process. */
  readonly signal: AbortSignal;
}

/** What searches the tools of a query: the given searcher, else the engine in the settings. The reranker's model is read by the first search. */
export function createAgentSearcher({ given, engine, signal }: AgentSearcherParts): SearcherSource {
  if (given !== undefined) return given;
  const isReranking = engine === 'auto' || engine === 'hybrid+reranker';
  const reranker = isReranking ? createLazyReranker(() => chooseEngine({ engine }), { signal }) : undefined;
  return createSearcherFor({ engine, whenNothingFits: 'empty' }, { signal, reranker });
}
