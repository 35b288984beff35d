import { isJsonObject, type JsonObject } from '../catalog/index.ts';

/**
 * One place in what the model wrote: a piece that the client was shown, by its key (an id, or a kind such as `text`), or one that it
 * was not, as it was.
 */
export type Slot = { readonly shown: string } | { readonly hidden: JsonObject };

/**
 * Puts hidden pieces back among those that a client has kept, in the order in which the model wrote them. Of shown pieces
 * the client's version stands; one that it has dropped stays away, one that it has added stays behind the piece before it. Pieces
 * of the same key are taken in their order.
 */
export function weaveSlots<Piece>(
  slots: readonly Slot[],
  pieces: readonly Piece[],
  keyOf: (piece: Piece) => string,
): readonly (Piece | JsonObject)[] {
  const places = new Map<string, number[]>();
  for (const [place, slot] of slots.entries()) {
    if (!('shown' in slot)) continue;
    const list = places.get(slot.shown);
    if (list === undefined) places.set(slot.shown, [place]);
    else list.push(place);
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
