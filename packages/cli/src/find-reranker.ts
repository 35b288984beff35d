import type { SecondStageEmbedder } from '@quartermaster/core';

export type FoundReranker =
  | { readonly kind: 'found'; readonly reranker: SecondStageEmbedder }
  | { readonly kind: 'missing'; readonly reason: string };

/** The reranker, if it can run here: its package and the runtime that it needs are optional. Read anew by each call. */
export async function findReranker(): Promise<FoundReranker> {
  let reason = '';
  try {
    const { loadReranker } = await import('@quartermaster/reranker');
    const reranker = await loadReranker({
      onUnavailable: (why) => {
        reason = why;
      },
    });
    return reranker === undefined ? { kind: 'missing', reason } : { kind: 'found', reranker };
  } catch (error) {
    return { kind: 'missing', reason: error instanceof Error ? error.message : String(error) };
  }
}
