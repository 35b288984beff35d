import { stepThrough } from '../../../slices.ts';
import { type Bm25Index, NO_LIST } from './bm25-index.ts';
import type { LooseLists } from './pack-lists.ts';
import {
  type DecodedList,
  decodeList,
  decodePlain,
  foldedDifferences,
  headBytes,
  isFolded,
  writeGap,
} from './posting-list.ts';
import { growUint8, scratchUint8, scratchUint32 } from './scratch-array.ts';

/** The postings of tools that another index has: they are the same here, but for the tools' numbers. */
export interface KnownLists {
  readonly index: Bm25Index;
  /** For each list, the one of the index with the known tools' postings, or {@link NO_LIST}. */
  readonly sources: Uint32Array;
  /** For each tool of the index, its number here plus one; 0 for one that is gone. Ascending, apart from those. */
  readonly positions: Uint32Array;
}

const LISTS_PER_STEP = 4_096;
const BYTES_PER_STEP = 16_384;
/** A gap and an impact. */
const MOST_POSTING_BYTES = 4;
/** After the last tool. */
const END = 0xffffffff;

/** The lists of some tools, together with those of the known ones. */
export function* mergeLists(added: LooseLists, known: KnownLists): Generator<void, LooseLists> {
  const listCount = added.lengths.length;
  const merger = new Merger(added, known);
  const starts = scratchUint32(listCount + 1);
  const lengths = scratchUint32(listCount);
  yield* stepThrough(listCount, (first) => {
    const last = Math.min(first + LISTS_PER_STEP, listCount);
    const enough = merger.size + BYTES_PER_STEP;
    let list = first;
    for (; list < last && merger.size < enough; list += 1) {
      starts[list] = merger.size;
      lengths[list] = merger.merge(list);
    }
    return list;
  });
  starts[listCount] = merger.size;
  return { postings: merger.postings, starts, lengths, toolCount: added.toolCount };
}

class Merger {
  postings: Uint8Array;
  size = 0;
  readonly #added: LooseLists;
  readonly #known: KnownLists;
  readonly #old: DecodedList;
  readonly #new: DecodedList;
  readonly #differences: DecodedList;

  constructor(added: LooseLists, known: KnownLists) {
    const { postings, toolCount } = known.index.data;
    this.postings = scratchUint8(postings.length + added.postings.length);
    this.#added = added;
    this.#known = known;
    this.#old = emptyList(toolCount);
    this.#differences = emptyList(toolCount);
    this.#new = emptyList(added.toolCount);
  }

  /** Writes a list. Returns how many tools it has. */
  merge(list: number): number {
    const addedCount = this.#readAdded(list);
    const knownCount = this.#readKnown(this.#known.sources[list] ?? NO_LIST);
    const length = addedCount + knownCount;
    if (length > 0) this.#write(knownCount, addedCount);
    return length;
  }

  #readAdded(list: number): number {
    const { postings, starts, lengths } = this.#added;
    const length = lengths[list] ?? 0;
    return decodePlain(postings, { from: (starts[list] ?? 0) + headBytes(length), length }, this.#new);
  }

  /** Those that are left, with their numbers here. */
  #readKnown(list: number): number {
    const { positions } = this.#known;
    const { tools, impacts } = this.#old;
    const count = list === NO_LIST ? 0 : this.#decode(list);
    let left = 0;
    for (let at = 0; at < count; at += 1) {
      const position = positions[tools[at] ?? 0] ?? 0;
      if (position === 0) continue;
      tools[left] = position - 1;
      impacts[left] = impacts[at] ?? 0;
      left += 1;
    }
    return left;
  }

  #decode(list: number): number {
    const { index } = this.#known;
    const { listStarts, postings } = index.data;
    const start = listStarts[list] ?? 0;
    if (start === (listStarts[list + 1] ?? 0)) return 0;
    if (!isFolded(postings, start)) return decodeList(postings, { start, toolCount: index.toolCount }, this.#old);
    const count = this.#decode(index.stemList(list));
    const place = { start: foldedDifferences(postings, start), toolCount: index.toolCount };
    return this.#subtract(count, decodeList(postings, place, this.#differences));
  }

  #subtract(count: number, differenceCount: number): number {
    const { tools, impacts } = this.#old;
    const { tools: changed, impacts: differences } = this.#differences;
    let left = 0;
    let next = 0;
    for (let at = 0; at < count; at += 1) {
      const isChanged = next < differenceCount && changed[next] === tools[at];
      const impact = (impacts[at] ?? 0) - (isChanged ? (differences[next++] ?? 0) : 0);
      if (impact === 0) continue;
      tools[left] = tools[at] ?? 0;
      impacts[left] = impact;
      left += 1;
    }
    return left;
  }

  /** In the order of the tools. */
  #write(oldCount: number, newCount: number): void {
    const length = oldCount + newCount;
    const most = this.size + headBytes(length) + length * MOST_POSTING_BYTES;
    if (most > this.postings.length) this.postings = growUint8(this.postings, most);
    const { postings } = this;
    const { tools: oldTools, impacts: oldImpacts } = this.#old;
    const { tools: newTools, impacts: newImpacts } = this.#new;
    let at = this.size + headBytes(length);
    let after = 0;
    let added = 0;
    let nextAdded = newCount > 0 ? (newTools[0] ?? 0) : END;
    for (let old = 0; old <= oldCount; old += 1) {
      const tool = old < oldCount ? (oldTools[old] ?? 0) : END;
      while (nextAdded < tool) {
        at = writeGap(postings, at, nextAdded - after);
        postings[at++] = newImpacts[added] ?? 0;
        after = nextAdded + 1;
        added += 1;
        nextAdded = added < newCount ? (newTools[added] ?? 0) : END;
      }
      if (old === oldCount) break;
      at = writeGap(postings, at, tool - after);
      postings[at++] = oldImpacts[old] ?? 0;
      after = tool + 1;
    }
    this.size = at;
  }
}

function emptyList(toolCount: number): DecodedList {
  return { tools: scratchUint32(toolCount), impacts: scratchUint8(toolCount) };
}
