/**
 * What lies at the bottom of an error, in words. `fetch` says "fetch failed" whatever happened, and has the reason as its cause;
 * where several addresses were tried that has no words of its own but those of each.
 */
export function deepestReason(error: unknown): string {
  let deepest = error;
  for (let depth = 0; depth < MOST_CAUSES && deepest instanceof Error; depth += 1) {
    const next = deepest instanceof AggregateError ? deepest.errors[0] : deepest.cause;
    if (!(next instanceof Error)) break;
    deepest = next;
  }
  if (!(deepest instanceof Error)) return String(deepest);
  const { code } = deepest as { readonly code?: unknown };
  return deepest.message || (typeof code === 'string' ? code : deepest.name);
}

/** Causes may go round in a circle. */
const MOST_CAUSES = 10;
