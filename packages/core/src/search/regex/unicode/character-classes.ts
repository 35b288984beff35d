import { type CharacterSet, firstAtLeast, MAX_CODE_POINT } from './character-set.ts';

/**
 * The code points, divided into classes that no set splits: an automaton then needs one column per class instead of one per
 * character.
 */
export interface CharacterClasses {
  readonly count: number;
  /** The class of each of the first 256 code points. */
  readonly latin1: Uint16Array;
  /** The class of any code point. */
  classOf(code: number): number;
  /** Whether a class is in the set with this number. */
  isMember(set: number, characterClass: number): boolean;
}

/** Yields where it may pause: many large sets take a while. */
export function* characterClasses(sets: readonly CharacterSet[]): Generator<void, CharacterClasses> {
  const starts = intervalStarts(sets);
  const classes = new Uint16Array(starts.length);
  let count = 1;
  yield;
  for (const set of sets) {
    count = refine(starts, classes, set);
    yield;
  }
  const latin1 = new Uint16Array(256);
  let interval = 0;
  for (let code = 0; code < 256; code++) {
    if (starts[interval + 1] === code) interval++;
    latin1[code] = classes[interval] ?? 0;
  }
  const members = yield* memberTable({ starts, classes, count, sets });
  let plane: Uint16Array | undefined;
  return {
    count,
    latin1,
    classOf(code) {
      if (code < 256) return latin1[code] ?? 0;
      if (code > 0xffff) return classes[intervalOf(starts, code)] ?? 0;
      plane ??= basicPlane(starts, classes);
      return plane[code] ?? 0;
    },
    isMember: (set, characterClass) => members[set * count + characterClass] === 1,
  };
}

/** Where membership in some set may change, ascending from 0. */
function intervalStarts(sets: readonly CharacterSet[]): readonly number[] {
  const all = new Uint32Array(sets.reduce((sum, { ranges }) => sum + ranges.length, 0));
  let size = 0;
  for (const { ranges } of sets) {
    for (let index = 0; index < ranges.length; index++) all[size++] = (ranges[index] as number) + (index & 1);
  }
  const starts = [0];
  let last = 0;
  for (const start of all.sort()) {
    if (start === last || start > MAX_CODE_POINT) continue;
    starts.push(start);
    last = start;
  }
  return starts;
}

/** Splits every class by membership in one set. Returns how many classes there are now. */
function refine(starts: readonly number[], classes: Uint16Array, set: CharacterSet): number {
  const { ranges } = set;
  // The new name of each old class outside the set, and inside it; 0 while there is none.
  const renamed = new Uint16Array(2 * (starts.length + 1));
  let count = 0;
  let range = 0;
  for (let interval = 0; interval < starts.length; interval++) {
    const start = starts[interval] as number;
    while (range < ranges.length && (ranges[range + 1] as number) < start) range += 2;
    const isInside = range < ranges.length && (ranges[range] as number) <= start;
    const key = (classes[interval] as number) * 2 + (isInside ? 1 : 0);
    if (renamed[key] === 0) renamed[key] = ++count;
    classes[interval] = (renamed[key] as number) - 1;
  }
  return count;
}

interface Division {
  readonly starts: readonly number[];
  readonly classes: Uint16Array;
  readonly count: number;
  readonly sets: readonly CharacterSet[];
}

function* memberTable({ starts, classes, count, sets }: Division): Generator<void, Uint8Array> {
  const table = new Uint8Array(sets.length * count);
  for (const [index, set] of sets.entries()) {
    for (let range = 0; range < set.ranges.length; range += 2) {
      const high = set.ranges[range + 1] ?? 0;
      let interval = intervalOf(starts, set.ranges[range] ?? 0);
      for (; interval < starts.length && (starts[interval] ?? 0) <= high; interval++) {
        table[index * count + (classes[interval] ?? 0)] = 1;
      }
    }
    yield;
  }
  return table;
}

function basicPlane(starts: readonly number[], classes: Uint16Array): Uint16Array {
  const plane = new Uint16Array(0x10000);
  for (let interval = 0; interval < starts.length; interval++) {
    const start = starts[interval] ?? 0;
    if (start > 0xffff) break;
    plane.fill(classes[interval] ?? 0, start, Math.min(starts[interval + 1] ?? 0x10000, 0x10000));
  }
  return plane;
}

function intervalOf(starts: readonly number[], code: number): number {
  return firstAtLeast(starts, code + 1) - 1;
}
