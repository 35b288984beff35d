import { isJsonObject, type JsonObject } from '../../catalog/index.ts';

const MOST_CHARACTERS = 4_000_000;
/** Deeper ones overflow the stack when they are serialised, and no tool asks for them. */
const MOST_DEPTH = 200;

/**
 * Arguments as an object. A string is parsed, twice over where a model has quoted it twice, with a code fence taken off;
 * nothing at all is no arguments. `undefined` for what can't be an object, or is nested beyond reason.
 */
export function parseArguments(value: unknown): JsonObject | undefined {
  let parsed = value;
  for (let times = 0; times < 2 && typeof parsed === 'string'; times += 1) {
    if (parsed.trim() === '') return {};
    parsed = parse(parsed);
  }
  if (parsed === undefined || parsed === null) return value === undefined || value === null ? {} : undefined;
  return isJsonObject(parsed) && !isTooDeep(parsed) ? parsed : undefined;
}

function parse(text: string): unknown {
  if (text.length > MOST_CHARACTERS) return undefined;
  try {
    return JSON.parse(withoutFence(text));
  } catch {
    return undefined;
  }
}

/** What stands between the first line and the last three backticks, where a text is one code block. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const start = trimmed.indexOf('\n');
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && start >= 0;
  return isFenced ? trimmed.slice(start + 1, -3) : text;
}

/** Level by level rather than by recursion, which is what it guards against. */
function isTooDeep(value: JsonObject): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH) return true;
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return false;
}

/** The keys under which models write what they search for. */
export const QUERY_KEYS: readonly string[] = ['query', 'queries', 'pattern', 'patterns', 'q', 'search', 'keywords'];

/** What a search in a history looked for. Nothing for arguments that can't be read. */
export function readQueries(arguments_: unknown): readonly string[] {
  return readTexts(parseArguments(arguments_) ?? {}, QUERY_KEYS);
}

/** The texts under any of these keys, in the keys' order, each once: a single one, a list, or a list written as JSON. */
export function readTexts(input: JsonObject, keys: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  for (const key of keys) {
    if (!Object.hasOwn(input, key)) continue;
    for (const text of listOf(input[key])) if (text.trim() !== '') texts.add(text.trim());
  }
  return [...texts];
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim().startsWith('[') ? listIn(value) : [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function listIn(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [text];
  } catch {
    return [text];
  }
}
