import { checkOptionNames, type OptionNames } from '../check-option-names.ts';
import type { Hidden, TranscriptStore } from './transcript.ts';

/** Options of `createTranscriptCache`. */
export interface TranscriptCacheOptions {
  /** How much memory all entries of all owners may take, in bytes. @default 33_554_432 (32 MiB) */
  readonly maxBytes?: number;
  /** Counts each entry in a budget that other caches share, and forgets it when that has no more room. @default `maxBytes` alone bounds it */
  readonly memory?: SharedMemory;
}

/** A number of bytes that several caches share. */
export interface SharedMemory {
  /**
   * Counts something of an owner until it ends. Undefined if there is no room for it at all.
   *
   * @param release forgets it; called once, perhaps before this returns
   */
  hold(
    owner: string,
    bytes: number,
    release: () => void,
  ): { touch(): void; resize(bytes: number): void; end(): void } | undefined;
}

/** How much a transcript cache keeps, unless the options say otherwise. */
export const TRANSCRIPT_CACHE_DEFAULTS: Required<Omit<TranscriptCacheOptions, 'memory'>> = {
  maxBytes: 32 * 1024 * 1024,
};

const OPTIONS: OptionNames<TranscriptCacheOptions> = { maxBytes: true, memory: true };

/** Transcripts in memory, one store for each owner, with one bound on all of them. */
export interface TranscriptCache {
  /** The store of an owner. Owners see nothing of each other. */
  storeFor(owner: string): TranscriptStore;
  /** What is kept now, in bytes. */
  readonly bytes: number;
}

/**
 * A cache of transcripts. Entries are kept as text, whose size is known. When the bound is met, the oldest entries of the owner
 * that has the most go first, so that a busy owner can't push out the others. Lost when the process ends.
 */
export function createTranscriptCache(options: TranscriptCacheOptions = {}): TranscriptCache {
  checkOptionNames('createTranscriptCache', options, OPTIONS);
  const { maxBytes, memory } = { ...TRANSCRIPT_CACHE_DEFAULTS, ...options };
  const owners = new Map<string, Owned>();
  let total = 0;

  const remove = (name: string, owned: Owned, entry: Entry): void => {
    if (!owned.entries.delete(entry)) return;
    for (const id of entry.ids) if (owned.byId.get(id) === entry) owned.byId.delete(id);
    entry.holding?.end();
    owned.bytes -= entry.bytes;
    total -= entry.bytes;
    if (owned.entries.size === 0) owners.delete(name);
  };
  const makeRoom = (): void => {
    while (total > maxBytes) {
      const [name, owned] = [...owners].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most));
      const [oldest] = owned.entries;
      if (oldest === undefined) return;
      remove(name, owned, oldest);
    }
  };

  const put = (name: string, entry: Entry): void => {
    if (entry.bytes > maxBytes) return;
    const owned = owners.get(name) ?? { byId: new Map(), entries: new Set(), bytes: 0 };
    owners.set(name, owned);
    for (const id of entry.ids) {
      const before = owned.byId.get(id);
      owned.byId.set(id, entry);
      if (before?.ids.every((known: string) => owned.byId.get(known) !== before) === true) remove(name, owned, before);
    }
    owners.set(name, owned);
    owned.entries.add(entry);
    owned.bytes += entry.bytes;
    total += entry.bytes;
    makeRoom();
    if (memory === undefined) return;
    const holding = memory.hold(name, entry.bytes, () => remove(name, owned, entry));
    if (holding === undefined) remove(name, owned, entry);
    else if (owned.entries.has(entry)) entry.holding = holding;
    else holding.end();
  };

  return {
    get bytes() {
      return total;
    },
    storeFor: (name) => ({
      async keep(ids, hidden) {
        put(name, toEntry(ids, hidden));
      },
      async replace(before, after) {
        const entry = owners.get(name)?.byId.get(before.id);
        if (entry === undefined || entry.text !== JSON.stringify(before)) return false;
        put(name, toEntry([before.id], after));
        return true;
      },
      async find(ids) {
        const owned = owners.get(name);
        const found = new Map<string, Hidden>();
        if (owned === undefined) return found;
        const read = new Map<Entry, Hidden>();
        for (const id of ids) {
          const entry = owned.byId.get(id);
          if (entry === undefined) continue;
          const hidden = read.get(entry) ?? (JSON.parse(entry.text) as Hidden);
          read.set(entry, hidden);
          found.set(id, hidden);
        }
        // Used again: the last to go.
        for (const entry of read.keys()) {
          owned.entries.delete(entry);
          owned.entries.add(entry);
          entry.holding?.touch();
        }
        return found;
      },
      async forget(ids) {
        const owned = owners.get(name);
        if (owned === undefined) return;
        for (const entry of new Set(ids.flatMap((id) => owned.byId.get(id) ?? []))) remove(name, owned, entry);
      },
    }),
  };
}

interface Entry {
  readonly ids: readonly string[];
  readonly text: string;
  readonly bytes: number;
  holding?: ReturnType<SharedMemory['hold']>;
}

interface Owned {
  readonly byId: Map<string, Entry>;
  /** Least recently used first. */
  readonly entries: Set<Entry>;
  bytes: number;
}

/** What an entry and an id in the map take besides their characters. */
const ENTRY_BYTES = 200;
const ID_BYTES = 100;

function toEntry(ids: readonly string[], hidden: Hidden): Entry {
  const text = JSON.stringify(hidden);
  // Two bytes a character: what the engine takes for text that is not Latin-1.
  const bytes = ENTRY_BYTES + 2 * text.length + ids.reduce((sum, id) => sum + ID_BYTES + 2 * id.length, 0);
  return { ids: [...ids], text, bytes };
}
