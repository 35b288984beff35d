import { isJsonObject, type JsonObject } from '../../catalog/index.ts';
import { parseArguments } from './parse-arguments.ts';

/** A real tool by the name that the model wrote. */
export interface NamedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const NAME_KEYS = ['name', 'tool_name', 'toolName', 'tool', 'function', 'function_name'];
const ARGUMENT_KEYS = ['arguments', 'args', 'input', 'parameters', 'params', 'tool_input', 'tool_arguments'];
const LIST_KEYS = ['calls', 'tool_calls'];
const MOST_NESTING = 4;

/**
 * The real calls in a `tool_call`'s input, however they are written: `{name, arguments}`, `{calls: […]}`, arguments flattened
 * beside the name, or the pair nested under another key. Empty when no name is to be found.
 */
export function readNamedCalls(input: JsonObject, isKnown: (name: string) => boolean): readonly NamedCall[] {
  for (const key of LIST_KEYS) {
    const list = own(input, key);
    const entries = typeof list === 'string' ? parseList(list) : list;
    if (Array.isArray(entries) && entries.length > 0) return readList(entries, isKnown);
    if (isJsonObject(entries)) return readList([entries], isKnown);
  }
  const call = readOne(input, isKnown, MOST_NESTING);
  return call === undefined ? [] : [call];
}

/** A list with one entry that is no call is no list of calls: none of it may be run. */
function readList(entries: readonly unknown[], isKnown: (name: string) => boolean): readonly NamedCall[] {
  const calls = entries.map((entry) => {
    const parsed = parseArguments(entry);
    return parsed === undefined ? undefined : readOne(parsed, isKnown, MOST_NESTING);
  });
  return calls.includes(undefined) ? [] : calls.filter((call) => call !== undefined);
}

function readOne(input: JsonObject, isKnown: (name: string) => boolean, depth: number): NamedCall | undefined {
  if (depth === 0) return undefined;
  const key = nameKey(input, isKnown);
  if (key === undefined) return readNested(input, isKnown, depth);
  const name = String(input[key]);
  const rest = without(input, key);
  const argumentKey = argumentsKey(rest);
  if (argumentKey === undefined) return { name, arguments: rest };
  const parsed = parseArguments(rest[argumentKey]);
  return parsed === undefined ? undefined : { name, arguments: parsed };
}

/** `arguments` means what it says; another word for it may be a parameter, unless it stands alone beside the name. */
function argumentsKey(rest: JsonObject): string | undefined {
  if (Object.hasOwn(rest, 'arguments')) return 'arguments';
  const keys = Object.keys(rest);
  const [only] = keys;
  if (keys.length !== 1 || only === undefined || !ARGUMENT_KEYS.includes(only)) return undefined;
  return parseArguments(rest[only]) === undefined ? undefined : only;
}

/** The key whose text is a tool's name: a flattened call may well have a parameter called `name` beside `tool_name`. */
function nameKey(input: JsonObject, isKnown: (name: string) => boolean): string | undefined {
  const keys = NAME_KEYS.filter((key) => typeof own(input, key) === 'string');
  return keys.find((key) => isKnown(String(input[key]))) ?? keys[0];
}

/** `{tool: {name, arguments}}` and `{arguments: {tool_name, …}}`. */
function readNested(input: JsonObject, isKnown: (name: string) => boolean, depth: number): NamedCall | undefined {
  for (const key of [...NAME_KEYS, ...ARGUMENT_KEYS]) {
    const inner = own(input, key);
    const parsed = inner === undefined ? undefined : parseArguments(inner);
    const call = parsed === undefined ? undefined : readOne(parsed, isKnown, depth - 1);
    if (call !== undefined) return call;
  }
  return undefined;
}

/** By entries, not by spreading a key away: a parameter may be called `__proto__`. */
function without(input: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== key));
}

function own(input: JsonObject, key: string): unknown {
  return Object.hasOwn(input, key) ? input[key] : undefined;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
