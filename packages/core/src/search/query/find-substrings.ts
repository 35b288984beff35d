import { nameKey } from '../text/index.ts';

/** A tool whose name contains something of a query, and how much of the name that is (0 to 1, added up over the query's words). */
export interface SubstringMatch {
  readonly tool: number;
  readonly share: number;
}

/**
 * The tools whose names, given as keys, contain the query, or else any word of it, literally except for case and
 * punctuation. It looks at every name: meant for queries of which no word is in the catalog.
 */
export function findSubstrings(
  text: string,
  keys: readonly string[],
  accept?: (tool: number) => boolean,
): SubstringMatch[] {
  const whole = nameKey(text);
  if (whole === '') return [];
  const parts = text.split(/\s+/).map(nameKey);
  const words = [...new Set(parts)].filter((part) => part.length >= SHORTEST_PART).slice(0, MOST_PARTS);
  const complete: SubstringMatch[] = [];
  const partial: SubstringMatch[] = [];
  keys.forEach((key, position) => {
    if (key === '') return;
    let matched = 0;
    const isComplete = key.includes(whole);
    if (isComplete) {
      matched = whole.length;
    } else {
      for (const word of words) {
        matched += key.includes(word) ? word.length : 0;
      }
    }
    if (matched > 0 && accept?.(position) !== false) {
      (isComplete ? complete : partial).push({ tool: position, share: matched / key.length });
    }
  });
  const found = complete.length > 0 ? complete : partial;
  return found.sort((left, right) => right.share - left.share || left.tool - right.tool);
}

const SHORTEST_PART = 2;
const MOST_PARTS = 16;
