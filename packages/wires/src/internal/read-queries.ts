import { isJsonObject } from '@quartermaster/core/catalog';

const KEYS: readonly string[] = ['query', 'queries', 'pattern', 'patterns', 'q', 'search', 'keywords'];

/** What a search in a history looked for, under any of the keys that models write. */
export function readQueries(input: unknown): readonly string[] {
  if (typeof input === 'string') return input === '' ? [] : [input];
  if (!isJsonObject(input)) return [];
  const values: readonly unknown[] = KEYS.flatMap((key) => (Object.hasOwn(input, key) ? [input[key]].flat() : []));
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}
