import type { RerankerEmbedder } from '@quartermaster/core/search';

/** The installed reranker, or the reason why there is none. */
export type FoundReranker =
  | { readonly kind: 'found'; readonly reranker: RerankerEmbedder }
  | { readonly kind: 'missing'; readonly reason: string };

/** The reranker's model, if it can run here: its package and the runtime that it needs are optional. Read once for a process. */
export function findReranker(): Promise<FoundReranker> {
  known ??= loadReranker();
  return known;
}

let known: Promise<FoundReranker> | undefined;

async function loadReranker(): Promise<FoundReranker> {
  let reason = '';
  try {
    const { loadReranker: load } = await import('@quartermaster/reranker');
    const reranker = await load({
      onUnavailable: (why) => {
        reason = why;
      },
    });
    return reranker === undefined ? { kind: 'missing', reason } : { kind: 'found', reranker };
  } catch (error) {
    return { kind: 'missing', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isAbsent = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(PACKAGE);
  return isAbsent ? `${PACKAGE} is not installed` : error.message;
}

const PACKAGE = '@quartermaster/reranker';
