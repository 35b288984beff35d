import { searchText, type Tool } from '../../catalog/index.ts';
import { sha256 } from '../../catalog/internal.ts';
import { stepThrough } from '../slices/index.ts';

/** What an index of some tools depends on: what each can be found by, in order. Nothing else in a definition changes the index. */
export interface MarkedTools {
  /** Stands for all of it. */
  readonly key: string;
  /** Two numbers for each tool: 64 bits of a hash. Tools with the same marks have the same tokens and vectors. */
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** Hashes the text of each tool, once for each tool object, and those hashes in turn. */
export function* markToolsInSteps(
  tools: readonly Tool[],
  digest: (text: string) => string = (text) => sha256([text]),
): Generator<void, MarkedTools> {
  const marks = new Uint32Array(2 * tools.length);
  let key = digest(`${tools.length}`);
  yield* stepThrough(tools.length, (first) => {
    const end = Math.min(first + TOOLS_PER_STEP, tools.length);
    for (let at = first; at < end; at += 1) {
      const hash = hashOf(tools[at] as Tool, digest);
      marks[2 * at] = Number.parseInt(hash.slice(0, 8), 16);
      marks[2 * at + 1] = Number.parseInt(hash.slice(8, 16), 16);
      key += hash;
    }
    key = digest(key);
    return end;
  });
  return { key, marks };
}

const TOOLS_PER_STEP = 32;

/** Tools are not changed once they are made, and a server that lists its tools again leaves those of the others as they are. */
const hashes = new WeakMap<Tool, string>();

function hashOf(tool: Tool, digest: (text: string) => string): string {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const hash = digest(renderText(tool));
  hashes.set(tool, hash);
  return hash;
}

/** Lengths before texts, so that two different tools never give the same. */
function renderText(tool: Tool): string {
  const { name, server, description, parameterNames, parameterDescriptions, enumValues } = searchText(tool);
  let text = `${name.length},${server.length},${description.length},${parameterNames.length},${parameterDescriptions.length},${enumValues.length};${name}${server}${description}`;
  for (const list of [parameterNames, parameterDescriptions, enumValues]) {
    for (const part of list) text += `${part.length};${part}`;
  }
  return text;
}

/** A part of an index in which tools are known by their marks, see `MarkedTools`. */
export interface Marked {
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** The number of the tool with these marks in another catalog; -1 where it has none. */
export type FindMarked = (first: number, second: number) => number;

/** The part of another catalog to take tools over from. */
export interface ChosenBase<Base> {
  readonly base: Base;
  readonly find: FindMarked;
}

/** The one that has most of these tools; undefined where none has any. */
export function chooseBase<Base extends Marked>(
  marks: Uint32Array,
  others: readonly Base[],
): ChosenBase<Base> | undefined {
  let best: (ChosenBase<Base> & { readonly known: number }) | undefined;
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

/** How many tools decide which catalog has most of them. */
const SAMPLE = 64;

const finders = new WeakMap<Uint32Array, FindMarked>();

/** Open addressing over the first numbers, which are evenly spread. */
function finderOf({ marks }: Marked): FindMarked {
  const known = finders.get(marks);
  if (known !== undefined) return known;
  const count = marks.length / 2;
  const slots = new Uint32Array(1 << (33 - Math.clz32(count)));
  const mask = slots.length - 1;
  for (let id = 0; id < count; id += 1) {
    let slot = (marks[2 * id] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  const find: FindMarked = (first, second) => {
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const id = (slots[slot] as number) - 1;
      if (id < 0 || (marks[2 * id] === first && marks[2 * id + 1] === second)) return id;
    }
  };
  finders.set(marks, find);
  return find;
}
