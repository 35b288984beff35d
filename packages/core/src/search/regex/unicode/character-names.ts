import { runToEnd } from '../../../slices.ts';

/** The names as data: 212 kB that only `\N{NAME}` needs. */
type CharacterNameTable = typeof import('./character-name-table.ts');

/** The character that `\N{NAME}` names: every name and alias of Unicode 14, in either case. */
export function characterNamed(name: string): number | undefined {
  if (table !== undefined) names ??= runToEnd(readNames(table));
  const upper = name.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  return names?.get(upper) ?? composedCharacter(name);
}

/** Loads the table, unless it is loaded already. A bundler puts it in a separate file. */
export async function loadCharacterNames(): Promise<void> {
  if (table === undefined) useCharacterNames(await import('./character-name-table.ts'));
}

/** The table, if it has been imported. */
export function useCharacterNames(loaded: CharacterNameTable): void {
  table ??= loaded;
}

export function areCharacterNamesLoaded(): boolean {
  return table !== undefined;
}

/** Reads the table, unless it has been read, and yields where it may pause: 33,000 names take some time and memory. */
export function* prepareCharacterNames(): Generator<void, void> {
  if (table !== undefined) names ??= yield* readNames(table);
}

let table: CharacterNameTable | undefined;
let names: ReadonlyMap<string, number> | undefined;

function* readNames(data: CharacterNameTable): Generator<void, ReadonlyMap<string, number>> {
  const map = new Map<string, number>();
  const words = data.WORDS.join('').split(' ');
  yield* readList({ text: data.NAMES.join(''), runs: data.NAME_RUNS, words, data }, map);
  yield* readList({ text: data.ALIASES.join(''), runs: data.ALIAS_RUNS, words, data }, map);
  return map;
}

interface NameList {
  readonly text: string;
  readonly runs: string;
  readonly words: readonly string[];
  readonly data: CharacterNameTable;
}

/** How many names are read between two pauses. */
const NAMES_PER_STEP = 256;

function* readList({ runs, ...list }: NameList, map: Map<string, number>): Generator<void, void> {
  const nextName = nameReader(list);
  let read = 0;
  for (const code of codePoints(runs)) {
    map.set(nextName(), code);
    if (++read % NAMES_PER_STEP === 0) yield;
  }
}

function* codePoints(runs: string): Generator<number> {
  const numbers = runs.split(' ').map((text) => Number.parseInt(text, 36));
  let code = 0;
  for (let index = 0; index < numbers.length; index += 2) {
    code += numbers[index] ?? 0;
    yield code;
    for (let count = numbers[index + 1] ?? 0; count > 1; count--) yield ++code;
  }
}

/** Reads one name after the other. */
function nameReader({ text, words, data }: Omit<NameList, 'runs'>): () => string {
  const { SINGLE_SIGNS, WORD_SIGNS } = data;
  const signs = numbersOf(WORD_SIGNS);
  const keeps = numbersOf(data.KEPT_WORDS);
  const name: string[] = [];
  let at = 0;
  const peek = (): number => (at < text.length ? text.charCodeAt(at) : 0);
  const isSpelled = (code: number): boolean => code > SPACE && signs[code] === NONE && keeps[code] === NONE;

  function nextWord(): string {
    const sign = signs[peek()] as number;
    if (sign === NONE) {
      if (peek() === SPACE) at++;
      const start = at;
      while (isSpelled(peek())) at++;
      return text.slice(start, at);
    }
    at++;
    if (sign < SINGLE_SIGNS) return words[sign] ?? '';
    const pair = (sign - SINGLE_SIGNS) * WORD_SIGNS.length + (signs[peek()] as number);
    at++;
    return words[SINGLE_SIGNS + pair] ?? '';
  }

  return () => {
    name.length = keeps[peek()] as number;
    at++;
    while (at < text.length && keeps[peek()] === NONE) name.push(nextWord());
    return name.join(' ');
  };
}

const SPACE = 0x20;
const NONE = -1;

/** The place of each ASCII character in a list of them; -1 where it isn't there. */
function numbersOf(characters: string): Int8Array {
  const numbers = new Int8Array(128).fill(NONE);
  for (let index = 0; index < characters.length; index++) numbers[characters.charCodeAt(index)] = index;
  return numbers;
}

/**
 * The character whose name is made by a rule (Unicode 14, chapters 3.12 and 4.8) and stands in no table: ideographs and
 * the like, whose name ends in the code point, and Hangul syllables, whose name spells their sounds. CPython takes unified
 * ideographs and Hangul in upper case only, and doesn't name Tangut ideographs.
 */
function composedCharacter(name: string): number | undefined {
  const [, kind, hexadecimal] = NUMBERED.exec(name) ?? [];
  if (kind !== undefined && hexadecimal !== undefined) return numbered(kind, hexadecimal);
  const [, initial, vowel, final] = SYLLABLE.exec(name) ?? [];
  if (initial === undefined || vowel === undefined || final === undefined) return undefined;
  const opening = INITIALS.indexOf(initial) * VOWELS.length + VOWELS.indexOf(vowel);
  return FIRST_SYLLABLE + opening * FINALS.length + FINALS.indexOf(final);
}

function numbered(kind: string, hexadecimal: string): number | undefined {
  const code = Number.parseInt(hexadecimal, 16);
  const isUnified = kind === UNIFIED;
  const isTaken = isUnified ? hexadecimal === hexadecimal.toUpperCase() : !hexadecimal.startsWith('0');
  const ranges = isUnified ? IDEOGRAPHS : (OTHERS.get(kind.toUpperCase()) ?? []);
  return isTaken && ranges.some(([low, high]) => code >= low && code <= high) ? code : undefined;
}

const FIRST_SYLLABLE = 0xac00;
/** In the order of the code points. The silent initial and the missing final are empty. */
const INITIALS = 'G GG N D DD R M B BB S SS  J JJ C K T P H'.split(' ');
const VOWELS = 'A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I'.split(' ');
const FINALS = ' G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H'.split(' ');

const NUMBERED = /^([A-Za-z ]+)-([0-9A-Fa-f]{4,5})$/;
const UNIFIED = 'CJK UNIFIED IDEOGRAPH';
const SYLLABLE = new RegExp(`^HANGUL SYLLABLE (${oneOf(INITIALS)})(${oneOf(VOWELS)})(${oneOf(FINALS)})$`);

function oneOf(sounds: readonly string[]): string {
  return sounds.join('|');
}

type Range = readonly [low: number, high: number];

/** Ranges as `low-high` in hexadecimal. */
function ranges(text: string): readonly Range[] {
  return text.split(' ').map((range) => {
    const [low, high] = range.split('-').map((end) => Number.parseInt(end, 16));
    return [low, high] as [number, number];
  });
}

const IDEOGRAPHS: readonly Range[] = ranges(
  '3400-4dbf 4e00-9fff 20000-2a6df 2a700-2b738 2b740-2b81d 2b820-2cea1 2ceb0-2ebe0 30000-3134a',
);

const OTHERS: ReadonlyMap<string, readonly Range[]> = new Map([
  ['CJK COMPATIBILITY IDEOGRAPH', ranges('f900-fa6d fa70-fad9 2f800-2fa1d')],
  ['KHITAN SMALL SCRIPT CHARACTER', ranges('18b00-18cd5')],
  ['NUSHU CHARACTER', ranges('1b170-1b2fb')],
]);
