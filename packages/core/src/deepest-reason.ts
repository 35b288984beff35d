/**
 * The innermost reason of an error. `fetch` always says "fetch failed" and has the reason as its cause; if several addresses were
 * tried, that cause has no message of its own but one for each.
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

/** Causes may be circular. */
const MOST_CAUSES = 10;
