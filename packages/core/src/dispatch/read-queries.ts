import { parseArguments } from './parse-arguments.ts';
import { readTexts } from './read-texts.ts';

/** The keys under which models write what they search for. */
export const QUERY_KEYS: readonly string[] = ['query', 'queries', 'pattern', 'patterns', 'q', 'search', 'keywords'];

/** What a search in a history looked for. Nothing for arguments that can't be read. */
export function readQueries(arguments_: unknown): readonly string[] {
  return readTexts(parseArguments(arguments_) ?? {}, QUERY_KEYS);
}
