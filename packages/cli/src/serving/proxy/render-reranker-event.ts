import { deepestReason } from '@quartermaster/core/internal';
import type { RerankerFailure } from '@quartermaster/host/search';
import { oneLine } from '../../terminal/index.ts';

/** What went wrong with the reranker, on one line that is safe to print. */
export function renderRerankerEvent(event: RerankerFailure, times: number): string {
  const [what, why] =
    event.kind === 'fallback'
      ? ['searched without the reranker', event.reason]
      : ['tool vectors could not be read from the store or written to it', deepestReason(event.cause)];
  return oneLine(`${what}${times > 1 ? ` (${times} times)` : ''}: ${why}`, MOST_CHARACTERS);
}

const MOST_CHARACTERS = 500;
