import type { JsonObject } from '../catalog/index.ts';
import { checkOptionNames } from '../check-option-names.ts';

/**
 * Keeps what responses contained and their clients were not shown: whole rounds with searches, descriptions, refused calls
 * next to delivered ones. When a client sends a response back, the loop finds its entry and puts the missing parts where they
 * were, so that the model reads the bytes that it has read before.
 *
 * A store belongs to one owner (a client object, an API key): an id is looked up among what that owner kept, never elsewhere.
 * It may lose entries at any time: the conversation then continues from its messages. It may throw or hang: the loop waits
 * for a limited time and continues without it.
 *
 * An implementation must return an entry exactly as it was stored, object keys in the same order: they become bytes of a request.
 * Store the JSON text, not a parsed form that sorts keys.
 */
export interface TranscriptStore {
  /**
   * Stores one entry under each of these ids. An id that is stored again refers to the new entry.
   *
   * Ids are strings of up to `MAX_TRANSCRIPT_ID_LENGTH` characters. Call ids, item ids and response ids that are random
   * enough to be unique are used as they are. A short id (`call_0`), which a host also uses in other conversations, is followed by
   * `@` and a hash of the short ids in its message and of what the user has said before: not of results and the model's
   * texts, which clients cut. A message without any id has `text@` and such a hash; a response of which the client saw nothing
   * has `after@` and the hash of what was said before.
   */
  keep(ids: readonly string[], hidden: Hidden): Promise<void>;
  /** The entries under these ids; an id without an entry is left out. Called once per request, with up to `MAX_TRANSCRIPT_IDS` ids. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Hidden>>;
  /** Deletes the entries under these ids, completely: they are no longer found by their other ids. Unknown ids are ignored. */
  forget(ids: readonly string[]): Promise<void>;
  /**
   * Replaces an entry that is stored under its `id` only. False if that entry is no longer the stored one: another caller
   * has changed it, and the change has to be repeated on the current entry.
   */
  replace(before: Hidden, after: Hidden): Promise<boolean>;
}

/** What one response contained and its client was not shown. A JSON value; only the wire that wrote `content` reads it. */
export interface Hidden extends JsonObject {
  /** The first of its ids: identifies the entry. */
  readonly id: string;
  /** The wire's dialect. */
  readonly dialect: string;
  /** The version of `content`. A wire ignores entries of another version. */
  readonly version: number;
  /** The ids of the calls in it. An entry is ignored if the client's own messages contain one of these: it is another response's. */
  readonly calls: readonly string[];
  readonly content: JsonObject;
}

/** An id of what is stored about the pieces of a response that has an id, so that both can be deleted. */
export function piecesId(responseId: string): string {
  return `${responseId}@pieces`;
}

/** How many ids of one request are looked up: the latest ones. */
export const MAX_TRANSCRIPT_IDS = 2_000;

/** The longest id; a longer one is stored and looked up by its hash. */
export const MAX_TRANSCRIPT_ID_LENGTH = 256;

/** How a wire takes part in the transcript. */
export interface WireTranscript<Request> {
  /** The version of the content that this wire writes. */
  readonly version: number;
  /** The pieces of the request's messages by which entries are found, oldest first. */
  pieces(request: Request): readonly HistoryPiece[];
  /** The request with the hidden parts restored. Pieces and content are untrusted: anything that does not fit is left out. */
  weave(request: Request, entries: readonly FoundEntry[]): Request;
  /** Ids of responses and items that the request refers to without containing them. Absent if the dialect has no references. */
  references?(request: Request): readonly string[];
  /** The request with references resolved. Those that can't be resolved stay as they are. */
  resolve?(request: Request, found: ReadonlyMap<string, JsonObject>): Request;
  /** The id of the earlier response that has the beginning of this one's history, if it was shortened. */
  baseOf?(content: JsonObject): string | undefined;
  /** What is stored of a whole response: of a long history only the end. @default all of it */
  shorten?(content: JsonObject, continued: ContinuedHistory<Request>): Promise<JsonObject>;
}

/** What a response continues. */
export interface ContinuedHistory<Request> {
  /** The request as its client sent it. */
  readonly asked: Request;
  /** How many pieces of the complete request come from what it refers to. */
  readonly length: number;
  /** What is stored under an id. */
  find(id: string): Promise<JsonObject | undefined>;
}

/**
 * A message or an item of a history. Instructions are `none`: clients put the time of day into them. Results have an empty text: clients
 * cut and reorder them, so they don't identify a conversation.
 */
export type HistoryPiece =
  | ({ readonly by: 'model' } & ShownPiece)
  | { readonly by: 'client'; readonly text: string }
  | { readonly by: 'none' };

/** A part of a response that its client saw, with what identifies it. */
export interface ShownPiece {
  readonly ids: readonly string[];
  readonly text: string;
}

/** An entry, and the indexes of the pieces by which it was found. */
export interface FoundEntry {
  readonly pieces: readonly number[];
  /** Whether the piece is what the client said before a response of which it saw nothing: the entry comes after it. */
  readonly isAfter: boolean;
  readonly content: JsonObject;
}

/** What a writer has to keep of its response. */
export interface HiddenContent {
  /** What the client saw: it sends this back. */
  readonly shown: readonly ShownPiece[];
  /** The response as a whole, for requests that name it: stored under its id alone, and not read when its pieces come back. */
  readonly response?: { readonly id: string; readonly content: JsonObject };
  /** The ids of the calls that the client did not see. */
  readonly calls: readonly string[];
  readonly content: JsonObject;
}

/** Options of `createTranscriptCache`. */
export interface TranscriptCacheOptions {
  /** The memory of all entries of all owners, in bytes. @default 33_554_432 (32 MiB) */
  readonly maxBytes?: number;
  /** Counts each entry in a budget shared with other caches, and drops it when there is no more room. @default only `maxBytes` limits it */
  readonly memory?: SharedMemory;
}

/** A number of bytes that several caches share. */
export interface SharedMemory {
  /**
   * Counts something of an owner until it is dropped. Undefined if there is no room for it at all.
   *
   * @param release drops it; called once, perhaps before this returns
   */
  hold(
    owner: string,
    bytes: number,
    release: () => void,
  ): { touch(): void; resize(bytes: number): void; end(): void } | undefined;
}

/** The default limits of a transcript cache. */
export const TRANSCRIPT_CACHE_DEFAULTS: Required<Omit<TranscriptCacheOptions, 'memory'>> = {
  maxBytes: 32 * 1024 * 1024,
};

/** Transcripts in memory, one store per owner, with one limit for all of them. */
export interface TranscriptCache {
  /** The store of an owner. Owners see nothing of each other. */
  storeFor(owner: string): TranscriptStore;
  /** What is kept now, in bytes. */
  readonly bytes: number;
}

/**
 * A cache of transcripts. Entries are stored as text, whose size is known. When the limit is exceeded, the oldest entries of the owner
 * that has the most are dropped first, so that a busy owner can't displace the others. Lost when the process ends.
 */
export function createTranscriptCache(options: TranscriptCacheOptions = {}): TranscriptCache {
  checkOptionNames('createTranscriptCache', options, 'maxBytes memory');
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
        // Used again: the last to be dropped.
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

/** The size of an entry, and of an id in the map, besides their characters. */
const ENTRY_BYTES = 200;
const ID_BYTES = 100;

function toEntry(ids: readonly string[], hidden: Hidden): Entry {
  const text = JSON.stringify(hidden);
  // Two bytes per character: what the engine uses for text that is not Latin-1.
  const bytes = ENTRY_BYTES + 2 * text.length + ids.reduce((sum, id) => sum + ID_BYTES + 2 * id.length, 0);
  return { ids: [...ids], text, bytes };
}
