/**
 * What is left of a client's limit on the tokens of its response, once earlier rounds have used some of it: the limit is the
 * client's for all rounds together. At least `least`, since no host takes a request for nothing.
 */
export function remainingTokens(limit: unknown, used: unknown, least = 1): number | undefined {
  if (typeof limit !== 'number' || typeof used !== 'number' || !(used > 0)) return undefined;
  return Math.min(limit, Math.max(least, limit - used));
}
