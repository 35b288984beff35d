import { untilAborted } from '../until-aborted.ts';
import {
  type FoundEntry,
  type Hidden,
  type HiddenContent,
  type HistoryPiece,
  MAX_TRANSCRIPT_IDS,
  type TranscriptStore,
} from './transcript.ts';
import { AFTER, idsOfPieces, idsOfResponse, isUnique } from './transcript-ids.ts';
import type { Wire } from './wire.ts';

/** What `weaveHistory` needs. */
export interface HistoryOptions<Request, Part> {
  readonly wire: Wire<Request, Part>;
  readonly request: Request;
  readonly transcript?: TranscriptStore | undefined;
  /** How long the store may take before the loop continues without it. @default 1_000 */
  readonly transcriptWaitMs?: number | undefined;
  /** Hears of a store that failed or took too long. The request is served all the same. */
  readonly onTranscriptError?: ((error: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const TRANSCRIPT_WAIT_MS = 1_000;

/** A client's request with what earlier responses hid from it. */
export interface WovenHistory<Request> {
  readonly request: Request;
  /** The ids in the client's own messages: weaving may have replaced some. */
  readonly ids: readonly string[];
  /** Keeps what this response hides, until the store has it or time is up. */
  keep(hidden: HiddenContent): Promise<void>;
}

/** Finds what was kept of the responses in a request, and weaves it in. Never fails for a store that does. */
export async function weaveHistory<Request, Part>(
  options: HistoryOptions<Request, Part>,
): Promise<WovenHistory<Request>> {
  const { wire, request, transcript: store } = options;
  const { transcript } = wire;
  if (store === undefined || transcript === undefined) return { request, ids: [], keep: async () => undefined };
  const pieces = transcript.pieces(request);
  return {
    request: await weave(options, { pieces, store, transcript }),
    ids: pieces.flatMap((piece) => (piece.by === 'model' ? piece.ids : [])),
    async keep({ shown, responseId, calls, content }) {
      const own = responseId !== undefined && isUnique(responseId) ? [responseId] : [];
      const ids = [...idsOfResponse(pieces, shown), ...own];
      const [id] = ids;
      if (id === undefined) return;
      const hidden: Hidden = { id, dialect: wire.dialect, version: transcript.version, calls, content };
      await bounded(options, () => store.keep(ids, hidden));
    },
  };
}

/**
 * The request with responses and items that it only refers to, as far as the transcript has them: for a host that never saw them. To be
 * done before the request is planned. Never fails for a store that does.
 */
export async function resolveReferences<Request, Part>(options: HistoryOptions<Request, Part>): Promise<Request> {
  const { wire, request, transcript: store } = options;
  const { transcript } = wire;
  // Other conversations may have a short id too, and nothing here tells them apart.
  const ids = (transcript?.references?.(request) ?? []).filter(isUnique).slice(-MAX_TRANSCRIPT_IDS);
  if (store === undefined || transcript?.resolve === undefined || ids.length === 0) return request;
  const found = await bounded(options, () => store.find(ids));
  const contents = [...(found ?? [])].flatMap(([id, { dialect, version, content }]) =>
    dialect === wire.dialect && version === transcript.version ? [[id, content] as const] : [],
  );
  return contents.length === 0 ? request : transcript.resolve(request, new Map(contents));
}

async function weave<Request, Part>(
  options: HistoryOptions<Request, Part>,
  history: {
    readonly pieces: readonly HistoryPiece[];
    readonly store: TranscriptStore;
    readonly transcript: NonNullable<Wire<Request, Part>['transcript']>;
  },
): Promise<Request> {
  const { wire, request } = options;
  const { pieces, store, transcript } = history;
  const idsByPiece = idsOfPieces(pieces);
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

/** Undefined for work that fails or takes too long. A caller who no longer waits is told so by the signal's reason. */
async function bounded<Value>(
  options: Pick<HistoryOptions<unknown, unknown>, 'transcriptWaitMs' | 'onTranscriptError' | 'signal'>,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const { transcriptWaitMs = TRANSCRIPT_WAIT_MS, onTranscriptError, signal } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The transcript store did not answer within ${transcriptWaitMs} ms`)),
      transcriptWaitMs,
    );
  });
  try {
    // Through a promise, so that a store that throws at once is one that rejects.
    const working = Promise.resolve().then(work);
    return await untilAborted(Promise.race([working, late]), signal);
  } catch (error) {
    signal?.throwIfAborted();
    onTranscriptError?.(error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
