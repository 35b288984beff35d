/** The class of a code unit, for the tokenizer. */
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
  if (UNSPACED.test(character)) return CharacterClass.unspaced;
  return WORD.test(character) ? CharacterClass.lower : CharacterClass.separator;
}

/** Filled on demand; 0 is a code unit that has not been looked up yet. */
const classes = new Uint8Array(0x10000);

function classify(code: number): number {
  const found = classOf(code);
  classes[code] = found;
  return found;
}

function classOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdbff) return CharacterClass.highSurrogate;
  const character = String.fromCharCode(code);
  if (character === '_' || character === '-' || character === '\u2010' || character === '\u2011') {
    return CharacterClass.joiner;
  }
  if (character === "'" || character === '\u2019') return CharacterClass.apostrophe;
  if (UNSPACED.test(character)) return CharacterClass.unspaced;
  if (DIGIT.test(character)) return CharacterClass.digit;
  if (UPPER.test(character)) return CharacterClass.upper;
  return WORD.test(character) ? CharacterClass.lower : CharacterClass.separator;
}

const DIGIT = /\p{Nd}/u;
const UPPER = /\p{Lu}/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /(?=[\p{L}\p{M}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** A text to be scanned: its folded code units, and a space after the last one, so that loops don't have to check the length. */
export interface TextUnits {
  readonly units: Uint16Array;
  readonly length: number;
}

/**
 * Copies a folded text to where it can be read quickly. Returns the same object every time, valid until the next call.
 *
 * Reading a string character by character takes several times longer than copying it at once, except for short ASCII texts. Texts
 * that are not ASCII have to be read that way.
 */
export function loadText(text: string): TextUnits {
  const { length } = text;
  if (length >= loaded.units.length) reserve(length);
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
    if (code >= NOT_ASCII) return false;
    units[at] = code;
  }
  return true;
}

/** The same for a text of any length: ASCII is what takes a byte for each code unit in UTF-8. */
function isCopiedAscii(text: string): boolean {
  const { length } = text;
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read !== length || written !== length) return false;
  const from = bytes;
  const { units } = loaded;
  for (let at = 0; at < length; at += 1) units[at] = from[at] ?? 0;
  return true;
}

function askAll(folded: string): void {
  const { length } = folded;
  if (length >= loaded.units.length) reserve(length);
  const { units } = loaded;
  for (let at = 0; at < length; at += 1) units[at] = folded.charCodeAt(at);
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
/** Below this length, reading character by character is as fast as copying. */
const LONGEST_SHORT = 12;
const FIRST_SIZE = 1 << 12;

const encoder = new TextEncoder();
let bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
const loaded: { units: Uint16Array; length: number } = { units: new Uint16Array(FIRST_SIZE), length: 0 };

/**
 * Text with accents, ligatures and width taken out, its case kept (case still marks the words of an identifier).
 *
 * Full-width and other compatibility forms become plain ones, `é` becomes `e`, `ß` becomes `ss`. Only the combining
 * diacritical marks (U+0300 to U+036F) are dropped: the marks of Indic scripts, Thai and kana carry meaning and stay.
 */
export function foldText(text: string): string {
  if (!HAS_OTHER_THAN_ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .replace(SPECIAL_LETTERS, (letter) => SPECIAL_LETTER_FORMS.get(letter) ?? letter)
    .normalize('NFC');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const HAS_OTHER_THAN_ASCII = /[^\u0000-\u007f]/;
const DIACRITICS = /[\u0300-\u036f]+/g;

/** Letters that Unicode does not decompose, though people type them without the stroke or as two letters. */
const SPECIAL_LETTER_FORMS: ReadonlyMap<string, string> = pairs(
  'ß:ss ẞ:SS æ:ae Æ:AE œ:oe Œ:OE ø:o Ø:O đ:d Đ:D ð:d Ð:D þ:th Þ:TH ł:l Ł:L ı:i ħ:h Ħ:H',
);
const SPECIAL_LETTERS = new RegExp(`[${[...SPECIAL_LETTER_FORMS.keys()].join('')}]`, 'g');

/** A table written as `key:value key:value`. */
export function pairs(text: string): ReadonlyMap<string, string> {
  return new Map(text.split(' ').map((pair) => pair.split(':') as [string, string]));
}

/** How many characters of a name count; names that differ only after that have the same key. */
const LONGEST_KEY = 256;

/**
 * A name without case, punctuation, spaces, accents and width: `Get-Accounts!` and `get_accounts` are both `getaccounts`. Empty for
 * a name without letters and digits.
 */
export function nameKey(name: string): string {
  const folded = foldText(name);
  let key = '';
  for (let at = 0; at < folded.length && key.length < LONGEST_KEY; at += 1) {
    const code = folded.charCodeAt(at);
    const kind = characterClass(code);
    if (kind === CharacterClass.upper) {
      key += String.fromCharCode(lowerCase(code));
    } else if (kind === CharacterClass.lower || kind === CharacterClass.digit || kind === CharacterClass.unspaced) {
      key += folded[at];
    } else if (kind === CharacterClass.highSurrogate) {
      const codePoint = folded.codePointAt(at) ?? 0;
      if (codePoint > 0xffff && astralClass(codePoint) !== CharacterClass.separator) {
        key += String.fromCodePoint(codePoint);
        at += 1;
      }
    }
  }
  return key;
}
