import { foldText } from './fold-text.ts';

/** A text to be scanned: its folded code units, and a space after the last one, so that a loop needs no look at the length. */
export interface TextUnits {
  readonly units: Uint16Array;
  readonly length: number;
}

/**
 * Puts a folded text where it can be read quickly. What it returns is the same object every time, valid until the next call.
 *
 * Asking a string for one character after the other takes several times longer than having all of it copied out at once; only
 * short ASCII texts are quicker asked, and others have to be.
 */
export function loadText(text: string): TextUnits {
  const { length } = text;
  if (length >= loaded.units.length) {
    reserve(length);
  }
  if (!(length <= LONGEST_SHORT ? isAskedAscii(text) : isCopiedAscii(text))) {
    askAll(foldText(text));
    return loaded;
  }
  loaded.units[length] = SPACE;
  loaded.length = length;
  return loaded;
}

/** Copies a text as far as it is ASCII. Returns whether all of it is. */
function isAskedAscii(text: string): boolean {
  const { units } = loaded;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= NOT_ASCII) {
      return false;
    }
    units[at] = code;
  }
  return true;
}

/** The same for a text of any length: ASCII is what takes a byte for each code unit in UTF-8. */
function isCopiedAscii(text: string): boolean {
  const { length } = text;
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read !== length || written !== length) {
    return false;
  }
  const from = bytes;
  const { units } = loaded;
  for (let at = 0; at < length; at += 1) {
    units[at] = from[at] ?? 0;
  }
  return true;
}

function askAll(folded: string): void {
  const { length } = folded;
  if (length >= loaded.units.length) {
    reserve(length);
  }
  const { units } = loaded;
  for (let at = 0; at < length; at += 1) {
    units[at] = folded.charCodeAt(at);
  }
  units[length] = SPACE;
  loaded.length = length;
}

function reserve(length: number): void {
  bytes = new Uint8Array(length * 2);
  loaded.units = new Uint16Array(length * 2);
}

const SPACE = 0x20;
/** Code units from this on are not ASCII. */
const NOT_ASCII = 0x80;
/** Below this length asking is as quick as copying. */
const LONGEST_SHORT = 12;
const FIRST_SIZE = 1 << 12;

const encoder = new TextEncoder();
let bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
const loaded: { units: Uint16Array; length: number } = { units: new Uint16Array(FIRST_SIZE), length: 0 };
