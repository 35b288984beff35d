import type { SearcherSource } from '@quartermaster/core/dispatch';
import type { SearchSettings } from '@quartermaster/host/config';
import { chooseEngine, createLazyReranker, createSearcherFor } from '@quartermaster/host/search';

export interface AgentSearcherParts {
  readonly given: SearcherSource | undefined;
  readonly engine: SearchSettings['engine'];
  /** Aborts an index that is being built, which would otherwise keep the process alive. */
  readonly signal: AbortSignal;
}

/** Which engine searches the tools of a query, and why. */
export interface SearchEngine {
  /** `custom`: the searcher in the options. `auto`: not decided yet. */
  readonly engine: SearchSettings['engine'] | 'custom';
  readonly reason: string;
}

export interface AgentSearcher {
  readonly searcher: SearcherSource;
  /** What is known before the first search. */
  readonly engine: SearchEngine;
  /** The engine. Reads the reranker's model if the choice depends on it. */
  decide(): Promise<SearchEngine>;
}

/** The given searcher, or the engine in the settings. The first search reads the reranker's model. */
export function createAgentSearcher({ given, engine, signal }: AgentSearcherParts): AgentSearcher {
  if (given !== undefined) {
    const custom: SearchEngine = { engine: 'custom', reason: 'options.searcher is set' };
    return { searcher: given, engine: custom, decide: async () => custom };
  }
  const choose = () => chooseEngine({ engine });
  const isReranking = engine === 'auto' || engine === 'hybrid+reranker';
  const reranker = isReranking ? createLazyReranker(choose, { signal }) : undefined;
  const undecided = 'search.engine is auto: hybrid+reranker if the reranker loads, otherwise hybrid';
  return {
    searcher: createSearcherFor({ engine, whenNothingFits: 'empty' }, { signal, reranker }),
    engine: { engine, reason: engine === 'auto' ? undecided : `search.engine is ${engine}` },
    async decide() {
      const chosen = await choose();
      return { engine: chosen.engine, reason: chosen.reason };
    },
  };
}
