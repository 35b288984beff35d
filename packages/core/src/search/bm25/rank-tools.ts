import { BestTools, type RankedTool } from './best-tools.ts';
import type { Bm25Index } from './bm25-index.ts';
import type { PlannedList } from './plan-query.ts';
import { GAP_GOES_ON, GAP_GOES_ON_TWICE } from './posting-list.ts';

export interface RankOptions {
  /** How many tools are wanted at the most. */
  readonly count: number;
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
  /** Per tool, whole numbers below 2³¹: the planner sees to that. All 0 between calls. */
  readonly #sums: Int32Array;
  readonly #touched: Uint32Array;

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#sums = new Int32Array(index.toolCount);
    this.#touched = new Uint32Array(index.toolCount + 1);
  }

  /** The best tools, best first, ties in catalog order. */
  rank(lists: readonly PlannedList[], options: RankOptions): RankedTool[] {
    const { count, accept } = options;
    const { toolCount } = this.#index;
    const bounds = this.#remainingBounds(lists);
    let postingsLeft = lists.reduce((sum, planned) => sum + this.#index.listLength(planned.list), 0);
    if (postingsLeft * SPARSE_FACTOR < toolCount) {
      return this.#rankSparse(lists, options);
    }
    let checkBelow = (bounds[0] ?? 0) / 4;
    for (let at = 0; at < lists.length; at += 1) {
      const planned = lists[at] as PlannedList;
      this.#add(planned);
      postingsLeft -= this.#index.listLength(planned.list);
      const rest = bounds[at + 1] ?? 0;
      // A look at all sums costs about as much as a posting for each tool.
      if (accept === undefined && rest < checkBelow && postingsLeft > toolCount * 2) {
        const best = this.#select(count, undefined);
        best.raiseBar();
        const candidates = rest < best.bar ? this.#collect(best.bar - rest) : [];
        if (rest < best.bar && candidates.length * (lists.length - at - 1) * LOOKUP_COST < postingsLeft) {
          return this.#finish(candidates, lists.slice(at + 1), count);
        }
        checkBelow = rest / 2;
      }
    }
    const ranked = this.#select(count, accept).finish();
    this.#sums.fill(0);
    return ranked;
  }

  /** Every tool with a term of the query and its sum, in catalog order. */
  scoreAll(lists: readonly PlannedList[]): RankedTool[] {
    for (const planned of lists) {
      this.#add(planned);
    }
    const scored = this.#collect(1);
    this.#sums.fill(0);
    return scored;
  }

  /** Entry `n` is what the lists from `n` on can add at the most. */
  #remainingBounds(lists: readonly PlannedList[]): Float64Array {
    const bounds = new Float64Array(lists.length + 1);
    for (let at = lists.length - 1; at >= 0; at -= 1) {
      const planned = lists[at] as PlannedList;
      bounds[at] = (bounds[at + 1] ?? 0) + planned.weight * this.#index.listPeak(planned.list);
    }
    return bounds;
  }

  #add(planned: PlannedList): void {
    const { postings } = this.#index.data;
    const { weight, list } = planned;
    const sums = this.#sums;
    const end = this.#index.listEnd(list);
    let next = 0;
    for (let at = this.#index.firstPosting(list); at < end; at += 1) {
      let gap = postings[at++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      sums[tool] = (sums[tool] ?? 0) + Math.imul(weight, postings[at] ?? 0);
    }
  }

  #select(count: number, accept: ((tool: number) => boolean) | undefined): BestTools {
    const sums = this.#sums;
    const best = new BestTools(count, sums.length);
    let { bar } = best;
    for (let tool = 0; tool < sums.length; tool += 1) {
      const sum = sums[tool] ?? 0;
      if (sum >= bar && accept?.(tool) !== false) {
        best.add(tool, sum);
        bar = best.bar;
      }
    }
    return best;
  }

  /** The tools with at least this sum. */
  #collect(least: number): RankedTool[] {
    const sums = this.#sums;
    const found: RankedTool[] = [];
    for (let tool = 0; tool < sums.length; tool += 1) {
      const sum = sums[tool] ?? 0;
      if (sum >= least && sum > 0) {
        found.push({ tool, sum });
      }
    }
    return found;
  }

  /** Adds the lists that are left to the tools that are left. */
  #finish(found: readonly RankedTool[], rest: readonly PlannedList[], count: number): RankedTool[] {
    this.#sums.fill(0);
    const best = new BestTools(count, found.length);
    for (const { tool, sum } of found) {
      let total = sum;
      for (const { list, weight } of rest) {
        total += weight * this.#index.impact(list, tool);
      }
      if (total >= best.bar) {
        best.add(tool, total);
      }
    }
    return best.finish();
  }

  /** For few postings: notes which tools they touch, so that the others need not be looked at. */
  #rankSparse(lists: readonly PlannedList[], options: RankOptions): RankedTool[] {
    const sums = this.#sums;
    const touched = this.#touched;
    let touchedCount = 0;
    for (const planned of lists) {
      touchedCount = this.#addSparse(planned, touchedCount);
    }
    const best = new BestTools(options.count, touchedCount);
    for (let at = 0; at < touchedCount; at += 1) {
      const tool = touched[at] ?? 0;
      const sum = sums[tool] ?? 0;
      sums[tool] = 0;
      if (sum >= best.bar && options.accept?.(tool) !== false) {
        best.add(tool, sum);
      }
    }
    return best.finish();
  }

  #addSparse(planned: PlannedList, before: number): number {
    const { postings } = this.#index.data;
    const { weight, list } = planned;
    const sums = this.#sums;
    const touched = this.#touched;
    let touchedCount = before;
    const end = this.#index.listEnd(list);
    let next = 0;
    for (let at = this.#index.firstPosting(list); at < end; at += 1) {
      let gap = postings[at++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      const sum = sums[tool] ?? 0;
      touched[touchedCount] = tool;
      touchedCount += sum === 0 ? 1 : 0;
      sums[tool] = sum + Math.imul(weight, postings[at] ?? 0);
    }
    return touchedCount;
  }
}

/** Best first, ties in catalog order. */
export function compareRanked(left: RankedTool, right: RankedTool): number {
  return right.sum - left.sum || left.tool - right.tool;
}

/** Postings that can be added in the time that it takes to look one up. */
const LOOKUP_COST = 12;
/** How many times more tools than postings there have to be for noting each tool. */
const SPARSE_FACTOR = 2;
