import { type Bm25Index, NO_LIST } from './bm25-index.ts';
import type { PlannedList } from './plan-query.ts';

/** One going over a list's postings, for all planned lists that are written there: the list itself and one folded into it. */
export interface ListRead {
  readonly list: number;
  readonly length: number;
  /** What its impacts are multiplied with: the weights of all that is planned. */
  weight: number;
  /** The planned list that is folded into it, or {@link NO_LIST}. */
  folded: number;
  /** What the differences of the folded list are multiplied with and taken off. */
  foldedWeight: number;
  /** What it can add at the most. */
  bound: number;
}

/** How planned lists are read: each set of postings once, those that can add most first. */
export function orderReads(index: Bm25Index, lists: readonly PlannedList[]): ListRead[] {
  const reads = new Map<number, ListRead>();
  for (const { list: planned, weight } of lists) {
    const list = index.unfoldedList(planned);
    let read = reads.get(list);
    if (read === undefined) {
      read = { list, length: index.listLength(list), weight: 0, folded: NO_LIST, foldedWeight: 0, bound: 0 };
      reads.set(list, read);
    }
    read.weight += weight;
    read.bound += weight * index.listPeak(planned);
    if (list !== planned) {
      read.folded = planned;
      read.foldedWeight = weight;
    }
  }
  return [...reads.values()].sort((left, right) => right.bound - left.bound);
}
