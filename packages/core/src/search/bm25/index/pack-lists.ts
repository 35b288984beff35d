import { stepThrough } from '../../../slices.ts';
import type { Bm25IndexData } from './bm25-index.ts';
import type { Stems } from './build-bm25-index.ts';
import {
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  gapBytes,
  headBytes,
  isDense,
  writeDense,
  writeFoldedHead,
  writeGap,
  writeHead,
} from './posting-list.ts';
import { growUint8 } from './scratch-array.ts';

/** All lists in the plain shape, with heads that are not filled in yet. */
export interface LooseLists {
  readonly postings: Uint8Array;
  /** Where each list starts, and where the last one ends. */
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly toolCount: number;
}

/** The same in the index's layout. */
export type PackedLists = Pick<Bm25IndexData, 'postings' | 'listStarts'>;

/** Shorter lists gain nothing from being folded. */
const SHORTEST_FOLDED = 4;

const LISTS_PER_STEP = 4_096;
/** A step that reads lists ends with the list that reaches this: some are as long as thousands of others. */
const BYTES_PER_STEP = 16_384;

/** Writes each list in the shape that is smallest for it: see `posting-list.ts`. What stays plain is moved in long runs. */
export function* packLists(loose: LooseLists, stems: Stems): Generator<void, PackedLists> {
  const { listCount } = stems;
  const folder = new Folder(loose);
  yield* foldCommonest(folder, stems, loose);
  yield;
  const listStarts = new Uint32Array(listCount + 1);
  yield* stepThrough(listCount, (first) => placeSome(loose, folder, listStarts, first));
  yield;
  const packed: PackedLists = { postings: new Uint8Array(listStarts[listCount] ?? 0), listStarts };
  yield* stepThrough(listCount, (first) => packSome(loose, folder, packed, first));
  return packed;
}

/** Computes where lists start: all but the first, each after the previous one. */
function placeSome(loose: LooseLists, folder: Folder, listStarts: Uint32Array, first: number): number {
  const end = Math.min(first + LISTS_PER_STEP, loose.lengths.length);
  for (let list = first; list < end; list += 1) {
    listStarts[list + 1] = (listStarts[list] ?? 0) + (folder.bytesOf(list) ?? listBytes(loose, list));
  }
  return end;
}

function packSome(loose: LooseLists, folder: Folder, { postings, listStarts }: PackedLists, first: number): number {
  const { lengths, starts, postings: from, toolCount } = loose;
  const enough = (starts[first] ?? 0) + BYTES_PER_STEP;
  let moved = first;
  let list = first;
  for (; list < lengths.length && (starts[list] ?? 0) < enough; list += 1) {
    const length = lengths[list] ?? 0;
    const start = listStarts[list] ?? 0;
    if (folder.write(list, postings, start)) {
      moveLists(loose, postings, { listStarts, first: moved, end: list });
      moved = list + 1;
    } else if (isDense(length, toolCount)) {
      writeDense(postings, start, { postings: from, from: (starts[list] ?? 0) + headBytes(length), length });
      moveLists(loose, postings, { listStarts, first: moved, end: list });
      moved = list + 1;
    } else if (length > 0) {
      writeHead(from, starts[list] ?? 0, length);
    }
  }
  moveLists(loose, postings, { listStarts, first: moved, end: list });
  return list;
}

/** Moves plain lists from `first` to before `end`, which follow each other in both places. */
function moveLists(
  { postings, starts }: LooseLists,
  to: Uint8Array,
  { listStarts, first, end }: { readonly listStarts: Uint32Array; readonly first: number; readonly end: number },
): void {
  if (first < end) to.set(postings.subarray(starts[first] ?? 0, starts[end] ?? 0), listStarts[first] ?? 0);
}

/** Bytes of a list that is not folded. */
function listBytes({ lengths, starts, toolCount }: LooseLists, list: number): number {
  const length = lengths[list] ?? 0;
  return isDense(length, toolCount) ? gapBytes(length) + 1 + toolCount : (starts[list + 1] ?? 0) - (starts[list] ?? 0);
}

/** Folds the form that most tools have into the list of its stem, for each stem with several forms. */
function* foldCommonest(folder: Folder, stems: Stems, { lengths, starts }: LooseLists): Generator<void, void> {
  const { termCount } = stems;
  const commonest = findCommonest(stems, lengths);
  yield;
  yield* stepThrough(commonest.length, (first) => {
    const enough = (starts[termCount + first] ?? 0) + BYTES_PER_STEP;
    let stem = first;
    for (; stem < commonest.length && (starts[termCount + stem] ?? 0) < enough; stem += 1) {
      folder.fold(commonest[stem] ?? 0, termCount + stem);
    }
    return stem;
  });
}

/** For each stem with several forms, the one that most tools have. */
function findCommonest({ stemLists, termCount, listCount }: Stems, lengths: Uint32Array): Uint32Array {
  const commonest = new Uint32Array(listCount - termCount);
  const most = new Uint32Array(listCount - termCount);
  for (let term = 0; term < termCount; term += 1) {
    const stem = (stemLists[term] ?? 0) - termCount;
    const length = lengths[term] ?? 0;
    if (stem >= 0 && stem < most.length && length > (most[stem] ?? 0)) {
      most[stem] = length;
      commonest[stem] = term;
    }
  }
  return commonest;
}

/** The differences of a folded list: a run in the folder's own array, and its head. */
interface Folded {
  readonly from: number;
  readonly end: number;
  readonly length: number;
  readonly peak: number;
  /** Of the whole list as it is written. */
  readonly bytes: number;
}

/** Takes the differences between lists and those of their stems. */
class Folder {
  readonly #loose: LooseLists;
  readonly #folded: Map<number, Folded> = new Map();
  /** The differences of all of them, one after the other. */
  #differences: Uint8Array = new Uint8Array(1 << 12);
  #size = 0;

  constructor(loose: LooseLists) {
    this.#loose = loose;
  }

  /** The bytes of a list that is smaller when folded; undefined for any other. */
  bytesOf(list: number): number | undefined {
    return this.#folded.get(list)?.bytes;
  }

  /** Folds a list if that makes it smaller. */
  fold(list: number, stemList: number): void {
    const { lengths, toolCount } = this.#loose;
    const length = lengths[list] ?? 0;
    if (length < SHORTEST_FOLDED || length * 2 < (lengths[stemList] ?? 0)) return;
    const from = this.#size;
    const { count, peak, end } = this.#compare(list, stemList);
    const bytes = gapBytes(length) + 2 + Math.max(1, headBytes(count)) + end - from;
    if (bytes < listBytes(this.#loose, list) && !isDense(count, toolCount)) {
      this.#folded.set(list, { from, end, length: count, peak, bytes });
      this.#size = end;
    }
  }

  /** @returns whether the list is a folded one, which has then been written. */
  write(list: number, bytes: Uint8Array, start: number): boolean {
    const folded = this.#folded.get(list);
    if (folded === undefined) return false;
    const at = writeFoldedHead(bytes, start, this.#loose.lengths[list] ?? 0, folded.peak);
    const { from, end, length } = folded;
    bytes.set(this.#differences.subarray(from, end), at + headBytes(length));
    writeHead(bytes, at, length);
    return true;
  }

  /** Every tool of the list is also in the stem's list, with at least the same impact. */
  #compare(list: number, stemList: number): { readonly count: number; readonly peak: number; readonly end: number } {
    const { postings, starts, lengths } = this.#loose;
    const stemStart = (starts[stemList] ?? 0) + headBytes(lengths[stemList] ?? 0);
    const stemEnd = starts[stemList + 1] ?? 0;
    if (this.#differences.length < this.#size + stemEnd - stemStart) {
      this.#differences = growUint8(this.#differences, this.#size + stemEnd - stemStart);
    }
    const differences = this.#differences;
    let size = this.#size;
    let count = 0;
    let peak = 0;
    let after = 0;
    let at = (starts[list] ?? 0) + headBytes(lengths[list] ?? 0);
    const end = starts[list + 1] ?? 0;
    let nextTool = -1;
    let nextImpact = 0;
    let tool = -1;
    for (let stemAt = stemStart; stemAt < stemEnd; ) {
      let gap = postings[stemAt++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[stemAt++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((postings[stemAt++] ?? 0) << 14);
      }
      tool += gap + 1;
      let difference = postings[stemAt++] ?? 0;
      if (nextTool < tool && at < end) {
        gap = postings[at++] ?? 0;
        if (gap >= GAP_GOES_ON) {
          gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
          if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
        }
        nextTool += gap + 1;
        nextImpact = postings[at++] ?? 0;
        if (nextImpact > peak) peak = nextImpact;
      }
      if (nextTool === tool) difference -= nextImpact;
      if (difference > 0) {
        size = writeGap(differences, size, tool - after);
        differences[size++] = difference;
        after = tool + 1;
        count += 1;
      }
    }
    return { count, peak, end: size };
  }
}
