import { nameWithoutServer } from '@quartermaster/core/internal';
import type { StaticEmbedder } from '@quartermaster/core/search';

/** The trained weight of each field in a tool's vector. */
export interface FieldWeights {
  readonly name: number;
  readonly server: number;
  readonly description: number;
  readonly parameters: number;
  readonly details: number;
}

/** A static embedding: a row of bytes for each piece of the vocabulary, and a scale for each row. */
export interface StaticModelData {
  readonly modelId: string;
  readonly dimensions: number;
  readonly fields: FieldWeights;
  readonly pieces: readonly string[];
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

/** How much of each field is read, in characters. Training read more; the rest costs time and hardly changes any ranking. */
const FIELD_LIMITS = { description: 800, parameters: 400, details: 400, query: 4096 } as const;

/**
 * The embedder of a static model. A text's vector is the sum of its pieces' vectors, made a unit vector; in a tool each
 * field's sum is divided by the root of its piece count and weighted.
 */
export function createStaticModel(data: StaticModelData): StaticEmbedder {
  const { dimensions, fields, rows, scales } = data;
  const table = new PieceTable(data.pieces);
  const weights = new Float32Array(data.pieces.length);
  const sum = new Float64Array(dimensions);

  /** Sums by piece first, so that a word said five times is read once. */
  function embed(parts: readonly Part[]): Float32Array {
    const touched: number[] = [];
    for (const { text, weight, isField } of parts) {
      const found = splitPieces(text, table);
      const each = isField ? weight / Math.sqrt(found.length) : weight;
      for (const row of found) {
        if (weights[row] === 0) touched.push(row);
        weights[row] = (weights[row] as number) + each;
      }
    }
    sum.fill(0);
    for (let at = 0; at < touched.length; at += AT_ONCE) addRows(touched, at);
    return toUnitLength(sum);
  }

  /** Four rows in one pass over the sum, which is what most of the time goes into; missing ones weigh nothing. */
  function addRows(touched: readonly number[], at: number): void {
    const [a, b, c, d] = [touched[at] ?? 0, touched[at + 1] ?? 0, touched[at + 2] ?? 0, touched[at + 3] ?? 0];
    const [fa, fb, fc, fd] = [takeWeight(a), takeWeight(b), takeWeight(c), takeWeight(d)];
    const [ra, rb, rc, rd] = [a * dimensions, b * dimensions, c * dimensions, d * dimensions];
    for (let i = 0; i < dimensions; i++) {
      sum[i] =
        (sum[i] as number) +
        fa * (rows[ra + i] as number) +
        fb * (rows[rb + i] as number) +
        fc * (rows[rc + i] as number) +
        fd * (rows[rd + i] as number);
    }
  }

  /** What a row counts; taken once, so that the next text starts from nothing. */
  function takeWeight(row: number): number {
    const weight = (weights[row] as number) * (scales[row] as number);
    weights[row] = 0;
    return weight;
  }

  return {
    modelId: data.modelId,
    dimensions,
    knows: (word) => table.has(word),
    query: (text) => embed([{ text: text.slice(0, FIELD_LIMITS.query), weight: 1, isField: false }]),
    tool: (text) =>
      embed([
        { text: nameWithoutServer(text), weight: fields.name, isField: true },
        { text: text.server, weight: fields.server, isField: true },
        { text: text.description.slice(0, FIELD_LIMITS.description), weight: fields.description, isField: true },
        { text: joinUpTo(text.parameterNames, FIELD_LIMITS.parameters), weight: fields.parameters, isField: true },
        { text: joinUpTo(text.parameterDescriptions, FIELD_LIMITS.details), weight: fields.details, isField: true },
      ]),
  };
}

interface Part {
  readonly text: string;
  readonly weight: number;
  readonly isField: boolean;
}

function joinUpTo(texts: readonly string[], limit: number): string {
  let joined = '';
  for (const text of texts) {
    if (joined.length >= limit) break;
    joined += joined === '' ? text : ` ${text}`;
  }
  return joined.slice(0, limit);
}

function toUnitLength(sum: Float64Array): Float32Array {
  const vector = new Float32Array(sum.length);
  let square = 0;
  for (let i = 0; i < sum.length; i++) square += (sum[i] as number) ** 2;
  if (square === 0) return vector;
  const factor = 1 / Math.sqrt(square);
  for (let i = 0; i < sum.length; i++) vector[i] = (sum[i] as number) * factor;
  return vector;
}

/** Rows added in one pass. */
const AT_ONCE = 4;

/**
 * The vocabulary rows of a text, in order: a whole word where it is known, else its greedy longest subwords as
 * WordPiece has them (`##` marks one that continues a word); scripts without spaces by longest known piece; a Cyrillic word
 * by its longest known beginning, since its ending says how it is inflected. A camelCase or
 * an ACRONYMWord identifier changes words where its case does; case and accents don't count. What is not known at all is
 * passed over. The training scripts split by the same rules (`training/pieces.py`).
 */
export function splitPieces(text: string, table: PieceTable): number[] {
  return scan(text, table) ?? scan(foldText(text), table, true) ?? [];
}

/** `file|Name`, `HTTP|Server`. Looks at three characters at each position, so a long name in capitals costs no more than any other. */
const WORD_CHANGE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const COMBINING = /[\u0300-\u036f]/g;
const LONGEST_UNSPACED_PIECE = 8;
const LONGEST_WORD = 40;

/** Lower case without accents, a space where an identifier changes words. */
function foldText(text: string): string {
  const words = text.replace(WORD_CHANGE, ' ');
  const bare = words.normalize('NFKD').toLowerCase().replaceAll('ß', 'ss').replace(COMBINING, '');
  return bare.normalize('NFC');
}

/** The text that is being read, in lower case. */
let codes: Uint16Array = new Uint16Array(4_096);

/** Undefined when the text turns out to need folding: most texts are plain ASCII, and lower case is enough for those. */
function scan(text: string, table: PieceTable, isFolded = false): number[] | undefined {
  const { length } = text;
  if (codes.length < length) codes = new Uint16Array(length * 2);
  const rows: number[] = [];
  let before: number = Kind.other;
  let start = 0;
  let hash = START;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 && !isFolded) return undefined;
    const kind = kindOf(code);
    if (before !== Kind.other && (kind === Kind.other || isBoundary(before, kind, text, at))) {
      pushRun(start, at, before, hash, table, rows);
      before = Kind.other;
    }
    if (before === Kind.other) {
      start = at;
      hash = START;
    }
    const small = kind === Kind.upper ? code | 0x20 : code;
    codes[at] = small;
    hash = addToHash(hash, small);
    before = kind;
  }
  if (before !== Kind.other) pushRun(start, length, before, hash, table, rows);
  return rows;
}

const Kind = { other: 0, lower: 1, upper: 2, unspaced: 3, inflected: 4 } as const;

/** Digits go with small letters. */
function kindOf(code: number): number {
  if (code < 0x80) return ASCII_KINDS[code] as number;
  if (code < 0x3040 || code > 0xd7af) return code >= 0x0400 && code <= 0x04ff ? Kind.inflected : Kind.other;
  const isUnspaced =
    code <= 0x30ff || (code >= 0x3400 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0x9fff) || code >= 0xac00;
  return isUnspaced ? Kind.unspaced : Kind.other;
}

const ASCII_KINDS: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/.test(character)) return Kind.lower;
  return /[A-Z]/.test(character) ? Kind.upper : Kind.other;
});

/** Whether a new word starts at a place: `fileName`, or the last capital of several before a small letter: `HTTPServer`. */
function isBoundary(before: number, kind: number, text: string, at: number): boolean {
  if (before !== kind && (before >= Kind.unspaced || kind >= Kind.unspaced)) return true;
  if (kind !== Kind.upper) return false;
  if (before === Kind.lower) return true;
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return next >= SMALL_A && next <= SMALL_Z;
}

const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

function pushRun(start: number, end: number, kind: number, hash: number, table: PieceTable, rows: number[]): void {
  if (kind === Kind.unspaced) {
    pushLongestMatches(start, end, table, rows);
    return;
  }
  if (kind === Kind.inflected) {
    const beginning = findLongest(start, Math.min(end, start + LONGEST_UNSPACED_PIECE), START, table);
    if (beginning !== undefined) rows.push(beginning.row);
    return;
  }
  const known = table.find(codes, start, end, hash);
  if (known >= 0) {
    rows.push(known);
    return;
  }
  // The letters between the digits, each on their own.
  for (let from = start; from < end; from++) {
    let to = from;
    while (to < end && (codes[to] as number) >= SMALL_A) to++;
    if (to > from) pushSubwords(from, to, table, rows);
    from = to;
  }
}

/** All of a word or none of it: a word with an unknown part says nothing. */
function pushSubwords(start: number, end: number, table: PieceTable, rows: number[]): void {
  const before = rows.length;
  for (let at = start; at < end; ) {
    // Longer words are known as a whole or not at all.
    const least = end - start > LONGEST_WORD ? end : at + 1;
    const found = findLongest(at, end, at === start ? START : CONTINUED, table);
    if (found === undefined || found.end < least) {
      rows.length = before;
      return;
    }
    rows.push(found.row);
    at = found.end;
  }
}

function pushLongestMatches(start: number, end: number, table: PieceTable, rows: number[]): void {
  for (let at = start; at < end; ) {
    const found = findLongest(at, Math.min(end, at + LONGEST_UNSPACED_PIECE), START, table);
    if (found !== undefined) rows.push(found.row);
    at = found?.end ?? at + 1;
  }
}

/** The longest piece that starts at a place. */
function findLongest(
  start: number,
  end: number,
  seed: number,
  table: PieceTable,
): { row: number; end: number } | undefined {
  let longest: { row: number; end: number } | undefined;
  let hash = seed;
  for (let at = start; at < end; at++) {
    hash = addToHash(hash, codes[at] as number);
    const row = table.find(codes, start, at + 1, hash);
    if (row >= 0) longest = { row, end: at + 1 };
  }
  return longest;
}

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
const START: number = 0x811c9dc5 | 0;
/** The same for a piece that continues a word, which is another one than the same characters at its start. */
const CONTINUED: number = 0x5bd1e995;

/** One step of a hash (FNV-1a over code units). */
function addToHash(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** FNV's low bits alone make long chains. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}
