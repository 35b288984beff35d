/**
 * How postings are written: each list is a run of bytes, one list after the other, in the shape that is smallest for it.
 *
 * ```
 * plain   length, peak, marks, postings
 * dense   length, peak, an impact for each tool, 0 for one that is not in the list
 * folded  length, 0, peak, and the differences from another list as a plain one
 *
 * length   one to three bytes, 7 bits each, low ones first
 * peak     the greatest impact; left out of a plain list of one
 * marks    for every MARK_DISTANCE postings but the last ones: 3 bytes of tool, 3 bytes of offset
 * postings each a gap in one to three bytes (tools left out since the one before), then its impact in one
 * ```
 *
 * A list of half of the tools or more is dense. A tool usually contains only the most common form of a word: the form's
 * list is folded into the stem's list, and stores only how much lower its impacts are, and where.
 *
 * A mark says which tool the gap at its offset counts from, so that a posting is found without reading all before it.
 * Loops that read whole lists have the gap's decoding written out: a function can't return both a value and a place.
 */

/** One tool in a list. */
export interface Posting {
  readonly tool: number;
  /** 1 to 255. */
  readonly impact: number;
}

/** Postings between two marks. */
export const MARK_DISTANCE = 64;
const MARK_BYTES = 6;
/** A byte from this on has another one after it. */
export const GAP_GOES_ON = 0x80;
/** The same for two bytes taken together. */
export const GAP_GOES_ON_TWICE = 0x4000;
/** In place of a peak: the list is folded, and its peak comes next. */
const FOLDED = 0;

/** Bytes of a length or gap; both are below 2²¹, as many tools as an index holds. */
export function gapBytes(gap: number): number {
  if (gap < GAP_GOES_ON) return 1;
  return gap < GAP_GOES_ON_TWICE ? 2 : 3;
}

/** Whether a list of this length has a byte for each tool. */
export function isDense(length: number, toolCount: number): boolean {
  return length > 1 && length * 2 >= toolCount;
}

/** Bytes of a plain list before its postings. */
export function headBytes(length: number): number {
  return length === 0 ? 0 : gapBytes(length) + (length > 1 ? 1 : 0) + markCount(length) * MARK_BYTES;
}

/** Where the impacts of the dense list that starts at a place are. */
export function denseImpacts(bytes: Uint8Array, start: number): number {
  return start + sizeOfGap(bytes, start) + 1;
}

/** Writes a length or gap. Returns the position after it. */
export function writeGap(bytes: Uint8Array, at: number, gap: number): number {
  if (gap < GAP_GOES_ON) {
    bytes[at] = gap;
    return at + 1;
  }
  bytes[at] = (gap & 0x7f) | GAP_GOES_ON;
  if (gap < GAP_GOES_ON_TWICE) {
    bytes[at + 1] = gap >>> 7;
    return at + 2;
  }
  bytes[at + 1] = ((gap >>> 7) & 0x7f) | GAP_GOES_ON;
  bytes[at + 2] = gap >>> 14;
  return at + 3;
}

/** The length of the list that starts at a place and is not empty. */
export function readLength(bytes: Uint8Array, start: number): number {
  let length = bytes[start] ?? 0;
  if (length >= GAP_GOES_ON) {
    length = (length & 0x7f) | ((bytes[start + 1] ?? 0) << 7);
    if (length >= GAP_GOES_ON_TWICE) length = (length & 0x3fff) | ((bytes[start + 2] ?? 0) << 14);
  }
  return length;
}

/** The greatest impact of the list that starts at a place and is not empty. */
export function readPeak(bytes: Uint8Array, start: number): number {
  const length = readLength(bytes, start);
  const at = start + gapBytes(length);
  if (length === 1) {
    // The only impact of a list of one comes last, after its gap.
    return bytes[at + sizeOfGap(bytes, at)] ?? 0;
  }
  return (bytes[at] ?? 0) === FOLDED ? (bytes[at + 1] ?? 0) : (bytes[at] ?? 0);
}

/** Whether the list that starts at a place and is not empty is folded. */
export function isFolded(bytes: Uint8Array, start: number): boolean {
  const length = readLength(bytes, start);
  return length > 1 && bytes[start + gapBytes(length)] === FOLDED;
}

/** Where the differences of the folded list that starts at a place are: a plain list, which may be empty. */
export function foldedDifferences(bytes: Uint8Array, start: number): number {
  return start + sizeOfGap(bytes, start) + 2;
}

/** Writes what comes before the differences of a folded list of two tools or more. Returns the place after it. */
export function writeFoldedHead(bytes: Uint8Array, start: number, length: number, peak: number): number {
  const at = writeGap(bytes, start, length);
  bytes[at] = FOLDED;
  bytes[at + 1] = peak;
  return at + 2;
}

/** Fills in the head of a plain list whose postings are there already. */
export function writeHead(bytes: Uint8Array, start: number, length: number): void {
  let head = writeGap(bytes, start, length);
  if (length < 2) return;
  const peakAt = head;
  const first = start + headBytes(length);
  let peak = 0;
  let next = 0;
  let at = first;
  head += 1;
  for (let count = 0; count < length; count += 1) {
    if (count > 0 && count % MARK_DISTANCE === 0) {
      writeMark(bytes, head, next, at - first);
      head += MARK_BYTES;
    }
    let gap = bytes[at++] ?? 0;
    if (gap >= GAP_GOES_ON) {
      gap = (gap & 0x7f) | ((bytes[at++] ?? 0) << 7);
      if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((bytes[at++] ?? 0) << 14);
    }
    next += gap + 1;
    const impact = bytes[at++] ?? 0;
    if (impact > peak) peak = impact;
  }
  bytes[peakAt] = peak;
}

/** Writes a dense list from the postings of a plain one. Its target contains only zeros. */
export function writeDense(bytes: Uint8Array, start: number, { postings, from, length }: PostingRun): void {
  const peakAt = writeGap(bytes, start, length);
  let peak = 0;
  let next = 0;
  let at = from;
  for (let count = 0; count < length; count += 1) {
    const tool = next + readLength(postings, at);
    at += sizeOfGap(postings, at);
    const impact = postings[at++] ?? 0;
    bytes[peakAt + 1 + tool] = impact;
    next = tool + 1;
    peak = Math.max(peak, impact);
  }
  bytes[peakAt] = peak;
}

/** Postings as they are in a plain list, without its head. */
export interface PostingRun {
  readonly postings: Uint8Array;
  readonly from: number;
  readonly length: number;
}

/** The impact of a tool in the plain list from `start` to `end`, or 0 when it is not in it. */
export function findImpact(bytes: Uint8Array, start: number, end: number, tool: number): number {
  const length = readLength(bytes, start);
  const first = start + headBytes(length);
  const marks = first - markCount(length) * MARK_BYTES;
  let low = marks;
  let high = first;
  // The first mark that counts from beyond the tool; the tool's posting is before it.
  while (low < high) {
    const middle = low + (((high - low) / MARK_BYTES) >> 1) * MARK_BYTES;
    if (readThree(bytes, middle) <= tool) {
      low = middle + MARK_BYTES;
    } else {
      high = middle;
    }
  }
  let next = low === marks ? 0 : readThree(bytes, low - MARK_BYTES);
  let at = low === marks ? first : first + readThree(bytes, low - 3);
  while (at < end) {
    let gap = bytes[at++] ?? 0;
    if (gap >= GAP_GOES_ON) {
      gap = (gap & 0x7f) | ((bytes[at++] ?? 0) << 7);
      if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((bytes[at++] ?? 0) << 14);
    }
    next += gap + 1;
    if (next > tool) return next === tool + 1 ? (bytes[at] ?? 0) : 0;
    at += 1;
  }
  return 0;
}

/** The postings of the list from `start` to `end`, which is no folded one. */
export function readPostings(bytes: Uint8Array, start: number, end: number, toolCount: number): Posting[] {
  if (start >= end) return [];
  const length = readLength(bytes, start);
  const list: DecodedList = { tools: new Uint32Array(length), impacts: new Uint8Array(length) };
  const count = decodeList(bytes, { start, toolCount }, list);
  return Array.from(list.tools.subarray(0, count), (tool, at) => ({ tool, impact: list.impacts[at] ?? 0 }));
}

/** A list's tools, ascending, and their impacts. There may be room for more. */
export interface DecodedList {
  readonly tools: Uint32Array;
  readonly impacts: Uint8Array;
}

/** Reads the list that starts at a place and is no folded one. Returns how many postings it has. */
export function decodeList(
  bytes: Uint8Array,
  { start, toolCount }: { readonly start: number; readonly toolCount: number },
  into: DecodedList,
): number {
  const length = readLength(bytes, start);
  if (!isDense(length, toolCount)) return decodePlain(bytes, { from: start + headBytes(length), length }, into);
  const first = denseImpacts(bytes, start);
  let count = 0;
  for (let tool = 0; tool < toolCount; tool += 1) {
    const impact = bytes[first + tool] ?? 0;
    if (impact === 0) continue;
    into.tools[count] = tool;
    into.impacts[count++] = impact;
  }
  return count;
}

/** The same for the postings of a plain list, without its head. */
export function decodePlain(
  bytes: Uint8Array,
  { from, length }: Omit<PostingRun, 'postings'>,
  { tools, impacts }: DecodedList,
): number {
  let at = from;
  let next = 0;
  for (let count = 0; count < length; count += 1) {
    let gap = bytes[at++] ?? 0;
    if (gap >= GAP_GOES_ON) {
      gap = (gap & 0x7f) | ((bytes[at++] ?? 0) << 7);
      if (gap >= GAP_GOES_ON_TWICE) {
        gap = (gap & 0x3fff) | ((bytes[at++] ?? 0) << 14);
      }
    }
    next += gap + 1;
    tools[count] = next - 1;
    impacts[count] = bytes[at++] ?? 0;
  }
  return length;
}

/** Whether the bytes from `start` to `end` are a plain list: its postings fill them, and its marks are right. */
export function isPlainList(
  bytes: Uint8Array,
  { start, end, toolCount }: { readonly start: number; readonly end: number; readonly toolCount: number },
): boolean {
  const length = readLength(bytes, start);
  if (length > toolCount || sizeOfGap(bytes, start) !== gapBytes(length)) return false;
  const first = start + headBytes(length);
  let mark = first - markCount(length) * MARK_BYTES;
  let next = 0;
  let at = first;
  for (let count = 0; count < length; count += 1) {
    if (count > 0 && count % MARK_DISTANCE === 0) {
      if (readThree(bytes, mark) !== next || readThree(bytes, mark + 3) !== at - first) return false;
      mark += MARK_BYTES;
    }
    next += readLength(bytes, at) + 1;
    at += sizeOfGap(bytes, at) + 1;
    if (at > end || next > toolCount || bytes[at - 1] === 0) return false;
  }
  return at === end;
}

function markCount(length: number): number {
  return Math.floor((length - 1) / MARK_DISTANCE);
}

/** Bytes of the length or gap at a place. */
function sizeOfGap(bytes: Uint8Array, at: number): number {
  if ((bytes[at] ?? 0) < GAP_GOES_ON) return 1;
  return (bytes[at + 1] ?? 0) < GAP_GOES_ON ? 2 : 3;
}

function writeMark(bytes: Uint8Array, at: number, tool: number, offset: number): void {
  bytes[at] = tool;
  bytes[at + 1] = tool >>> 8;
  bytes[at + 2] = tool >>> 16;
  bytes[at + 3] = offset;
  bytes[at + 4] = offset >>> 8;
  bytes[at + 5] = offset >>> 16;
}

function readThree(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}
