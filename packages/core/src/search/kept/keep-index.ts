import { type Snapshot, searchText, type Tool } from '../../catalog/index.ts';
import { sha256 } from '../../catalog/internal.ts';
import { memoized } from '../../memoized.ts';
import { runInSlices, type SliceOptions, stepThrough } from '../../slices.ts';

/** Stores built indexes under a key made from their content, so that no catalog is indexed twice: on disk, in a database, anywhere. */
export interface IndexCache {
  /** The bytes under a key; undefined if there are none or they can't be read. They are checked before use. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Stores bytes under a key, replacing earlier ones. Searches don't wait for it, and continue if it fails. */
  save(key: string, bytes: Uint8Array): Promise<void>;
  /** SHA-256 of a text's UTF-8 bytes in hexadecimal, where the platform has a faster one. @default the built-in one */
  digest?(text: string): string;
}

/** Indexing a smaller catalog takes less time than looking it up. */
const LEAST_KEPT_TOOLS = 200;

/** A part of an index that can be kept: how it is written, and how it is read and checked. */
export interface KeptPart<Built extends object> {
  /** What kind of part it is, and which code and model made it. */
  readonly version: () => string;
  write(key: string, built: Built): Generator<void, Uint8Array>;
  /** Undefined if the data can't be trusted. */
  read(bytes: Uint8Array, key: string): Generator<void, Built | undefined>;
}

/** Where the parts of one catalog are kept. */
export interface IndexKeeper {
  load<Built extends object>(part: KeptPart<Built>): Promise<Built | undefined>;
  /** The same part of other catalogs that searchers have in memory, latest first. */
  others<Built extends object>(part: KeptPart<Built>): readonly Built[];
  /** The marks of this catalog's tools, to look them up in {@link others}. Yields wherever it may be interrupted. */
  markTools(): Generator<void, MarkedTools['marks']>;
  /** Does not wait for it, and does not fail. */
  save<Built extends object>(part: KeptPart<Built>, built: Built): void;
}

/** Undefined if there is no cache, or the catalog is too small for one. */
export function createIndexKeeper(
  { tools, contentKey }: Pick<Snapshot, 'tools' | 'contentKey'>,
  cache: IndexCache | undefined,
  slices: SliceOptions | undefined,
): IndexKeeper | undefined {
  if (cache === undefined || tools.length < LEAST_KEPT_TOOLS) return undefined;
  const digest = cache.digest?.bind(cache);
  const { built, share } = memoryOf(cache);
  let content: Promise<string> | undefined;
  let marked: MarkedTools | undefined;
  function* mark(): Generator<void, MarkedTools> {
    marked ??= yield* markToolsInSteps(tools, digest);
    return marked;
  }
  const keyOf = async (version: () => string): Promise<string> => {
    content ??=
      contentKey === undefined
        ? runInSlices(mark(), slices).then(({ key }) => key)
        : Promise.resolve(`given ${contentKey}`);
    return `${version()}.${await content}`;
  };

  return {
    *markTools() {
      return (yield* mark()).marks;
    },
    others(part) {
      const prefix = `${part.version()}.`;
      const found = [...built].reverse().filter(([key]) => key.startsWith(prefix));
      // Only this kind of part has keys of its version.
      return found.slice(0, MOST_OTHERS).flatMap(([, one]) => (one.deref() as never) ?? []);
    },
    async load(part) {
      const key = await keyOf(part.version);
      const shared = built.get(key)?.deref();
      // Only this kind of part has keys of its version.
      if (shared !== undefined) return shared as never;
      const bytes = await cache.load(key).catch(() => undefined);
      const read = bytes === undefined ? undefined : await runInSlices(part.read(bytes, key), slices);
      if (read !== undefined) share(key, read);
      return read;
    },
    save(part, made) {
      const saveNow = async (): Promise<void> => {
        const key = await keyOf(part.version);
        share(key, made);
        await cache.save(key, await runInSlices(part.write(key, made), slices));
      };
      // It is built again next time.
      saveNow().catch(() => undefined);
    },
  };
}

/** How many catalogs a new one is compared with, to reuse what they have in common. */
const MOST_OTHERS = 8;

interface Memory {
  readonly built: ReadonlyMap<string, WeakRef<object>>;
  share(key: string, made: object): void;
}

/** What searchers with this cache have in memory: the same catalog in another list shares one index. Entries don't keep an index alive. */
const memoryOf = memoized((_: IndexCache): Memory => {
  const built = new Map<string, WeakRef<object>>();
  const gone = new FinalizationRegistry<string>((key) => {
    if (built.get(key)?.deref() === undefined) built.delete(key);
  });
  return {
    built,
    share(key, made) {
      // The latest last.
      built.delete(key);
      built.set(key, new WeakRef(made));
      gone.register(made, key);
    },
  };
});

/** What an index depends on: the texts that each tool can be found by, in order. Nothing else in a definition changes the index. */
interface MarkedTools {
  /** Stands for all of it. */
  readonly key: string;
  /** The marks of a tool are two numbers: 64 bits of a hash of its texts. Tools with the same marks have the same tokens and vectors. */
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** Hashes the texts of each tool, once per tool object, and then these hashes together. */
export function* markToolsInSteps(
  tools: readonly Tool[],
  digest: (text: string) => string = (text) => sha256([text]),
): Generator<void, MarkedTools> {
  const marks = new Uint32Array(2 * tools.length);
  let key = digest(`${tools.length}`);
  yield* stepThrough(tools.length, (start) => {
    const end = Math.min(start + TOOLS_PER_STEP, tools.length);
    for (let at = start; at < end; at += 1) {
      const { hash, first, second } = hashOf(tools[at] as Tool, digest);
      marks[2 * at] = first;
      marks[2 * at + 1] = second;
      key += hash;
    }
    key = digest(key);
    return end;
  });
  return { key, marks };
}

const TOOLS_PER_STEP = 32;

/** Tools are immutable, and when a server lists its tools again, the tool objects of other servers stay the same. */
const hashes = new WeakMap<Tool, ToolHash>();

/** A tool's hash, and the two numbers that it begins with. */
interface ToolHash {
  readonly hash: string;
  readonly first: number;
  readonly second: number;
}

function hashOf(tool: Tool, digest: (text: string) => string): ToolHash {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const hash = digest(renderText(tool));
  const made = {
    hash,
    first: Number.parseInt(hash.slice(0, 8), 16),
    second: Number.parseInt(hash.slice(8, 16), 16),
  };
  hashes.set(tool, made);
  return made;
}

/** Lengths come before texts, so that two different tools never give the same bytes. */
function renderText(tool: Tool): string {
  const { name, server, description, parameterNames, parameterDescriptions, enumValues } = searchText(tool);
  let text = `${name.length},${server.length},${description.length},${parameterNames.length},${parameterDescriptions.length},${enumValues.length};${name}${server}${description}`;
  for (const list of [parameterNames, parameterDescriptions, enumValues]) {
    for (const part of list) text += `${part.length};${part}`;
  }
  return text;
}

/** A part of an index whose tools can be found by their marks, see `MarkedTools`. */
export interface Marked {
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** The number of the tool with these marks in another catalog; -1 where it has none. */
type FindMarked = (first: number, second: number) => number;

/** The part of another catalog to reuse tools from. */
export interface ChosenBase<Base> {
  readonly base: Base;
  readonly find: FindMarked;
}

/** The one that has most of these tools; undefined if none has any. */
export function chooseBase<Base extends Marked>(
  marks: Uint32Array,
  others: readonly Base[],
): ChosenBase<Base> | undefined {
  let best: (ChosenBase<Base> & { readonly known: number }) | undefined;
  const count = marks.length / 2;
  const step = Math.max(1, Math.floor(count / SAMPLE));
  for (const base of others) {
    const find = finderOf(base.marks);
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

/** Open addressing over the first numbers, which are evenly spread. */
const finderOf = memoized((marks: Uint32Array): FindMarked => {
  const count = marks.length / 2;
  const slots = new Uint32Array(1 << (33 - Math.clz32(count)));
  const mask = slots.length - 1;
  for (let id = 0; id < count; id += 1) {
    let slot = (marks[2 * id] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  return (first, second) => {
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const id = (slots[slot] as number) - 1;
      if (id < 0 || (marks[2 * id] === first && marks[2 * id + 1] === second)) return id;
    }
  };
});
