import { searchText, type Tool } from '../../catalog/index.ts';
import { BM25_FIELDS } from '../bm25/index.ts';
import { nameKey, stemWord, TokenKind, tokenize } from '../text/index.ts';

/** What an engine outside the process finds a tool by: the same words and stems that the index in memory has. */
export interface ToolTerms {
  /** Each word as it is written, and whole identifiers. */
  readonly words: ReadonlySet<string>;
  /** The stem of each word, those that tell most first: name, server, description, parameters. Whole identifiers are their own. */
  readonly stems: ReadonlySet<string>;
  /** Of its name alone. */
  readonly nameStems: ReadonlySet<string>;
  /** Keys of its name: alone and after its server's. */
  readonly nameKeys: readonly string[];
  readonly serverKey: string;
  /** How many words each field has, in the order of the index's fields. */
  readonly fieldLengths: readonly number[];
}

/** Reads a tool as the index in memory does. */
export function readToolTerms(tool: Tool): ToolTerms {
  const text = searchText(tool);
  const words = new Set<string>();
  const stems = new Set<string>();
  const nameStems = new Set<string>();
  const fieldLengths = BM25_FIELDS.map((field) => {
    const value = text[field];
    let length = 0;
    for (const part of typeof value === 'string' ? [value] : value) {
      for (const { text: word, kind } of tokenize(part)) {
        const isWord = kind === TokenKind.word;
        const stem = isWord ? stemOf(word) : word;
        words.add(word);
        stems.add(stem);
        if (field === 'name') nameStems.add(stem);
        if (isWord) length += 1;
      }
    }
    return length;
  });
  // A name without letters or digits is found by itself.
  const key = nameKey(tool.name) || tool.name.trim();
  const serverKey = nameKey(tool.server ?? '');
  const nameKeys = [key, serverKey + key].filter((one, at, all) => one !== '' && all.indexOf(one) === at);
  return { words, stems, nameStems, nameKeys, serverKey, fieldLengths };
}

/** The stems of a tool's name, for those who need nothing else of it. */
export function readNameStems({ name }: Pick<Tool, 'name'>): readonly string[] {
  return tokenize(name).map(({ text, kind }) => (kind === TokenKind.word ? stemOf(text) : text));
}

/** Longer words are their own stems. */
const LONGEST_STEMMED = 24;

export function stemOf(word: string): string {
  if (word.length > LONGEST_STEMMED) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemWord(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** Most words of a catalog come again and again. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;
