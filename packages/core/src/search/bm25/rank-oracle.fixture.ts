import { searchText, type Tool } from '../../catalog/index.ts';
import { nameKey } from '../text/characters.ts';
import { FUNCTION_WORDS } from '../text/function-words.ts';
import { stemWord } from '../text/stem-word.ts';
import { TokenKind, tokenize } from '../text/tokenize.ts';
import { BM25_DEFAULTS, BM25_FIELDS, type Bm25Settings } from './bm25-options.ts';
import { roundLength } from './index/build-bm25-index.ts';

/**
 * The same formula the naive way: maps of strings, every tool looked at. Gives each term's and each stem's impact per tool,
 * and the lists' lengths.
 */
export function naiveImpacts(tools: readonly Tool[], settings: Bm25Settings = BM25_DEFAULTS): NaiveImpacts {
  const texts = tools.map((tool) => {
    const text = searchText(tool);
    return BM25_FIELDS.map((field) => {
      const value = text[field];
      const tokens = (typeof value === 'string' ? [value] : value).flatMap(tokenize);
      const key = nameKey(tool.name);
      if (field === 'name' && key !== '' && !tokens.some((token) => token.text === key)) {
        tokens.push({ text: key, kind: TokenKind.whole });
      }
      return tokens;
    });
  });
  const lengthOf = (tokens: readonly { kind: number }[]): number =>
    tokens.filter((token) => token.kind === TokenKind.word).length;
  const averages = BM25_FIELDS.map((_, field) =>
    roundLength(texts.reduce((sum, text) => sum + lengthOf(text[field] ?? []), 0) / texts.length || 1),
  );
  const asWords = new Set(texts.flat(2).flatMap((token) => (token.kind === TokenKind.word ? [token.text] : [])));
  const stemOf = (term: string): string => {
    let stem = term;
    while (asWords.has(stem) && !FUNCTION_WORDS.includes(stem) && stemWord(stem) !== stem) {
      stem = stemWord(stem);
    }
    return stem;
  };
  const exact = new Map<string, Map<number, number>>();
  const stems = new Map<string, Map<number, number>>();
  texts.forEach((text, tool) => {
    text.forEach((tokens, field) => {
      const name = BM25_FIELDS[field] ?? 'name';
      const b = settings.lengthWeights[name];
      const weight = settings.fieldWeights[name] / (1 - b + (b * lengthOf(tokens)) / (averages[field] ?? 1));
      for (const token of tokens) {
        const part = token.kind === TokenKind.whole ? weight * settings.wholeWeight : weight;
        add(exact, token.text, tool, part);
        add(stems, stemOf(token.text), tool, part);
      }
    });
  });
  return { exact: saturate(exact, settings.k1), stems: saturate(stems, settings.k1), stemOf };
}

export interface NaiveImpacts {
  readonly exact: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly stems: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly stemOf: (term: string) => string;
}

function add(into: Map<string, Map<number, number>>, term: string, tool: number, weight: number): void {
  const tools = into.get(term) ?? new Map<number, number>();
  tools.set(tool, (tools.get(tool) ?? 0) + weight);
  into.set(term, tools);
}

/** Impacts in 256ths, 1 to 255. */
function saturate(weights: Map<string, Map<number, number>>, k1: number): Map<string, Map<number, number>> {
  const impacts = new Map<string, Map<number, number>>();
  for (const [term, tools] of weights) {
    impacts.set(term, new Map([...tools].map(([tool, x]) => [tool, Math.min(255, Math.max(1, (x / (x + k1)) * 256))])));
  }
  return impacts;
}
