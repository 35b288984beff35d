import { astralClass, CharacterClass, characterClass, lowerCase } from './character-class.ts';
import { foldText } from './fold-text.ts';

/** What a token is; the numbers are compared in tight loops. */
export const TokenKind = {
  /** A word: of prose, or one of those that an identifier is made of. Two neighbours in an unspaced script are one too. */
  word: 0,
  /** An identifier of several words as one: `getUserById` gives `getuserbyid` after its words. */
  whole: 1,
  /** One character of an unspaced run that is longer: worth indexing, so that it can be asked for alone. */
  character: 2,
} as const;

/** Receives tokens in text order. `characters` is reused: what is needed later has to be copied. */
export interface TokenSink {
  /** What hashes of tokens start from: see {@link hashCharacter}. */
  readonly seed: number;
  /** @returns whether more tokens are wanted. */
  token(characters: Uint16Array, length: number, kind: number, hash: number): boolean;
  /**
   * Takes a word of at most {@link PACKED_LETTERS} letters a to z in the place of {@link token}. `first` and `second` are the
   * word itself in 5 bits a letter, six letters each, so that a sink can recognise it without a look at its characters.
   */
  packedWord?(characters: Uint16Array, length: number, first: number, second: number): boolean;
}

/** One step of a token's hash (FNV-1a over code units), made while its characters are at hand. */
export function hashCharacter(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The hash of a whole token. */
export function hashToken(characters: Uint16Array, length: number, seed: number): number {
  let hash = seed;
  for (let at = 0; at < length; at += 1) {
    hash = hashCharacter(hash, characters[at] ?? 0);
  }
  return hash;
}

export const TOKEN_LIMITS = {
  /** Code units of a token; what is beyond is cut off. */
  characters: 64,
} as const;

/** The longest word that is given packed. */
export const PACKED_LETTERS = 12;

/**
 * Takes a text apart into folded, lower-case tokens.
 *
 * Words of an identifier end where case or digits change or at `_` and `-`; a run of capitals is an acronym, whose last
 * letter starts the next word when a small one follows (`HTTPServer` is http server, but `URLs` stays one word).
 * Scripts without spaces give every pair of neighbours. An apostrophe ends a word and takes its ending along.
 */
export function scanTokens(text: string, sink: TokenSink): void {
  // Plain words need no folding, and most of a text is plain words. Folding leaves ASCII before the first other character as it is.
  let folded = text;
  let isFolded = false;
  for (let at = 0; at < folded.length; ) {
    const code = folded.charCodeAt(at);
    if (code === SPACE) {
      at += 1;
      continue;
    }
    if ((code | 0x20) >= SMALL_A && (code | 0x20) <= SMALL_Z) {
      const end = scanPlainWord(folded, at, sink);
      if (end >= 0) {
        at = end;
        continue;
      }
      if (end === STOP) {
        return;
      }
    } else if (code < NOT_ASCII && characterClass(code) === CharacterClass.separator) {
      at += 1;
      continue;
    }
    if (!isFolded) {
      folded = foldText(text);
      isFolded = true;
    }
    at = scanAny(folded, at, sink);
    if (at === STOP) {
      return;
    }
  }
}

/** Whatever starts at a place of a folded text, if the place is not beyond its end. Returns where it ends. */
function scanAny(text: string, at: number, sink: TokenSink): number {
  switch (characterClass(text.charCodeAt(at))) {
    case CharacterClass.lower:
    case CharacterClass.upper:
    case CharacterClass.digit:
      return scanIdentifier(text, at, sink);
    case CharacterClass.unspaced:
      return scanUnspaced(text, at, sink);
    case CharacterClass.apostrophe:
      return skipEnding(text, at);
    case CharacterClass.highSurrogate:
      return scanAstral(text, at, sink);
    default:
      return at + 1;
  }
}

/** The tokens of a text as strings, for what is not in a hurry. */
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

/** Says that the sink wants no more. */
const STOP = -1;
/** Says that what starts here is no plain word. */
const NOT_PLAIN = -2;

const part = new Uint16Array(TOKEN_LIMITS.characters);
const whole = new Uint16Array(TOKEN_LIMITS.characters);

/** A word of ASCII letters of which only the first may be a capital, and that nothing is joined to. */
function scanPlainWord(text: string, start: number, sink: TokenSink): number {
  const { length: textLength } = text;
  let code = text.charCodeAt(start) | 0x20;
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
    code = at < textLength ? text.charCodeAt(at) : SPACE;
    if (code < SMALL_A || code > SMALL_Z) {
      if (code !== SPACE && mayContinueWord(text, at, code)) {
        return NOT_PLAIN;
      }
      const isWanted =
        length < PACKED_LETTERS && sink.packedWord !== undefined
          ? sink.packedWord(part, length + 1, first, second)
          : sink.token(part, length + 1, TokenKind.word, hashToken(part, length + 1, sink.seed));
      return isWanted ? at : STOP;
    }
  }
  return NOT_PLAIN;
}

/** Whether an identifier goes on at a place with this character; or may, since the character is not ASCII. */
function mayContinueWord(text: string, at: number, code: number): boolean {
  if (code >= NOT_ASCII) {
    return true;
  }
  const kind = characterClass(code);
  if (kind !== CharacterClass.joiner) {
    return isWord(kind);
  }
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : SPACE;
  return next >= NOT_ASCII || isWord(characterClass(next));
}

function scanIdentifier(text: string, start: number, sink: TokenSink): number {
  const { seed } = sink;
  const { length: textLength } = text;
  let at = start;
  let wholeLength = 0;
  let wholeHash = seed;
  let words = 0;
  let isNumber = true;
  for (;;) {
    const end = endOfWord(text, at);
    const isInside = words > 0;
    let length = 0;
    let hash = seed;
    isNumber &&= characterClass(text.charCodeAt(at)) === CharacterClass.digit;
    for (; at < end; at += 1) {
      const code = smallLetter(text.charCodeAt(at));
      if (length < TOKEN_LIMITS.characters) {
        part[length++] = code;
        hash = hashCharacter(hash, code);
      }
      if (isInside && wholeLength < TOKEN_LIMITS.characters) {
        whole[wholeLength++] = code;
        wholeHash = hashCharacter(wholeHash, code);
      }
    }
    words += 1;
    if (!sink.token(part, length, TokenKind.word, hash)) {
      return STOP;
    }
    const next = at < textLength ? characterClass(text.charCodeAt(at)) : CharacterClass.separator;
    const isJoined =
      next === CharacterClass.joiner && at + 1 < textLength && isWord(characterClass(text.charCodeAt(at + 1)));
    if (!isJoined && !isWord(next)) {
      break;
    }
    if (!isInside) {
      whole.set(part);
      wholeLength = length;
      wholeHash = hash;
    }
    at += isJoined ? 1 : 0;
  }
  if (words > 1 && !isNumber && !sink.token(whole, wholeLength, TokenKind.whole, wholeHash)) {
    return STOP;
  }
  return at;
}

function smallLetter(code: number): number {
  if (code < 0x80) {
    return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
  }
  return characterClass(code) === CharacterClass.upper ? lowerCase(code) : code;
}

/** Where the word that starts at `start` ends: a run of digits, of small letters, of capitals, or one capital and small letters. */
function endOfWord(text: string, start: number): number {
  const first = characterClass(text.charCodeAt(start));
  let at = start + 1;
  if (first !== CharacterClass.upper) {
    return endOfRun(text, at, first);
  }
  at = endOfRun(text, at, CharacterClass.upper);
  const small = endOfRun(text, at, CharacterClass.lower);
  if (small === at || at === start + 1) {
    return small;
  }
  const isPlural = small === at + 1 && text.charCodeAt(at) === SMALL_S;
  return isPlural ? small : at - 1;
}

function endOfRun(text: string, start: number, kind: number): number {
  let at = start;
  while (at < text.length && characterClass(text.charCodeAt(at)) === kind) {
    at += 1;
  }
  return at;
}

function isWord(kind: number): boolean {
  return kind === CharacterClass.lower || kind === CharacterClass.upper || kind === CharacterClass.digit;
}

const SMALL_S = 0x73;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const SPACE = 0x20;
/** Code units from this on are not ASCII. */
const NOT_ASCII = 0x80;

/** Skips `'s`, `'ll` and the like: up to two letters that end a word. */
function skipEnding(text: string, start: number): number {
  const isAfterWord = start > 0 && isWord(characterClass(text.charCodeAt(start - 1)));
  const end = endOfRun(text, start + 1, CharacterClass.lower);
  const isEnding = end <= start + 3 && (end >= text.length || !isWord(characterClass(text.charCodeAt(end))));
  return isAfterWord && isEnding ? end : start + 1;
}

/** A run in a script without spaces: each pair of neighbours, and each character; a run of one is a word itself. */
function scanUnspaced(text: string, start: number, sink: TokenSink): number {
  let at = start;
  let previous = -1;
  for (;;) {
    const size = unspacedSize(text, at);
    if (size === 0) {
      return at;
    }
    if (previous >= 0) {
      if (!emit(text, previous, at + size, TokenKind.word, sink)) {
        return STOP;
      }
    }
    const isAlone = previous < 0 && unspacedSize(text, at + size) === 0;
    if (!emit(text, at, at + size, isAlone ? TokenKind.word : TokenKind.character, sink)) {
      return STOP;
    }
    previous = at;
    at += size;
  }
}

/** Code units of the unspaced character at a place: 0 when there is none. */
function unspacedSize(text: string, at: number): number {
  if (at >= text.length) {
    return 0;
  }
  const kind = characterClass(text.charCodeAt(at));
  if (kind === CharacterClass.unspaced) {
    return 1;
  }
  if (kind !== CharacterClass.highSurrogate) {
    return 0;
  }
  const codePoint = text.codePointAt(at) ?? 0;
  return codePoint > 0xffff && astralClass(codePoint) === CharacterClass.unspaced ? 2 : 0;
}

/** A character beyond the basic plane: part of an unspaced run, or a word of letters of its plane; a lone surrogate separates. */
function scanAstral(text: string, start: number, sink: TokenSink): number {
  if (unspacedSize(text, start) > 0) {
    return scanUnspaced(text, start, sink);
  }
  let at = start;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint <= 0xffff || astralClass(codePoint) !== CharacterClass.lower) {
      break;
    }
    at += 2;
  }
  if (at === start) {
    return start + 1;
  }
  return emit(text, start, at, TokenKind.word, sink) ? at : STOP;
}

function emit(text: string, start: number, end: number, kind: number, sink: TokenSink): boolean {
  const length = Math.min(end - start, TOKEN_LIMITS.characters);
  let hash = sink.seed;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(start + index);
    part[index] = code;
    hash = hashCharacter(hash, code);
  }
  return sink.token(part, length, kind, hash);
}
