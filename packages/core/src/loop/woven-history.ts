import { addToList } from '../add-to-list.ts';
import { isJsonObject, type JsonObject } from '../catalog/index.ts';
import { sha256 } from '../catalog/internal.ts';
import { SYSTEM_CLOCK, withTimeout } from '../clock.ts';
import {
  type FoundEntry,
  type Hidden,
  type HiddenContent,
  type HistoryPiece,
  MAX_TRANSCRIPT_ID_LENGTH,
  MAX_TRANSCRIPT_IDS,
  piecesId,
  type ShownPiece,
  type TranscriptStore,
} from './transcript.ts';
import type { Wire } from './wire.ts';

/** What `weaveHistory` needs. */
export interface HistoryOptions<Request, Part> {
  readonly wire: Wire<Request, Part>;
  /** The client's request, in the wire's dialect. */
  readonly request: Request;
  /** The request as its client sent it, if references in it were resolved: the response repeats it. @default `request` */
  readonly asked?: Request | undefined;
  /**
   * Keeps what the client is not shown from one response to the next. It must belong to this client only.
   * @default nothing is kept: the next request shows the model only what is in the client's messages
   */
  readonly transcript?: TranscriptStore | undefined;
  /** How long the transcript may take before the loop continues without it, in milliseconds. @default 1_000 */
  readonly transcriptWaitMs?: number | undefined;
  /** Called when the transcript fails or takes too long. The request is served anyway. */
  readonly onTranscriptError?: ((error: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TRANSCRIPT_WAIT_MS = 1_000;

/** A client's request with the hidden parts of earlier responses. */
export interface WovenHistory<Request> {
  readonly request: Request;
  /** The ids in the client's own messages: restoring may have replaced some. */
  readonly ids: readonly string[];
  /** Stores the hidden parts of this response; resolves once the store has them or time is up. */
  keep(hidden: HiddenContent): Promise<void>;
}

/** Finds what was stored about the responses in a request, and restores it. Never fails because of the store. */
export async function weaveHistory<Request, Part>(
  options: HistoryOptions<Request, Part>,
): Promise<WovenHistory<Request>> {
  const { wire, request, transcript: store } = options;
  const { transcript } = wire;
  if (store === undefined || transcript === undefined) return { request, ids: [], keep: async () => undefined };
  const { asked = request } = options;
  const pieces = transcript.pieces(request);
  const length = asked === request ? 0 : pieces.length - transcript.pieces(asked).length;
  const find = async (id: string): Promise<JsonObject | undefined> =>
    (await findContents(options, [id], store)).get(id);
  return {
    request: await weave(options, { pieces, length, store, transcript }),
    ids: pieces.flatMap((piece) => (piece.by === 'model' ? piece.ids : [])),
    async keep({ shown, response, calls, content }) {
      const whole = response !== undefined && isUniqueId(response.id) ? response : undefined;
      const ids = [...idsOfResponse(pieces, shown), ...(whole === undefined ? [] : [piecesId(whole.id)])];
      const made = { dialect: wire.dialect, version: transcript.version };
      const [id] = ids;
      if (id !== undefined) await bounded(options, () => store.keep(ids, { id, ...made, calls, content }));
      if (whole === undefined) return;
      await bounded(options, async () => {
        const { content: all } = whole;
        const stored = (await transcript.shorten?.(all, { asked, length, find })) ?? all;
        await store.keep([whole.id], { id: whole.id, ...made, calls: [], content: stored });
      });
    },
  };
}

/**
 * The request with the responses and items that it refers to, as far as the transcript has them: for a host that never saw them. To be
 * done before the request is planned. Never fails because of the store.
 */
export async function resolveReferences<Request, Part>(options: HistoryOptions<Request, Part>): Promise<Request> {
  const { wire, request, transcript: store } = options;
  const { transcript } = wire;
  // Other conversations may have a short id too, and nothing here distinguishes them.
  const ids = (transcript?.references?.(request) ?? []).filter(isUniqueId).slice(-MAX_TRANSCRIPT_IDS);
  if (store === undefined || transcript?.resolve === undefined || ids.length === 0) return request;
  const contents = new Map(await findContents(options, ids, store));
  const bases = new Set([...contents.values()].flatMap((content) => transcript.baseOf?.(content) ?? []));
  // A set is read on while it grows: each base may have one, too.
  for (const base of bases) {
    if (bases.size > MOST_BASES) break;
    const content = contents.get(base) ?? (await findContents(options, [base], store)).get(base);
    if (content === undefined) continue;
    contents.set(base, content);
    const next = transcript.baseOf?.(content);
    if (next !== undefined) bases.add(next);
  }
  return contents.size === 0 ? request : transcript.resolve(request, contents);
}

/** How many earlier responses are read for the histories that a request refers to. */
const MOST_BASES = 64;

/** What this wire has stored under these ids. */
async function findContents<Request, Part>(
  options: HistoryOptions<Request, Part>,
  ids: readonly string[],
  store: TranscriptStore,
): Promise<ReadonlyMap<string, JsonObject>> {
  const { wire } = options;
  const found = await bounded(options, () => store.find(ids));
  return new Map(
    [...(found ?? [])].flatMap(([id, { dialect, version, content }]) =>
      dialect === wire.dialect && version === wire.transcript?.version ? [[id, content] as const] : [],
    ),
  );
}

async function weave<Request, Part>(
  options: HistoryOptions<Request, Part>,
  history: {
    readonly pieces: readonly HistoryPiece[];
    /** How many of them come from a history that the request refers to. */
    readonly length: number;
    readonly store: TranscriptStore;
    readonly transcript: NonNullable<Wire<Request, Part>['transcript']>;
  },
): Promise<Request> {
  const { wire, request } = options;
  const { pieces, length, store, transcript } = history;
  // A referenced history is already complete: by a short id, another conversation's entry could be found for it.
  const idsByPiece = idsOfPieces(pieces).map((ids, number) => (number < length ? [] : ids));
  const ids = [...new Set(idsByPiece.flat())].slice(-MAX_TRANSCRIPT_IDS);
  if (ids.length === 0) return request;
  const found = await bounded(options, () => store.find(ids));
  if (found === undefined || found.size === 0) return request;
  try {
    const entries = readEntries(found, idsByPiece, { pieces, dialect: wire.dialect, version: transcript.version });
    return entries.length === 0 ? request : transcript.weave(request, entries);
  } catch (error) {
    options.onTranscriptError?.(error);
    return request;
  }
}

/** The entries that belong to this wire and to these responses, each once. */
function readEntries(
  found: ReadonlyMap<string, Hidden>,
  idsByPiece: readonly (readonly string[])[],
  history: { readonly pieces: readonly HistoryPiece[]; readonly dialect: string; readonly version: number },
): readonly FoundEntry[] {
  const known = new Set(history.pieces.flatMap((piece) => (piece.by === 'model' ? piece.ids : [])));
  const entries = new Map<string, FoundEntry & { readonly pieces: number[] }>();
  for (const [number, ids] of idsByPiece.entries()) {
    const id = ids.find((one) => found.has(one));
    const hidden = id === undefined ? undefined : found.get(id);
    if (hidden?.dialect !== history.dialect || hidden.version !== history.version) continue;
    if (hidden.calls.some((id) => known.has(id))) continue;
    const isAfter = id?.startsWith(AFTER) === true;
    const entry = entries.get(hidden.id) ?? { pieces: [], isAfter, content: hidden.content };
    entry.pieces.push(number);
    entries.set(hidden.id, entry);
  }
  return [...entries.values()];
}

/** Undefined for work that fails or takes too long. A caller that stops waiting gets the signal's reason. */
async function bounded<Value>(
  options: Pick<HistoryOptions<unknown, unknown>, 'transcriptWaitMs' | 'onTranscriptError' | 'signal'>,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const { transcriptWaitMs: timeoutMs = TRANSCRIPT_WAIT_MS, onTranscriptError, signal } = options;
  const late = (): Promise<never> =>
    Promise.reject(new Error(`The transcript store did not answer within ${timeoutMs} ms`));
  try {
    // Through a promise, so that a store that throws at once also rejects.
    const working = Promise.resolve().then(work);
    return await withTimeout(working, { timeoutMs, after: SYSTEM_CLOCK.after, signal }, late);
  } catch (error) {
    signal?.throwIfAborted();
    onTranscriptError?.(error);
    return undefined;
  }
}

/** How much of a text is hashed, from each end. */
const HASHED_CHARACTERS = 1_024;

/** The ids under which each piece of a history may have been stored, by its index. A client's piece has none. */
export function idsOfPieces(pieces: readonly HistoryPiece[]): readonly (readonly string[])[] {
  const said = saidSoFar();
  return pieces.map((piece, number) => {
    if (piece.by === 'model') return piece.ids.length > 0 ? idsFor(piece, said) : [idForText(piece.text, said)];
    if (piece.by === 'none') return [];
    said.add(piece.text);
    return isLeftAlone(pieces, number) ? [`${AFTER}${said.hash()}`] : [];
  });
}

/** The ids under which to store a response: its client may send back any of its pieces, with or without ids. */
export function idsOfResponse(history: readonly HistoryPiece[], shown: readonly ShownPiece[]): readonly string[] {
  const said = saidSoFar();
  for (const piece of history) if (piece.by === 'client') said.add(piece.text);
  const ids = shown.flatMap((piece) => [
    ...idsFor(piece, said),
    ...(piece.text === '' && piece.ids.length > 0 ? [] : [idForText(piece.text, said)]),
  ]);
  const isNothing = shown.every(({ ids: known, text }) => known.length === 0 && text === '');
  return [...new Set(isNothing ? [...ids, `${AFTER}${said.hash()}`] : ids)];
}

/** The prefix of the id of a response of which its client saw nothing. */
const AFTER = 'after@';

/** Whether the client said more without an answer in between: it has dropped an empty message. */
function isLeftAlone(pieces: readonly HistoryPiece[], number: number): boolean {
  let next = number + 1;
  while (pieces[next]?.by === 'none') next += 1;
  return pieces[next]?.by === 'client';
}

/** A hash of everything that the client has said; computed on demand. */
interface Said {
  add(text: string): void;
  hash(): string;
}

function saidSoFar(): Said {
  let hash = '';
  const added: string[] = [];
  return {
    add: (text) => added.push(text),
    hash() {
      // One at a time, so that the hash does not depend on when it was requested before.
      for (const text of added.splice(0)) hash = shortHash([hash, ends(text)]);
      return hash;
    },
  };
}

/** An id that other conversations may have too means this piece only if the client has said the same before it. */
function idsFor({ ids }: ShownPiece, said: Said): readonly string[] {
  let place: string | undefined;
  return ids.map((id) => {
    if (isUniqueId(id)) return id.length > MAX_TRANSCRIPT_ID_LENGTH ? sha256([id]) : id;
    // Not by its text, which clients trim, nor by the unique ids next to it, which some leave out: they need the call's only.
    place ??= shortHash([said.hash(), ...ids.filter((one) => !isUniqueId(one))]);
    return `${id.slice(0, 64)}@${place}`;
  });
}

function idForText(text: string, said: Said): string {
  return `text@${shortHash([said.hash(), ends(text)])}`;
}

/**
 * Whether an id is random enough to be unique among conversations: a UUID, letters and digits mixed, at least 16
 * in a row, or nine of all kinds, as Mistral writes them. Hosts that number a tool's calls (`functions.get_weather:0`) write
 * a dot or a colon.
 */
export function isUniqueId(id: string): boolean {
  if (!/^[\w-]+$/.test(id)) return false;
  if (/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.test(id)) return true;
  if (/^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[a-zA-Z0-9]{9}$/.test(id)) return true;
  const runs = id.match(/[a-zA-Z0-9]{16,}/g) ?? [];
  return runs.some((run) => /\d.*\d/.test(run) && /[a-zA-Z]/.test(run) && new Set(run).size >= 8);
}

function shortHash(texts: readonly string[]): string {
  return sha256([JSON.stringify(texts)]).slice(0, 32);
}

function ends(text: string): string {
  if (text.length <= 2 * HASHED_CHARACTERS) return text;
  return `${text.length}:${text.slice(0, HASHED_CHARACTERS)}…${text.slice(-HASHED_CHARACTERS)}`;
}

/**
 * One position in what the model wrote: a piece that the client saw, by its key (an id, or a kind such as `text`), or a hidden
 * piece, unchanged.
 */
export type Slot = { readonly shown: string } | { readonly hidden: JsonObject };

/**
 * Restores hidden pieces among those that a client has kept, in the order in which the model wrote them. For visible pieces
 * the client's version counts; one that it has dropped stays away, one that it has added stays behind the piece before it. Pieces
 * with the same key are taken in their order.
 */
export function weaveSlots<Piece>(
  slots: readonly Slot[],
  pieces: readonly Piece[],
  keyOf: (piece: Piece) => string,
): readonly (Piece | JsonObject)[] {
  const places = new Map<string, number[]>();
  for (const [place, slot] of slots.entries()) {
    if ('shown' in slot) addToList(places, slot.shown, place);
  }
  const added: Piece[] = [];
  const byPlace = new Map<number, Piece[]>();
  let last = added;
  for (const piece of pieces) {
    const place = places.get(keyOf(piece))?.shift();
    if (place !== undefined) {
      last = [];
      byPlace.set(place, last);
    }
    last.push(piece);
  }
  return [
    ...added,
    ...slots.flatMap((slot, place): readonly (Piece | JsonObject)[] =>
      'shown' in slot ? (byPlace.get(place) ?? []) : [slot.hidden],
    ),
  ];
}

/** The slots of a stored entry. Anything invalid is left out. */
export function readSlots(value: unknown): readonly Slot[] {
  return (Array.isArray(value) ? value : []).filter(
    (slot): slot is Slot => isJsonObject(slot) && (typeof slot.shown === 'string' || isJsonObject(slot.hidden)),
  );
}
