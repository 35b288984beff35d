import { searchText, type Tool } from '../../catalog/index.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import { foldText, nameKey } from '../text/characters.ts';
import { GRAMMAR } from '../text/function-words.ts';
import { TokenKind, tokenize } from '../text/tokenize.ts';

/**
 * Whether a request names something of one of these tools exactly, which no judgement of its meaning may overrule:
 * - all of it, or an identifier in it (`idempotency_key`, `dueDate`, or anything in backticks), is the name of a parameter or a tool;
 * - it has a few words, and all of them are in the tool's name, its server's or those of its parameters;
 * - it has a word that the embedded model does not know (`kubeconfig`), and that is in one of these names.
 */
export function namesExactly(text: string, tools: Iterable<Tool>, embedder: Pick<StaticEmbedder, 'knows'>): boolean {
  const written = [...text.matchAll(IDENTIFIER)].map((found) => found[1] ?? found[0]);
  const identifiers = new Set([...written, text.slice(0, LONGEST_NAME)].map(nameKey).filter((key) => key !== ''));
  const words = [...new Set(wordsOf(text))].filter((word) => !GRAMMAR.has(word) && !NUMBER.test(word));
  const unknown = words.filter((word) => word.length >= LEAST_UNKNOWN && !embedder.knows(word));
  const isShort = words.length > 0 && words.length <= MOST_WORDS;
  if (text.length > LONGEST_NAME && written.length === 0 && unknown.length === 0) return false;
  for (const tool of tools) {
    const { name, server, parameterNames } = searchText(tool, TEXT_LIMITS);
    if ([name, ...parameterNames].some((one) => identifiers.has(nameKey(one)))) return true;
    const known = new Set([name, server, ...parameterNames].flatMap(wordsOf));
    if (unknown.some((word) => known.has(word))) return true;
    if (isShort && words.every((word) => known.has(word))) return true;
  }
  return false;
}

function wordsOf(text: string): string[] {
  return tokenize(foldText(text))
    .filter(({ kind }) => kind !== TokenKind.character)
    .map((token) => token.text);
}

const NUMBER = /^\d+$/;
/** Backticks around a short text; words joined by an underscore, a dash or a dot; capitals inside a word. */
const IDENTIFIER = /`([^`\n]{1,256})`|[\p{L}\p{N}]+(?:[_\-.]{1,2}[\p{L}\p{N}]+)+|\p{L}\p{Ll}*\p{Lu}[\p{L}\p{N}]*/gu;
const MOST_WORDS = 3;
const LONGEST_NAME = 256;
/** Shorter ones are in too many names by chance. */
const LEAST_UNKNOWN = 4;
const TEXT_LIMITS = { depth: 8, nodes: 1_000, characters: 16_384 } as const;
