/**
 * What lies at the bottom of an error, in words. `fetch` says "fetch failed" whatever happened, and has the reason as its cause;
 * where several addresses were tried that has no words of its own but those of each.
 */
export function deepestReason(error: unknown): string {
  let [deepest, reason] = [error, ''];
  for (let depth = 0; depth < MOST_CAUSES && deepest instanceof Error; depth += 1) {
    reason = wordsOf(deepest) || reason;
    deepest = deepest instanceof AggregateError ? deepest.errors[0] : deepest.cause;
  }
  return reason || (error instanceof Error ? error.name : String(error));
}

function wordsOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return error.message || (typeof code === 'string' ? code : '');
}

/** Causes may go round in a circle. */
const MOST_CAUSES = 10;
