import {
  createReranker,
  RERANKER_DEFAULTS,
  type RerankerOptions,
  type SentenceReranker,
} from '@quartermaster/core/search';
import type { ChosenEngine } from './choose-engine.ts';

/**
 * A reranker whose model is read by the first search that needs it. Where `choose` gives none, searches are answered without, and say
 * why.
 */
export function createLazyReranker(
  choose: () => Promise<ChosenEngine>,
  options: Omit<RerankerOptions, 'embedder'> = {},
): SentenceReranker {
  const { depth = RERANKER_DEFAULTS.depth } = options;
  let loading: Promise<Loaded> | undefined;
  let loaded: SentenceReranker | undefined;

  async function load(): Promise<Loaded> {
    const { embedder, reason } = await choose();
    if (embedder === undefined) return { reason };
    loaded = createReranker({ ...options, embedder });
    return { reranker: loaded };
  }

  return {
    depth,
    get fitModel() {
      return loaded?.fitModel;
    },
    async compare(asked, signal) {
      loading ??= load();
      const found = await loading;
      return 'reranker' in found ? found.reranker.compare(asked, signal) : { kind: 'fallback', reason: found.reason };
    },
    async prepare(tools) {
      loading ??= load();
      const found = await loading.catch(() => undefined);
      if (found !== undefined && 'reranker' in found) await found.reranker.prepare?.(tools);
    },
  };
}

type Loaded = { readonly reranker: SentenceReranker } | { readonly reason: string };
