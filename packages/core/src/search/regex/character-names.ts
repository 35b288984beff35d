import { runToEnd } from '../slices/index.ts';
import {
  ALIAS_RUNS,
  ALIASES,
  KEPT_WORDS,
  NAME_RUNS,
  NAMES,
  SINGLE_SIGNS,
  WORD_SIGNS,
  WORDS,
} from './character-name-table.ts';
import { composedCharacter } from './composed-names.ts';

/** The character that `\N{NAME}` names: every name and alias of Unicode 14, in either case. */
export function characterNamed(name: string): number | undefined {
  names ??= runToEnd(readNames());
  const upper = name.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  return names.get(upper) ?? composedCharacter(name);
}

/** Reads the table, unless that was done, and yields where it may pause: 33,000 names take some time, and some memory. */
export function* prepareCharacterNames(): Generator<void, void> {
  names ??= yield* readNames();
}

let names: ReadonlyMap<string, number> | undefined;

function* readNames(): Generator<void, ReadonlyMap<string, number>> {
  const map = new Map<string, number>();
  const words = WORDS.join('').split(' ');
  yield* readList({ text: NAMES.join(''), runs: NAME_RUNS, words }, map);
  yield* readList({ text: ALIASES.join(''), runs: ALIAS_RUNS, words }, map);
  return map;
}

interface NameList {
  readonly text: string;
  readonly runs: string;
  readonly words: readonly string[];
}

/** How many names are read between two pauses. */
const NAMES_PER_STEP = 256;

function* readList({ text, runs, words }: NameList, map: Map<string, number>): Generator<void, void> {
  const nextName = nameReader(text, words);
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
function nameReader(text: string, words: readonly string[]): () => string {
  const signs = numbersOf(WORD_SIGNS);
  const keeps = numbersOf(KEPT_WORDS);
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
