import type { Stems } from './assign-stems.ts';
import {
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  gapBytes,
  headBytes,
  isDense,
  writeFoldedHead,
  writeGap,
  writeList,
} from './posting-list.ts';

/** Postings of all lists without anything before them. */
export interface LooseLists {
  readonly postings: Uint8Array;
  /** Where each list's postings start, and where the last one's end. */
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly toolCount: number;
}

/** The same as the index has them. */
export interface PackedLists {
  readonly postings: Uint8Array;
  readonly listStarts: Uint32Array;
}

/** Shorter lists have nothing to gain from being folded. */
const SHORTEST_FOLDED = 4;

/** Writes each list in the shape that is smallest for it: see `posting-list.ts`. */
export function packLists(loose: LooseLists, stems: Stems): PackedLists {
  const { lengths, starts, postings: from, toolCount } = loose;
  const { listCount } = stems;
  const commonest = commonestForms(stems, lengths);
  const listStarts = new Uint32Array(listCount + 1);
  const postings = new Uint8Array(packedBytes(loose, listCount));
  const folder = new Folder(loose);
  let end = 0;
  for (let list = 0; list < listCount; list += 1) {
    listStarts[list] = end;
    const length = lengths[list] ?? 0;
    if (length === 0) {
      continue;
    }
    const stemList = list < stems.termCount ? (stems.stemLists[list] ?? 0) : list;
    const isFolded =
      stemList >= stems.termCount && commonest[stemList - stems.termCount] === list && folder.fold(list, stemList);
    end = isFolded
      ? folder.write(postings, end)
      : writeList(postings, end, { postings: from, from: starts[list] ?? 0, length, toolCount });
  }
  listStarts[listCount] = end;
  return { postings: postings.slice(0, end), listStarts };
}

/** Bytes of all lists if none were folded. */
function packedBytes({ lengths, starts, toolCount }: LooseLists, listCount: number): number {
  let bytes = 0;
  for (let list = 0; list < listCount; list += 1) {
    bytes += listBytes(lengths[list] ?? 0, (starts[list + 1] ?? 0) - (starts[list] ?? 0), toolCount);
  }
  return bytes;
}

function listBytes(length: number, postingBytes: number, toolCount: number): number {
  return isDense(length, toolCount) ? gapBytes(length) + 1 + toolCount : headBytes(length) + postingBytes;
}

/** Per list of a stem with several forms, the form that most tools have. */
function commonestForms({ stemLists, termCount, listCount }: Stems, lengths: Uint32Array): Uint32Array {
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

/** Takes the differences between a list and that of its stem. */
class Folder {
  readonly #loose: LooseLists;
  #differences: Uint8Array = new Uint8Array(1 << 12);
  #size = 0;
  #count = 0;
  #length = 0;
  #peak = 0;

  constructor(loose: LooseLists) {
    this.#loose = loose;
  }

  /** @returns whether the list is smaller folded; {@link write} writes it then. */
  fold(list: number, stemList: number): boolean {
    const { lengths, starts, toolCount } = this.#loose;
    this.#length = lengths[list] ?? 0;
    if (this.#length < SHORTEST_FOLDED || this.#length * 2 < (lengths[stemList] ?? 0)) {
      return false;
    }
    this.#compare(list, stemList);
    const bytes = gapBytes(this.#length) + 2 + Math.max(1, headBytes(this.#count)) + this.#size;
    const whole = listBytes(this.#length, (starts[list + 1] ?? 0) - (starts[list] ?? 0), toolCount);
    return bytes < whole && !isDense(this.#count, toolCount);
  }

  write(bytes: Uint8Array, start: number): number {
    const at = writeFoldedHead(bytes, start, this.#length, this.#peak);
    if (this.#count === 0) {
      return writeGap(bytes, at, 0);
    }
    return writeList(bytes, at, {
      postings: this.#differences,
      from: 0,
      length: this.#count,
      toolCount: this.#loose.toolCount,
    });
  }

  /** Every tool of the list is in the stem's list too, with at least the same impact. */
  #compare(list: number, stemList: number): void {
    const { postings, starts } = this.#loose;
    const stemEnd = starts[stemList + 1] ?? 0;
    if (this.#differences.length < stemEnd - (starts[stemList] ?? 0)) {
      this.#differences = new Uint8Array((stemEnd - (starts[stemList] ?? 0)) * 2);
    }
    const differences = this.#differences;
    let size = 0;
    let count = 0;
    let peak = 0;
    let after = 0;
    let at = starts[list] ?? 0;
    const end = starts[list + 1] ?? 0;
    let nextTool = -1;
    let nextImpact = 0;
    let tool = -1;
    for (let stemAt = starts[stemList] ?? 0; stemAt < stemEnd; ) {
      let gap = postings[stemAt++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[stemAt++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[stemAt++] ?? 0) << 14);
        }
      }
      tool += gap + 1;
      let difference = postings[stemAt++] ?? 0;
      if (nextTool < tool && at < end) {
        gap = postings[at++] ?? 0;
        if (gap >= GAP_GOES_ON) {
          gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
          if (gap >= GAP_GOES_ON_TWICE) {
            gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
          }
        }
        nextTool += gap + 1;
        nextImpact = postings[at++] ?? 0;
        if (nextImpact > peak) {
          peak = nextImpact;
        }
      }
      if (nextTool === tool) {
        difference -= nextImpact;
      }
      if (difference > 0) {
        size = writeGap(differences, size, tool - after);
        differences[size++] = difference;
        after = tool + 1;
        count += 1;
      }
    }
    this.#size = size;
    this.#count = count;
    this.#peak = peak;
  }
}
