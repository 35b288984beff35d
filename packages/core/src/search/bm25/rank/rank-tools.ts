import { type Bm25Index, NO_LIST } from '../index/bm25-index.ts';
import { denseImpacts, foldedDifferences, isDense } from '../index/posting-list.ts';
import type { PlannedList } from './plan-query.ts';
import { BestTools, type RankedTools, ToolSums } from './tool-sums.ts';

export interface RankOptions {
  /** How many tools are wanted at the most. */
  readonly count: number;
  /** Whether the best come first, ties in catalog order; if not, they come in no order. */
  readonly isOrdered: boolean;
  /** Which tools may be ranked; asked about tools that have a term of the query. @default all */
  readonly accept?: ((tool: number) => boolean) | undefined;
}

/**
 * Adds up postings list by list and keeps the best tools.
 *
 * Lists come with those first that can add most. When what the rest could add is less than what the last wanted tool has
 * already, no other tool can get in: from there on, only tools that still can are looked up (the idea of MaxScore).
 * The answer is the same as from adding up everything.
 */
export class ToolRanker {
  readonly #index: Bm25Index;
  /** All 0 between calls. */
  readonly #sums: ToolSums;
  readonly #best: BestTools = new BestTools();
  /** The tools that are looked at. */
  readonly #tools: Uint32Array;

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#sums = new ToolSums(index.toolCount);
    this.#tools = new Uint32Array(index.toolCount);
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#sums.byteLength + this.#best.byteLength + this.#tools.byteLength;
  }

  /** The best tools; of those with the same sum, the first in the catalog. */
  rank(lists: readonly PlannedList[], options: RankOptions): RankedTools {
    const { count, accept } = options;
    const reads = orderReads(this.#index, lists);
    const most = reads.reduce((sum, { bound }) => sum + bound, 0);
    let rest = most;
    let checkBelow = most / 2;
    /** No more tools than this have a sum. */
    let added = 0;
    for (let at = 0; at < reads.length; at += 1) {
      const read = reads[at] as ListRead;
      this.#add(read);
      rest -= read.bound;
      added += read.length;
      if (accept !== undefined || rest >= checkBelow || added < count || at === reads.length - 1) continue;
      const bar = this.#sums.findBar(count, most - rest);
      if (rest < bar) {
        const left = this.#close(Math.max(1, bar - rest), reads, at + 1);
        if (left !== NOT_CLOSED) return this.#finish(left, reads.slice(at + 1), most, options);
      }
      checkBelow = rest / 2;
    }
    const ranked = this.#choose(
      accept === undefined ? this.#findBest(count, most) : this.#findAccepted(count, most, accept),
      most,
      options,
    );
    this.#sums.clear();
    return ranked;
  }

  #add({ list, length, weight, folded, foldedWeight }: ListRead): void {
    const { postings, listStarts } = this.#index.data;
    const start = listStarts[list] ?? 0;
    this.#takeOff(folded, foldedWeight);
    if (isDense(length, this.#index.toolCount)) {
      this.#sums.addDense(postings, denseImpacts(postings, start), weight);
    } else {
      this.#sums.addPlain({ postings, start, end: listStarts[list + 1] ?? 0, weight });
    }
  }

  /** Takes the differences of a folded list off, which the list that it is folded into has too much. */
  #takeOff(folded: number, weight: number): void {
    if (folded === NO_LIST || this.#index.differenceCount(folded) === 0) return;
    const { postings, listStarts } = this.#index.data;
    const start = foldedDifferences(postings, listStarts[folded] ?? 0);
    this.#sums.addPlain({ postings, start, end: listStarts[folded + 1] ?? 0, weight: -weight });
  }

  #choose(size: number, most: number, { count, isOrdered }: RankOptions): RankedTools {
    const summed = { sums: this.#sums.sums, tools: this.#tools, size, most };
    return isOrdered ? this.#best.rank(summed, count) : this.#best.choose(summed, count);
  }

  /** Takes the best tools and some more. Returns how many they are. */
  #findBest(count: number, most: number): number {
    return this.#sums.collect(this.#sums.findBar(count, most), this.#tools);
  }

  /** What is not accepted leaves room for others: as often as there are too few, more are looked at. */
  #findAccepted(count: number, most: number, accept: (tool: number) => boolean): number {
    const tools = this.#tools;
    for (let wanted = count; ; wanted *= MORE) {
      const bar = this.#sums.findBar(wanted, most);
      const found = this.#sums.collect(bar, tools);
      let size = 0;
      for (let at = 0; at < found; at += 1) {
        const tool = tools[at] ?? 0;
        if (accept(tool)) {
          tools[size++] = tool;
        }
      }
      if (size >= count || bar === 1) return size;
    }
  }

  /**
   * Takes the tools with at least this sum as those that are left, if that makes the reads from a place on quicker.
   * Returns how many they are, or {@link NOT_CLOSED}. Times are in those of adding a posting.
   */
  #close(least: number, reads: readonly ListRead[], from: number): number {
    const sums = this.#sums;
    const blocks = sums.countBlocks(least);
    const collecting = blocks * sums.blockSize * COLLECT_COST;
    if (this.#savedBy(blocks, reads, from) < collecting) return NOT_CLOSED;
    const left = sums.collect(least, this.#tools);
    return this.#savedBy(left, reads, from) > 0 ? left : NOT_CLOSED;
  }

  /** What going on with so many tools saves. */
  #savedBy(size: number, reads: readonly ListRead[], from: number): number {
    const { toolCount } = this.#index;
    let saved = -size;
    for (let at = from; at < reads.length; at += 1) {
      const { length } = reads[at] as ListRead;
      saved += isDense(length, toolCount) ? toolCount * DENSE_COST - size : Math.max(0, length - size * LOOKUP_COST);
    }
    return saved;
  }

  /** Adds the lists that are left to the tools that are left. */
  #finish(size: number, reads: readonly ListRead[], most: number, options: RankOptions): RankedTools {
    for (const read of reads) {
      this.#addToFew(size, read);
    }
    const ranked = this.#choose(size, most, options);
    this.#sums.clear();
    return ranked;
  }

  /** Looks tools up where that is quicker than reading all postings. */
  #addToFew(size: number, read: ListRead): void {
    const { postings, listStarts } = this.#index.data;
    const { list, length, weight, folded, foldedWeight } = read;
    const tools = this.#tools;
    const { sums } = this.#sums;
    if (isDense(length, sums.length)) {
      const first = denseImpacts(postings, listStarts[list] ?? 0);
      for (let at = 0; at < size; at += 1) {
        const tool = tools[at] ?? 0;
        sums[tool] = (sums[tool] ?? 0) + Math.imul(weight, postings[first + tool] ?? 0);
      }
    } else if (size * LOOKUP_COST < length) {
      for (let at = 0; at < size; at += 1) {
        const tool = tools[at] ?? 0;
        sums[tool] = (sums[tool] ?? 0) + Math.imul(weight, this.#index.impact(list, tool));
      }
    } else {
      this.#add(read);
      return;
    }
    if (folded === NO_LIST) return;
    if (size * LOOKUP_COST >= this.#index.differenceCount(folded)) {
      this.#takeOff(folded, foldedWeight);
      return;
    }
    for (let at = 0; at < size; at += 1) {
      const tool = tools[at] ?? 0;
      sums[tool] = (sums[tool] ?? 0) - Math.imul(foldedWeight, this.#index.difference(folded, tool));
    }
  }
}

/** Says that tools that have no sum so far could still get in. */
const NOT_CLOSED = -1;
/** Looking up a tool in a plain list takes as long as adding so many postings; */
const LOOKUP_COST = 32;
/** a tool of a dense list takes this much of a posting, */
const DENSE_COST = 0.4;
/** and looking at the sum of a tool this much. */
const COLLECT_COST = 0.4;
/** How many times more are looked at. */
const MORE = 4;

/** One going over a list's postings, for all planned lists that are written there: the list itself and one folded into it. */
interface ListRead {
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
function orderReads(index: Bm25Index, lists: readonly PlannedList[]): ListRead[] {
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
