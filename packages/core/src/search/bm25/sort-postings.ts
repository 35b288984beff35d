import type { Postings } from './weigh-tools.ts';

/** Postings list by list, as an index holds them. */
export interface Lists {
  readonly listStarts: Uint32Array;
  readonly listPeaks: Uint8Array;
  readonly tools: Uint16Array | Uint32Array;
  readonly impacts: Uint8Array;
}

/** Turns postings in the order of tools into lists by counting: one pass to count, one to place. */
export function sortPostings(postings: Postings, listCount: number, toolCount: number): Lists {
  const listStarts = new Uint32Array(listCount + 1);
  for (let at = 0; at < postings.size; at += 1) {
    const next = (postings.lists[at] ?? 0) + 1;
    listStarts[next] = (listStarts[next] ?? 0) + 1;
  }
  for (let list = 0; list < listCount; list += 1) {
    listStarts[list + 1] = (listStarts[list + 1] ?? 0) + (listStarts[list] ?? 0);
  }
  const places = listStarts.slice();
  const listPeaks = new Uint8Array(listCount);
  const tools = toolCount <= 0x10000 ? new Uint16Array(postings.size) : new Uint32Array(postings.size);
  const impacts = new Uint8Array(postings.size);
  let at = 0;
  for (let tool = 0; tool < toolCount; tool += 1) {
    for (const end = postings.toolEnds[tool] ?? 0; at < end; at += 1) {
      const list = postings.lists[at] ?? 0;
      const place = places[list] ?? 0;
      const impact = postings.impacts[at] ?? 0;
      places[list] = place + 1;
      tools[place] = tool;
      impacts[place] = impact;
      if (impact > (listPeaks[list] ?? 0)) {
        listPeaks[list] = impact;
      }
    }
  }
  return { listStarts, listPeaks, tools, impacts };
}
