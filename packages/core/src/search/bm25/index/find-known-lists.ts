import { NO_LIST } from './bm25-index.ts';
import type { Stems } from './build-bm25-index.ts';
import type { KnownLists } from './merge-lists.ts';
import type { CopiedTools } from './read-tools.ts';
import { scratchUint32 } from './scratch-array.ts';

/**
 * Where the postings of copied tools are. Undefined if words have come together under a stem, or no longer do: then the postings of
 * the stem are new as well.
 */
export function findKnownLists({ index, positions, terms }: CopiedTools, stems: Stems): KnownLists | undefined {
  const { stemLists, termCount, listCount } = stems;
  const sources = scratchUint32(listCount).fill(NO_LIST);
  /** For each list of a stem, here and in the index, how many forms of the copied tools it has. */
  const forms = scratchUint32(listCount);
  const formsBefore = scratchUint32(index.data.listStarts.length);
  for (let term = 0; term < terms.length; term += 1) {
    const known = (terms[term] ?? 0) - 1;
    if (known < 0) continue;
    sources[term] = known;
    const before = index.stemList(known);
    if (before !== NO_LIST) formsBefore[before] = (formsBefore[before] ?? 0) + 1;
    const list = stemLists[term] ?? NO_LIST;
    if (list < termCount || list === NO_LIST) continue;
    forms[list] = (forms[list] ?? 0) + 1;
    if (forms[list] === 1) sources[list] = known;
    else if (forms[list] === 2) sources[list] = index.stemList(sources[list] ?? NO_LIST);
    if ((forms[list] ?? 0) > 1 && sources[list] !== before) return undefined;
  }
  for (let list = termCount; list < listCount; list += 1) {
    if ((forms[list] ?? 0) > 1 && forms[list] !== formsBefore[sources[list] ?? 0]) return undefined;
  }
  return { index, sources, positions };
}
