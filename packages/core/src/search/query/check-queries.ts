import { QueryError } from '../../errors.ts';
import { QUERY_LIMITS } from './query-limits.ts';

/** What a search is asked, as far as its length goes. */
interface AskedQueries {
  readonly query: string | readonly string[];
  readonly maxQueryLength?: number | undefined;
}

/** Throws for a query that is longer than a search may be asked: cutting it would answer another question. */
export function checkQueries({ query, maxQueryLength = QUERY_LIMITS.characters }: AskedQueries): void {
  for (const text of typeof query === 'string' ? [query] : query) {
    // No text has more code points than code units: most need not be counted.
    if (text.length <= maxQueryLength || !isLonger(text, maxQueryLength)) continue;
    throw new QueryError(
      'query_too_long',
      `The query has more than ${maxQueryLength} characters, the limit of maxQueryLength; say in a sentence or a few words what the tool should do`,
      { context: { maxQueryLength } },
    );
  }
}

/** Whether a text has more code points than that. Reads no more of it than it has to. */
function isLonger(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isPair = isBetween(text.charCodeAt(at), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff);
    if (isPair) at += 1;
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function isBetween(code: number, least: number, most: number): boolean {
  return code >= least && code <= most;
}
