/**
 * The rows of a vocabulary by their pieces, looked up in an array of characters without making a string of each: texts are
 * read by the million characters when a catalog is indexed. `##` before a piece says that it continues a word; it is kept
 * as a mark beside the other characters.
 */
export class PieceTable {
  /** By slot: the row plus one, 0 where the slot is free. The next slots are tried in turn (open addressing). */
  readonly #slots: Uint32Array;
  readonly #hashes: Int32Array;
  /** The characters of all pieces, and where those of each row start. */
  readonly #characters: Uint16Array;
  readonly #starts: Uint32Array;

  constructor(pieces: readonly string[]) {
    const size = 2 ** Math.ceil(Math.log2(pieces.length * 2 + 1));
    this.#slots = new Uint32Array(size);
    this.#hashes = new Int32Array(size);
    this.#characters = new Uint16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    this.#starts = new Uint32Array(pieces.length + 1);
    let end = 0;
    for (let row = 0; row < pieces.length; row++) {
      const piece = pieces[row] as string;
      const start = end;
      let hash = piece.startsWith(CONTINUES) ? CONTINUED : START;
      for (let i = hash === CONTINUED ? CONTINUES.length : 0; i < piece.length; i++) {
        const code = piece.charCodeAt(i);
        this.#characters[end++] = code;
        hash = addToHash(hash, code);
      }
      this.#starts[row + 1] = end;
      this.#insert(row, hash, this.#characters.subarray(start, end));
    }
  }

  /** Whether a text is a piece on its own. */
  has(piece: string): boolean {
    const codes = Uint16Array.from({ length: piece.length }, (_, i) => piece.charCodeAt(i));
    return this.find(codes, 0, codes.length, codes.reduce(addToHash, START)) >= 0;
  }

  /**
   * The row of the piece from `start` to `end`, or -1.
   * @param hash of these characters, from {@link START} or {@link CONTINUED} on
   */
  find(codes: Uint16Array, start: number, end: number, hash: number): number {
    const last = this.#slots.length - 1;
    for (let slot = spread(hash) & last; ; slot = (slot + 1) & last) {
      const row = (this.#slots[slot] as number) - 1;
      if (row < 0) return -1;
      if (this.#hashes[slot] === hash && this.#isPiece(row, codes, start, end)) return row;
    }
  }

  #isPiece(row: number, codes: Uint16Array, start: number, end: number): boolean {
    const from = this.#starts[row] as number;
    if ((this.#starts[row + 1] as number) - from !== end - start) return false;
    for (let i = start; i < end; i++) if (codes[i] !== this.#characters[from + i - start]) return false;
    return true;
  }

  /** Of two rows with the same piece, the later one counts. */
  #insert(row: number, hash: number, codes: Uint16Array): void {
    const last = this.#slots.length - 1;
    let slot = spread(hash) & last;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & last) {
      const other = (this.#slots[slot] as number) - 1;
      if (this.#hashes[slot] === hash && this.#isPiece(other, codes, 0, codes.length)) break;
    }
    this.#slots[slot] = row + 1;
    this.#hashes[slot] = hash;
  }
}

const CONTINUES = '##';

/** What the hash of a piece starts from. */
export const START: number = 0x811c9dc5 | 0;
/** The same for a piece that continues a word, which is another one than the same characters at its start. */
export const CONTINUED: number = 0x5bd1e995;

/** One step of a hash (FNV-1a over code units). */
export function addToHash(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** FNV's low bits alone make long chains. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}
