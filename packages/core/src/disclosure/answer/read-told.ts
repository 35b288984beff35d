import { isJsonObject } from '../../catalog/index.ts';
import { LINE_NAME } from './match-levels.ts';

const MOST_CHARACTERS = 1_000_000;
const MOST_NAMES = 200;

/**
 * The names in one of our answers, for a wire whose messages keep the text: the other direction of `tell`. Returns nothing
 * for any other text, because the history is untrusted.
 */
export function readTold(text: string): readonly string[] {
  if (text.length > MOST_CHARACTERS) return [];
  if (text.startsWith('<functions>'))
    return [...text.matchAll(/^<function>(.*)<\/function>$/gm)]
      .flatMap(([, one]) => nameIn(parse(one ?? '')))
      .slice(0, MOST_NAMES);
  const value = parse(text);
  if (!isJsonObject(value)) return [];
  const list = value.matches ?? value.tools;
  const entries: readonly unknown[] = Array.isArray(list) ? list : [value];
  return entries.slice(0, MOST_NAMES).flatMap(nameIn);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameIn(entry: unknown): readonly string[] {
  if (typeof entry === 'string') return LINE_NAME.exec(entry) ?? [];
  return isJsonObject(entry) && typeof entry.name === 'string' ? [entry.name] : [];
}
