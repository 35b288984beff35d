import { runToEnd } from '../../slices/index.ts';
import { composedCharacter } from './composed-names.ts';

/** The names as data: 212 kB that only `\N{NAME}` needs. */
export type CharacterNameTable = typeof import('./character-name-table.ts');

/** The character that `\N{NAME}` names: every name and alias of Unicode 14, in either case. */
export function characterNamed(name: string): number | undefined {
  if (table !== undefined) names ??= runToEnd(readNames(table));
  const upper = name.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  return names?.get(upper) ?? composedCharacter(name);
}

/** Loads the table, unless that was done. A bundler keeps it in a file of its own. */
export async function loadCharacterNames(): Promise<void> {
  if (table === undefined) useCharacterNames(await import('./character-name-table.ts'));
}

/** The table, where it was imported already. */
export function useCharacterNames(loaded: CharacterNameTable): void {
  table ??= loaded;
}

export function areCharacterNamesLoaded(): boolean {
  return table !== undefined;
}

/** Reads the table, unless that was done, and yields where it may pause: 33,000 names take some time, and some memory. */
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
