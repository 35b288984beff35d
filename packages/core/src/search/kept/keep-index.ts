import type { Snapshot } from '../../catalog/index.ts';
import { runInSlices, type SliceOptions } from '../slices/index.ts';
import { type MarkedTools, markToolsInSteps } from './marked-tools.ts';

/** Keeps built indexes by their content, so that the same catalog is not indexed twice: on disk, in a database, anywhere. */
export interface IndexCache {
  /** The bytes under a key; undefined if there are none or they can't be read. They are checked before use. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Stores bytes under a key, replacing earlier ones. Searches don't wait for it, and continue if it fails. */
  save(key: string, bytes: Uint8Array): Promise<void>;
  /** SHA-256 of a text's UTF-8 bytes in hexadecimal, where the platform has a faster one. @default the built-in one */
  digest?(text: string): string;
}

/** Smaller catalogs are indexed in less time than it takes to look them up. */
export const LEAST_KEPT_TOOLS = 200;

/** A part of an index that can be kept: how it is written, and how it is read and checked. */
export interface KeptPart<Built extends object> {
  /** What it is, and which code and model made it. */
  readonly version: () => string;
  write(key: string, built: Built): Generator<void, Uint8Array>;
  /** Undefined for what can't be trusted. */
  read(bytes: Uint8Array, key: string): Generator<void, Built | undefined>;
}

/** Where the parts of one catalog are kept. */
export interface IndexKeeper {
  load<Built extends object>(part: KeptPart<Built>): Promise<Built | undefined>;
  /** The same part of other catalogs, as far as searchers have them now; the latest first. */
  others<Built extends object>(part: KeptPart<Built>): readonly Built[];
  /** What each tool of this catalog is known by in {@link others}. Yields wherever it may be interrupted. */
  markTools(): Generator<void, MarkedTools['marks']>;
  /** Does not wait for it, and does not fail. */
  save<Built extends object>(part: KeptPart<Built>, built: Built): void;
}

/** Undefined where there is no cache, or the catalog is too small for one. */
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

/** Catalogs that a new one is compared with, to take over what they have in common. */
const MOST_OTHERS = 8;

interface Memory {
  readonly built: ReadonlyMap<string, WeakRef<object>>;
  share(key: string, made: object): void;
}

const memories = new WeakMap<IndexCache, Memory>();

/** What searchers with this cache have now: the same catalog in another list needs no second index, and none is held for it. */
function memoryOf(cache: IndexCache): Memory {
  const known = memories.get(cache) ?? createMemory();
  memories.set(cache, known);
  return known;
}

function createMemory(): Memory {
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
}
