import { sha256 } from '../catalog/index.ts';
import { type HistoryPiece, MAX_TRANSCRIPT_ID_LENGTH, type ShownPiece } from './transcript.ts';

/** How much of a text takes part in a hash, from each end. */
const HASHED_CHARACTERS = 1_024;

/** The ids under which each piece of a history may have been kept, by its number. A piece of the client's has none. */
export function idsOfPieces(pieces: readonly HistoryPiece[]): readonly (readonly string[])[] {
  const said = saidSoFar();
  return pieces.map((piece, number) => {
    if (piece.by === 'model')
      return piece.ids.length > 0 ? piece.ids.map((id) => idFor(id, piece, said)) : [idForText(piece.text, said)];
    if (piece.by === 'none') return [];
    said.add(piece.text);
    return isLeftAlone(pieces, number) ? [`${AFTER}${said.hash()}`] : [];
  });
}

/** The ids under which to keep what belongs to a response: its client may send back any of its pieces, with or without ids. */
export function idsOfResponse(history: readonly HistoryPiece[], shown: readonly ShownPiece[]): readonly string[] {
  const said = saidSoFar();
  for (const piece of history) if (piece.by === 'client') said.add(piece.text);
  const ids = shown.flatMap((piece) => [
    ...piece.ids.map((id) => idFor(id, piece, said)),
    ...(piece.text === '' && piece.ids.length > 0 ? [] : [idForText(piece.text, said)]),
  ]);
  const isNothing = shown.every(({ ids: known, text }) => known.length === 0 && text === '');
  return [...new Set(isNothing ? [...ids, `${AFTER}${said.hash()}`] : ids)];
}

/** Begins the id of a response of which its client was shown nothing. */
export const AFTER = 'after@';

/** Whether the client said more without an answer in between: it has dropped a message with nothing in it. */
function isLeftAlone(pieces: readonly HistoryPiece[], number: number): boolean {
  return pieces.slice(number + 1).find(({ by }) => by !== 'none')?.by === 'client';
}

/** A hash of all that the client has said; computed only when it is asked for. */
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
      // One at a time, so that the hash does not depend on when it was asked for before.
      for (const text of added.splice(0)) hash = shortHash([hash, ends(text)]);
      return hash;
    },
  };
}

/** An id that other conversations may have too stands for this piece only where the client has said the same before it. */
function idFor(id: string, piece: ShownPiece, said: Said): string {
  // Not by its text: clients trim it.
  if (!isUnique(id)) return `${id.slice(0, 64)}@${shortHash([said.hash(), ...piece.ids])}`;
  return id.length > MAX_TRANSCRIPT_ID_LENGTH ? sha256([id]) : id;
}

function idForText(text: string, said: Said): string {
  return `text@${shortHash([said.hash(), ends(text)])}`;
}

/**
 * Whether an id has enough chance in it that no other conversation has the same: a UUID, letters and digits mixed, at least 16
 * in a row, or nine of all kinds, as Mistral writes them. Hosts that number a tool's calls (`functions.get_weather:0`) write
 * a dot or a colon.
 */
export function isUnique(id: string): boolean {
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
