import type { VectorIndex } from './vector-index.ts';

/** An index whose vectors are known by what their tools can be found by. */
export interface MarkedVectors extends VectorIndex {
  /** Two numbers for each vector: 64 bits of the hash of the text that it was made of. */
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** Where the vector of a text is in another index; -1 where it has none. */
export type FindVector = (first: number, second: number) => number;

/** The index that has most of these texts, if it has enough of them to be worth it. */
export function chooseBase(
  marks: Uint32Array,
  others: readonly MarkedVectors[],
): { readonly base: MarkedVectors; readonly find: FindVector } | undefined {
  let best: { readonly base: MarkedVectors; readonly find: FindVector; readonly known: number } | undefined;
  const count = marks.length / 2;
  const step = Math.max(1, Math.floor(count / SAMPLE));
  for (const base of others) {
    const find = finderOf(base);
    let known = 0;
    for (let at = 0; at < count; at += step) {
      if (find(marks[2 * at] as number, marks[2 * at + 1] as number) >= 0) known += 1;
    }
    if (known > (best?.known ?? 0)) best = { base, find, known };
  }
  return best;
}

/** How many texts decide which index has most of them. */
const SAMPLE = 64;

const finders = new WeakMap<MarkedVectors, FindVector>();

/** Open addressing over the first numbers, which are evenly spread. */
function finderOf(index: MarkedVectors): FindVector {
  const known = finders.get(index);
  if (known !== undefined) return known;
  const { marks, count } = index;
  const slots = new Uint32Array(1 << (33 - Math.clz32(count)));
  const mask = slots.length - 1;
  for (let id = 0; id < count; id += 1) {
    let slot = (marks[2 * id] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  const find: FindVector = (first, second) => {
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const id = (slots[slot] as number) - 1;
      if (id < 0 || (marks[2 * id] === first && marks[2 * id + 1] === second)) return id;
    }
  };
  finders.set(index, find);
  return find;
}

/** Copies a vector with all that belongs to it. */
export function copyVector(from: VectorIndex, id: number, to: VectorIndex, at: number): void {
  const { dimensions } = to;
  const words = Math.ceil(dimensions / 32);
  to.components.set(from.components.subarray(id * dimensions, (id + 1) * dimensions), at * dimensions);
  to.signs.set(from.signs.subarray(id * words, (id + 1) * words), at * words);
  to.scales[at] = from.scales[id] as number;
}
