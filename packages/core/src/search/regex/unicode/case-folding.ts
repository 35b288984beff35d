import { addToList } from '../../../add-to-list.ts';
import { once } from '../../../memoized.ts';
import { type CharacterSet, characterSet, firstAtLeast } from './character-set.ts';
import { LOWER_RUNS, readNumbers, SHARED_UPPER_CASE, UPPER_RUNS } from './unicode-tables.ts';

/** How IGNORECASE compares: not at all, in ASCII letters only (`(?a)`), or in all of Unicode. */
export type Folding = 'none' | 'ascii' | 'unicode';

/** The lower case by which Python compares: always one code point. */
export function lowerCase(code: number, folding: Folding): number {
  if (folding === 'none') return code;
  if (code < 128 || folding === 'ascii') return code >= 0x41 && code <= 0x5a ? code + 32 : code;
  return tables().lower.get(code) ?? code;
}

/** Whether case makes a difference to a character. */
export function isCased(code: number, folding: Folding): boolean {
  if (folding === 'none') return false;
  if (folding === 'ascii') return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  const { lower, upper } = tables();
  return lower.has(code) || upper.has(code);
}

/** Whether any character of a range is cased. */
export function hasCased(low: number, high: number, folding: Folding): boolean {
  if (high - low < 64) {
    for (let code = low; code <= high; code++) if (isCased(code, folding)) return true;
    return false;
  }
  if (folding === 'none') return false;
  if (folding === 'ascii') return low <= 0x7a && high >= 0x41;
  return tables().cased.some((code) => code >= low && code <= high);
}

/** Every range that `[low-high]` covers once its members are in lower case, with those that share their upper case. */
export function lowerRanges(low: number, high: number, folding: Folding): number[] {
  if (folding === 'none') return [low, high];
  const changed = folding === 'ascii' ? ASCII_UPPER : tables().changed;
  const ranges: number[] = [];
  let next = low;
  for (let index = firstAtLeast(changed, low); index < changed.length; index++) {
    const code = changed[index] as number;
    if (code > high) break;
    if (code > next) ranges.push(next, code - 1);
    next = code + 1;
    const lower = lowerCase(code, folding);
    ranges.push(lower, lower);
  }
  if (next <= high) ranges.push(next, high);
  if (folding === 'unicode') addSharedUpperCase(low, high, ranges);
  return ranges;
}

/** The characters whose lower case is in the set. */
export function charactersLoweringInto(set: CharacterSet, folding: Folding): CharacterSet {
  if (folding === 'none') return set;
  if (folding === 'unicode' && isSmall(set)) return characterSet(smallPreimage(set));
  const ranges: number[] = [];
  const changed = folding === 'ascii' ? ASCII_UPPER : tables().changed;
  let index = 0;
  for (let at = 0; at < set.ranges.length; at += 2) {
    let low = set.ranges[at] ?? 0;
    const high = set.ranges[at + 1] ?? 0;
    while (index < changed.length && (changed[index] ?? 0) < low) index++;
    for (; index < changed.length && (changed[index] ?? 0) <= high; index++) {
      const code = changed[index] ?? 0;
      if (code > low) ranges.push(low, code - 1);
      low = code + 1;
    }
    if (low <= high) ranges.push(low, high);
  }
  addCapitals(set, folding === 'ascii' ? ASCII_CAPITALS : tables().byLower, ranges);
  return characterSet(ranges);
}

/** Adds the capitals whose lower case is in the set: both are in order, so one pass over each is enough. */
function addCapitals({ ranges: members }: CharacterSet, capitals: readonly Capital[], ranges: number[]): void {
  let at = 0;
  for (const { code, lower } of capitals) {
    while (at < members.length && (members[at + 1] as number) < lower) at += 2;
    if (at >= members.length) return;
    if ((members[at] as number) <= lower) ranges.push(code, code);
  }
}

/** Up to this many members are looked up one by one. */
function isSmall({ ranges }: CharacterSet): boolean {
  return ranges.length <= 16 && memberCount(ranges) <= 64;
}

function memberCount(ranges: readonly number[]): number {
  return ranges.reduce((sum, each, index) => sum + (index % 2 === 0 ? 1 - each : each), 0);
}

function smallPreimage({ ranges }: CharacterSet): number[] {
  const { lower, capitals } = tables();
  const found: number[] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    for (let code = ranges[index] ?? 0; code <= (ranges[index + 1] ?? -1); code++) {
      if (!lower.has(code)) found.push(code, code);
      for (const capital of capitals.get(code) ?? []) found.push(capital, capital);
    }
  }
  return found;
}

/** The lower-case characters whose upper case is in a range. */
export function charactersRaisingInto(low: number, high: number): number[] {
  const ranges: number[] = [];
  for (const [code, upper] of tables().upper) if (upper >= low && upper <= high) ranges.push(code, code);
  return ranges;
}

/** A character and its lower case, which is another one. */
interface Capital {
  readonly code: number;
  readonly lower: number;
}

const ASCII_UPPER: readonly number[] = Array.from({ length: 26 }, (_, index) => 0x41 + index);
const ASCII_CAPITALS: readonly Capital[] = ASCII_UPPER.map((code) => ({ code, lower: code + 32 }));

interface CaseTables {
  readonly lower: ReadonlyMap<number, number>;
  readonly upper: ReadonlyMap<number, number>;
  /** The characters that lower-casing changes, ascending. */
  readonly changed: readonly number[];
  /** The same, by ascending lower case. */
  readonly byLower: readonly Capital[];
  /** From a lower-case character to those that have it as their lower case. */
  readonly capitals: ReadonlyMap<number, readonly number[]>;
  readonly cased: readonly number[];
  readonly shared: ReadonlyMap<number, readonly number[]>;
}

const tables = once((): CaseTables => {
  const lower = decodeRuns(LOWER_RUNS);
  const upper = decodeRuns(UPPER_RUNS);
  const shared = new Map<number, readonly number[]>();
  for (const group of SHARED_UPPER_CASE.join(' ').split(' ')) {
    const codes = Array.from(group, (character) => character.codePointAt(0) ?? 0);
    for (const code of codes) shared.set(code, codes);
  }
  const capitals = new Map<number, number[]>();
  for (const [code, target] of lower) addToList(capitals, target, code);
  const changed = [...lower.keys()];
  const byLower = Array.from(lower, ([code, target]) => ({ code, lower: target })).sort((a, b) => a.lower - b.lower);
  return { lower, upper, changed, byLower, capitals, cased: [...changed, ...upper.keys()], shared };
});

function decodeRuns(lines: readonly string[]): Map<number, number> {
  const numbers = readNumbers(lines);
  const map = new Map<number, number>();
  let start = 0;
  for (let index = 0; index < numbers.length; index += 4) {
    const [gap = 0, count = 0, stride = 0, added = 0] = numbers.slice(index, index + 4);
    start += gap;
    for (let code = start; code < start + count * stride; code += stride) map.set(code, code + added);
  }
  return map;
}

/** Adds the characters that share their upper case with a lower case of `[low-high]`. */
function addSharedUpperCase(low: number, high: number, ranges: number[]): void {
  const { shared, lower, capitals } = tables();
  const isInside = (code: number): boolean => code >= low && code <= high;
  for (const [code, group] of shared) {
    const isLowered = (isInside(code) && !lower.has(code)) || capitals.get(code)?.some(isInside) === true;
    if (isLowered) for (const member of group) ranges.push(member, member);
  }
}
