import { DIGIT_RANGES, readNumbers, WORD_RANGES } from './unicode-tables.ts';

/** The highest code point. */
export const MAX_CODE_POINT = 0x10ffff;

/** More than any code point: two of them fit into one number, `low * PACKING + high`. */
const PACKING = 0x200000;

/**
 * A set of code points. Lone surrogates are code points like any other.
 * `ranges` is `[low, high, low, high, …]`: inclusive, ascending, and never touching.
 */
export interface CharacterSet {
  readonly ranges: readonly number[];
  /** Membership of the first 256 code points, one byte each. */
  readonly latin1: Uint8Array;
}

/** A set from ranges in any order, which may overlap: `[low, high, low, high, …]`. */
export function characterSet(ranges: readonly number[]): CharacterSet {
  return withBitmap(normalize(ranges));
}

export function hasCharacter(set: CharacterSet, code: number): boolean {
  if (code < 256) return set.latin1[code] === 1;
  const { ranges } = set;
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return 2 * low < ranges.length && (ranges[2 * low] ?? 0) <= code;
}

/** The place of the first number that is not below the bound, among ascending ones. */
export function firstAtLeast(numbers: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function complement(set: CharacterSet): CharacterSet {
  const ranges: number[] = [];
  let next = 0;
  for (let index = 0; index < set.ranges.length; index += 2) {
    const low = set.ranges[index] ?? 0;
    if (low > next) ranges.push(next, low - 1);
    next = (set.ranges[index + 1] ?? 0) + 1;
  }
  if (next <= MAX_CODE_POINT) ranges.push(next, MAX_CODE_POINT);
  return withBitmap(ranges);
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  const [first] = sets;
  if (first !== undefined && sets.length === 1) return first;
  const ranges: number[] = [];
  for (const set of sets) for (const end of set.ranges) ranges.push(end);
  return characterSet(ranges);
}

export function intersection(left: CharacterSet, right: CharacterSet): CharacterSet {
  return complement(union([complement(left), complement(right)]));
}

/** The only member of a set of one. */
export function onlyCharacter(set: CharacterSet): number | undefined {
  const [low, high] = set.ranges;
  return set.ranges.length === 2 && low === high ? low : undefined;
}

/** `\w`, `\d` and `\s`, as Python 3.11 understands them with and without `(?a)`. */
export type Category = 'word' | 'digit' | 'space';

/** Built on first use: most patterns need none of the Unicode ones. */
export function categorySet(category: Category, ascii: boolean): CharacterSet {
  const key = `${category}${ascii ? ' ascii' : ''}`;
  const known = categorySets.get(key);
  if (known !== undefined) return known;
  const made = characterSet(ascii ? ASCII_CATEGORIES[category] : unicodeCategory(category));
  categorySets.set(key, made);
  return made;
}

/** `.` without DOTALL: all but the line feed. */
export const NOT_LINE_FEED: CharacterSet = characterSet([0, 9, 11, MAX_CODE_POINT]);

export const ANY_CHARACTER: CharacterSet = characterSet([0, MAX_CODE_POINT]);

const categorySets = new Map<string, CharacterSet>();

const ASCII_CATEGORIES: Record<Category, readonly number[]> = {
  word: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
  digit: [0x30, 0x39],
  space: [0x09, 0x0d, 0x20, 0x20],
};

/** What `str.isspace` takes: separators and what separates in bidirectional text, such as the information separators. */
const UNICODE_SPACE: readonly number[] = [
  ...[0x09, 0x0d, 0x1c, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000],
];

function unicodeCategory(category: Category): readonly number[] {
  switch (category) {
    case 'space':
      return UNICODE_SPACE;
    case 'word':
      return decodeRanges(WORD_RANGES);
    case 'digit':
      return decodeRanges(DIGIT_RANGES);
  }
}

function decodeRanges(lines: readonly string[]): number[] {
  let at = 0;
  return readNumbers(lines).map((step) => {
    at += step;
    return at;
  });
}

function normalize(ranges: readonly number[]): readonly number[] {
  const merged: number[] = [];
  let last = -1;
  for (const pair of inOrder(ranges)) {
    const low = Math.floor(pair / PACKING);
    const high = pair - low * PACKING;
    if (last > 0 && low <= (merged[last] as number) + 1) {
      if (high > (merged[last] as number)) merged[last] = high;
    } else {
      last = merged.push(low, high) - 1;
    }
  }
  return merged;
}

/** The pairs by their low end, packed: sorting single numbers is by far the fastest. */
function inOrder(ranges: readonly number[]): Float64Array {
  const packed = new Float64Array(ranges.length >> 1);
  for (let index = 0; index < packed.length; index++) {
    packed[index] = (ranges[2 * index] as number) * PACKING + (ranges[2 * index + 1] as number);
  }
  return packed.sort();
}

function withBitmap(ranges: readonly number[]): CharacterSet {
  const latin1 = new Uint8Array(256);
  for (let index = 0; index < ranges.length; index += 2) {
    const low = ranges[index] ?? 0;
    if (low > 255) break;
    latin1.fill(1, low, Math.min(ranges[index + 1] ?? 0, 255) + 1);
  }
  return { ranges, latin1 };
}
