import type { JsonObject } from '../catalog/index.ts';

/**
 * Keeps what responses contained and their clients were not shown: whole rounds with searches, descriptions, refused calls
 * next to delivered ones. When a client sends a response back, the loop finds its entry and puts the missing parts where they
 * were, so that the model reads the bytes that it has read before.
 *
 * A store belongs to one owner (a client object, an API key): an id is looked up among what that owner kept, never elsewhere.
 * It may lose entries at any time: the conversation then continues from its messages. It may throw or hang: the loop waits
 * for a limited time and continues without it.
 *
 * An implementation must give an entry back as it was kept, object keys in the same order: they become bytes of a request.
 * Store the JSON text, not a parsed form that sorts keys.
 */
export interface TranscriptStore {
  /**
   * Keeps one entry under each of these ids. An id that is stored again refers to the new entry.
   *
   * Ids are strings of up to `MAX_TRANSCRIPT_ID_LENGTH` characters. Call ids, item ids and response ids that can't be the
   * same by chance stand as they are. A short id (`call_0`), which a host gives to other conversations too, is followed by
   * `@` and a hash of the ids in its message and of what the user has said before: not of results and the model's texts,
   * which clients cut. A message without any id has `text@` and such a hash; a response of which the client was shown nothing
   * has `after@` and the hash of what was said before.
   */
  keep(ids: readonly string[], hidden: Hidden): Promise<void>;
  /** The entries that are kept under these ids; an id without an entry is left out. Called once a request, with up to `MAX_TRANSCRIPT_IDS` ids. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Hidden>>;
  /** Deletes the entries that are kept under these ids, whole: they are found by their other ids no more. An unknown id is passed over. */
  forget(ids: readonly string[]): Promise<void>;
  /**
   * Puts an entry in the place of another, which is kept under its `id` alone. False when that one is not what is kept any more: another
   * has changed it, and the change has to be made again on what is there now.
   */
  replace(before: Hidden, after: Hidden): Promise<boolean>;
}

/** What one response contained and its client was not shown. A JSON value; only the wire that wrote `content` reads it. */
export interface Hidden extends JsonObject {
  /** The first of the ids that it is kept under: identifies the entry. */
  readonly id: string;
  /** The wire's dialect. */
  readonly dialect: string;
  /** Of the shape of `content`. A wire ignores entries of another version. */
  readonly version: number;
  /** The ids of the calls in it. An entry is passed over when the client's own messages have one of these: it is another response's. */
  readonly calls: readonly string[];
  readonly content: JsonObject;
}

/** The most ids of one request that are looked up: the latest. */
export const MAX_TRANSCRIPT_IDS = 2_000;

/** The longest id; a longer one is kept and looked up by its hash. */
export const MAX_TRANSCRIPT_ID_LENGTH = 256;

/** How a wire takes part in the transcript. */
export interface WireTranscript<Request> {
  /** Of the content that this wire writes. */
  readonly version: number;
  /** What the request's messages consist of, oldest first, as far as entries are found by it. */
  pieces(request: Request): readonly HistoryPiece[];
  /** The request with what was hidden put back. Pieces and content are untrusted: anything that does not fit is left out. */
  weave(request: Request, entries: readonly FoundEntry[]): Request;
  /** Ids of responses and items that the request refers to without having them. Absent where a dialect has no such references. */
  references?(request: Request): readonly string[];
  /** The request with the references replaced by what they refer to. What can't be resolved stays as it is. */
  resolve?(request: Request, found: ReadonlyMap<string, JsonObject>): Request;
}

/**
 * A message or an item of a history. Instructions are `none`: clients put the time of day into them. Results have an empty text: clients
 * cut and reorder them, and they don't tell one conversation from another.
 */
export type HistoryPiece =
  | ({ readonly by: 'model' } & ShownPiece)
  | { readonly by: 'client'; readonly text: string }
  | { readonly by: 'none' };

/** A part of a response that its client was shown, with what it can be recognised by. */
export interface ShownPiece {
  readonly ids: readonly string[];
  readonly text: string;
}

/** An entry, and the numbers of the pieces by which it was found. */
export interface FoundEntry {
  readonly pieces: readonly number[];
  /** Whether the piece is what the client said before a response of which it was shown nothing: the entry comes after it. */
  readonly isAfter: boolean;
  readonly content: JsonObject;
}

/** What a writer has to keep of its response. */
export interface HiddenContent {
  /** What the client was shown: it sends this back. */
  readonly shown: readonly ShownPiece[];
  /** What the whole response is called by. Left out where another conversation may have the same. */
  readonly responseId?: string;
  /** The ids of the calls that it was not shown. */
  readonly calls: readonly string[];
  readonly content: JsonObject;
}
