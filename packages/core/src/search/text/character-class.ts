/** What a code unit is to the tokenizer. */
export const CharacterClass = {
  separator: 1,
  /** A lower-case letter, or a letter or mark of a script without case. */
  lower: 2,
  upper: 3,
  digit: 4,
  /** `_` and `-`, which join the words of an identifier. */
  joiner: 5,
  apostrophe: 6,
  /** A letter of a script written without spaces: Han, kana, Hangul, Thai, Lao, Khmer, Myanmar. */
  unspaced: 7,
  highSurrogate: 8,
} as const;

/** The class of a UTF-16 code unit. */
export function characterClass(code: number): number {
  return classes[code] || classify(code);
}

/** The lower-case form of a code unit that {@link characterClass} called `upper`; any other one is itself. */
export function lowerCase(code: number): number {
  return code < 0x80 ? code | 0x20 : String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** The class of a code point beyond the basic plane: `unspaced`, `lower` or `separator`. */
export function astralClass(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (UNSPACED.test(character)) {
    return CharacterClass.unspaced;
  }
  return WORD.test(character) ? CharacterClass.lower : CharacterClass.separator;
}

/** Filled as code units are met; 0 is a code unit not met so far. */
const classes = new Uint8Array(0x10000);

function classify(code: number): number {
  const found = classOf(code);
  classes[code] = found;
  return found;
}

function classOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdbff) {
    return CharacterClass.highSurrogate;
  }
  const character = String.fromCharCode(code);
  if (character === '_' || character === '-' || character === '\u2010' || character === '\u2011') {
    return CharacterClass.joiner;
  }
  if (character === "'" || character === '\u2019') {
    return CharacterClass.apostrophe;
  }
  if (UNSPACED.test(character)) {
    return CharacterClass.unspaced;
  }
  if (DIGIT.test(character)) {
    return CharacterClass.digit;
  }
  if (UPPER.test(character)) {
    return CharacterClass.upper;
  }
  return WORD.test(character) ? CharacterClass.lower : CharacterClass.separator;
}

const DIGIT = /\p{Nd}/u;
const UPPER = /\p{Lu}/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /(?=[\p{L}\p{M}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
