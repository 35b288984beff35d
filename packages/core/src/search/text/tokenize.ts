import { astralClass, CharacterClass, characterClass, loadText, lowerCase } from './characters.ts';

/** The kind of a token; numbers, because they are compared in tight loops. */
export const TokenKind = {
  /** A word of prose, or of an identifier. In a script without spaces, two neighbouring characters. */
  word: 0,
  /** An identifier of several words as one: `getUserById` gives `getuserbyid` after its words. */
  whole: 1,
  /** One character of a longer run in a script without spaces, indexed so that it can be searched for alone. */
  character: 2,
} as const;

/** Receives tokens in the order of the text. `characters` is reused, so copy what is needed later. */
export interface TokenSink {
  /** The initial value of a token's hash: see {@link hashCharacter}. */
  readonly seed: number;
  /** @returns whether more tokens are wanted. */
  token(characters: Uint16Array, length: number, kind: number, hash: number): boolean;
  /**
   * Called instead of {@link token} for a word of at most {@link PACKED_LETTERS} letters a to z. `first` and `second` are the word
   * itself with 5 bits per letter, six letters each, so that a sink can recognise it without reading its characters.
   */
  packedWord?(characters: Uint16Array, length: number, first: number, second: number): boolean;
}

/** One step of a token's hash (FNV-1a over code units), computed while its characters are read. */
export function hashCharacter(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The hash of a whole token. */
export function hashToken(characters: Uint16Array, length: number, seed: number): number {
  let hash = seed;
  for (let at = 0; at < length; at += 1) hash = hashCharacter(hash, characters[at] ?? 0);
  return hash;
}

export const TOKEN_LIMITS = {
  /** The maximum length of a token in code units; the rest is cut off. */
  characters: 64,
} as const;

/** The longest word that is given packed. */
export const PACKED_LETTERS = 12;

/**
 * Splits a text into folded, lower-case tokens.
 *
 * Words of an identifier end where case or digits change or at `_` and `-`; a run of capitals is an acronym, whose last letter starts
 * the next word when a small one follows (`HTTPServer` is http server, but `URLs` stays one word). Scripts without spaces give every
 * pair of neighbours. An apostrophe ends a word, and the short ending after it is dropped.
 */
export function scanTokens(text: string, sink: TokenSink): void {
  const { units, length } = loadText(text);
  for (let at = 0; at < length; ) {
    const code = units[at] ?? 0;
    if (code === SPACE) {
      at += 1;
      continue;
    }
    // Most of a text is plain words.
    if ((code | 0x20) >= SMALL_A && (code | 0x20) <= SMALL_Z) {
      const end = scanPlainWord(units, at, sink);
      if (end >= 0) {
        at = end;
        continue;
      }
      if (end === STOP) return;
    }
    at = scanAny(units, at, sink);
    if (at === STOP) return;
  }
}

/** Reads the token that starts at a position. Returns where it ends. */
function scanAny(units: Uint16Array, at: number, sink: TokenSink): number {
  switch (characterClass(units[at] ?? 0)) {
    case CharacterClass.lower:
    case CharacterClass.upper:
    case CharacterClass.digit:
      return scanIdentifier(units, at, sink);
    case CharacterClass.unspaced:
      return scanUnspaced(units, at, sink);
    case CharacterClass.apostrophe:
      return skipEnding(units, at);
    case CharacterClass.highSurrogate:
      return scanAstral(units, at, sink);
    default:
      return at + 1;
  }
}

/** The tokens of a text as strings, for code that doesn't have to be fast. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  scanTokens(text, {
    seed: 0,
    token(characters, length, kind) {
      tokens.push({ text: String.fromCharCode(...characters.subarray(0, length)), kind });
      return true;
    },
  });
  return tokens;
}

export interface Token {
  readonly text: string;
  /** One of {@link TokenKind}. */
  readonly kind: number;
}

/** The sink wants no more tokens. */
const STOP = -1;
/** What starts here is not a plain word. */
const NOT_PLAIN = -2;

const part = new Uint16Array(TOKEN_LIMITS.characters);
const whole = new Uint16Array(TOKEN_LIMITS.characters);

/** A word of ASCII letters of which only the first may be a capital, with nothing joined to it. */
function scanPlainWord(units: Uint16Array, start: number, sink: TokenSink): number {
  let code = (units[start] ?? 0) | 0x20;
  let first = 0;
  let second = 0;
  let at = start;
  for (let length = 0; length < TOKEN_LIMITS.characters; length += 1) {
    part[length] = code;
    if (length < PACKED_LETTERS / 2) {
      first = (first << 5) | (code & 31);
    } else {
      second = (second << 5) | (code & 31);
    }
    at += 1;
    code = units[at] ?? 0;
    if (code < SMALL_A || code > SMALL_Z) {
      if (code !== SPACE && continuesWord(units, at)) return NOT_PLAIN;
      return giveLetters(length + 1, first, second, sink) ? at : STOP;
    }
  }
  return NOT_PLAIN;
}

/** Emits the word of letters a to z in `part`. */
function giveLetters(length: number, first: number, second: number, sink: TokenSink): boolean {
  return length <= PACKED_LETTERS && sink.packedWord !== undefined
    ? sink.packedWord(part, length, first, second)
    : sink.token(part, length, TokenKind.word, hashToken(part, length, sink.seed));
}

/** Whether an identifier continues after one of its words. */
function continuesWord(units: Uint16Array, at: number): boolean {
  const kind = characterClass(units[at] ?? 0);
  return isWord(kind) || (kind === CharacterClass.joiner && isWord(characterClass(units[at + 1] ?? 0)));
}

function scanIdentifier(units: Uint16Array, start: number, sink: TokenSink): number {
  let at = start;
  let wholeLength = 0;
  let words = 0;
  let isNumber = true;
  for (;;) {
    const end = endOfWord(units, at);
    isNumber &&= characterClass(units[at] ?? 0) === CharacterClass.digit;
    for (let from = at; from < end && wholeLength < TOKEN_LIMITS.characters; from += 1) {
      whole[wholeLength++] = smallLetter(units[from] ?? 0);
    }
    words += 1;
    if (!giveWord(units, at, end, sink)) return STOP;
    at = end;
    if (!continuesWord(units, at)) break;
    at += characterClass(units[at] ?? 0) === CharacterClass.joiner ? 1 : 0;
  }
  const isWhole = words > 1 && !isNumber;
  if (isWhole && !sink.token(whole, wholeLength, TokenKind.whole, hashToken(whole, wholeLength, sink.seed))) {
    return STOP;
  }
  return at;
}

/** Emits one word of an identifier in lower case. */
function giveWord(units: Uint16Array, start: number, end: number, sink: TokenSink): boolean {
  const length = Math.min(end - start, TOKEN_LIMITS.characters);
  let first = 0;
  let second = 0;
  let isLetters = true;
  for (let at = 0; at < length; at += 1) {
    const code = smallLetter(units[start + at] ?? 0);
    part[at] = code;
    isLetters &&= code >= SMALL_A && code <= SMALL_Z;
    if (at < PACKED_LETTERS / 2) {
      first = (first << 5) | (code & 31);
    } else {
      second = (second << 5) | (code & 31);
    }
  }
  return isLetters
    ? giveLetters(length, first, second, sink)
    : sink.token(part, length, TokenKind.word, hashToken(part, length, sink.seed));
}

function smallLetter(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
  return characterClass(code) === CharacterClass.upper ? lowerCase(code) : code;
}

/** Where the word that starts at `start` ends: a run of digits, of small letters, of capitals, or one capital and small letters. */
function endOfWord(units: Uint16Array, start: number): number {
  const first = characterClass(units[start] ?? 0);
  let at = start + 1;
  if (first !== CharacterClass.upper) return endOfRun(units, at, first);
  at = endOfRun(units, at, CharacterClass.upper);
  const small = endOfRun(units, at, CharacterClass.lower);
  if (small === at || at === start + 1) return small;
  const isPlural = small === at + 1 && units[at] === SMALL_S;
  return isPlural ? small : at - 1;
}

/** The space after the text ends every run. */
function endOfRun(units: Uint16Array, start: number, kind: number): number {
  let at = start;
  while (characterClass(units[at] ?? 0) === kind) at += 1;
  return at;
}

function isWord(kind: number): boolean {
  return kind === CharacterClass.lower || kind === CharacterClass.upper || kind === CharacterClass.digit;
}

const SMALL_S = 0x73;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const SPACE = 0x20;

/** Skips `'s`, `'ll` and the like: up to two letters that end a word. */
function skipEnding(units: Uint16Array, start: number): number {
  const isAfterWord = start > 0 && isWord(characterClass(units[start - 1] ?? 0));
  const end = endOfRun(units, start + 1, CharacterClass.lower);
  const isEnding = end <= start + 3 && !isWord(characterClass(units[end] ?? 0));
  return isAfterWord && isEnding ? end : start + 1;
}

/** A run in a script without spaces: each pair of neighbours, and each character; a run of one is a word itself. */
function scanUnspaced(units: Uint16Array, start: number, sink: TokenSink): number {
  let at = start;
  let previous = -1;
  for (;;) {
    const size = unspacedSize(units, at);
    if (size === 0) return at;
    if (previous >= 0) {
      if (!emit(units, previous, at + size, TokenKind.word, sink)) return STOP;
    }
    const isAlone = previous < 0 && unspacedSize(units, at + size) === 0;
    if (!emit(units, at, at + size, isAlone ? TokenKind.word : TokenKind.character, sink)) return STOP;
    previous = at;
    at += size;
  }
}

/** Code units of the unspaced character at a place: 0 when there is none. */
function unspacedSize(units: Uint16Array, at: number): number {
  const kind = characterClass(units[at] ?? 0);
  if (kind === CharacterClass.unspaced) return 1;
  return kind === CharacterClass.highSurrogate && classAt(units, at) === CharacterClass.unspaced ? 2 : 0;
}

/** The class of the character beyond the basic plane at a place; a lone surrogate separates. */
function classAt(units: Uint16Array, at: number): number {
  const high = units[at] ?? 0;
  const low = units[at + 1] ?? 0;
  const isPair = high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
  return isPair ? astralClass(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)) : CharacterClass.separator;
}

/** A character beyond the basic plane: part of an unspaced run, or a word of letters of its plane; a lone surrogate separates. */
function scanAstral(units: Uint16Array, start: number, sink: TokenSink): number {
  if (unspacedSize(units, start) > 0) return scanUnspaced(units, start, sink);
  let at = start;
  while (classAt(units, at) === CharacterClass.lower) at += 2;
  if (at === start) return start + 1;
  return emit(units, start, at, TokenKind.word, sink) ? at : STOP;
}

function emit(units: Uint16Array, start: number, end: number, kind: number, sink: TokenSink): boolean {
  const length = Math.min(end - start, TOKEN_LIMITS.characters);
  for (let index = 0; index < length; index += 1) part[index] = units[start + index] ?? 0;
  return sink.token(part, length, kind, hashToken(part, length, sink.seed));
}
