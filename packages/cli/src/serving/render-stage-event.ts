import type { SecondStageEvent } from '@quartermaster/core';

/** What has gone wrong with the reranker, on one line. */
export function renderStageEvent(event: SecondStageEvent, times: number): string {
  const [what, why] =
    event.kind === 'fallback'
      ? ['searched without the reranker', event.reason]
      : ['the vectors of tools could not be read from the store, or kept there', reasonOf(event.cause)];
  return `${what}${times > 1 ? ` (${times} times)` : ''}: ${why}`.replace(/\s+/g, ' ');
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
