import { isJsonObject, type JsonObject } from '../../catalog/index.ts';
import { defined, tryParseJson } from '../../catalog/internal.ts';
import { OWN_NAMES, type Own, type Plan } from '../../disclosure/index.ts';
import { ownNamed } from '../../disclosure/internal.ts';
import type { Call } from '../toolbox.ts';

/** A call without the bridge: what the model wants, before anything is looked up. */
type Unwrapped =
  | { readonly kind: 'search'; readonly queries: readonly string[]; readonly limit?: number }
  | { readonly kind: 'describe'; readonly names: readonly string[] }
  /** Calls to real tools, wrapped or by their own names. */
  | { readonly kind: 'calls'; readonly calls: readonly NamedCall[]; readonly isWrapped: boolean }
  /** One of our tools, or a search tool of the protocol, that the conversation had before search was switched off. */
  | { readonly kind: 'absent'; readonly name: string }
  /** `isSearch`: the search has begun, and a wire that has shown its first half needs the second. */
  | { readonly kind: 'malformed'; readonly reason: string; readonly isSearch: boolean };

/** How many queries, names or calls one call may hold. */
const MOST_AT_ONCE = 20;

/**
 * Removes the bridge, and understands the ways in which models get it wrong: arguments as a JSON string, flattened next to the
 * name, nested under another key; `query` and `queries` together; one name instead of a list. `isKnown` distinguishes a tool's
 * name from an argument that happens to have the same key.
 */
export function unwrapCall(plan: Plan, call: Call, isKnown: (name: string) => boolean): Unwrapped {
  const own = ownNamed(plan, call.name.trim());
  const input = parseArguments(call.arguments);
  const isSearch = own?.role === 'search';
  if (input === undefined) {
    return { kind: 'malformed', reason: `The arguments of ${call.name.slice(0, 100)} are not a JSON object`, isSearch };
  }
  if (own === undefined) return unwrapReal(plan, { name: call.name, arguments: input }, isKnown);
  const unwrapped = UNWRAP[own.role](own, input, isKnown);
  return unwrapped.kind === 'malformed' ? { ...unwrapped, isSearch } : unwrapped;
}

/** A call by a tool's own name. A conversation from before search was switched off may still use the bridge. */
function unwrapReal(plan: Plan, call: NamedCall, isKnown: (name: string) => boolean): Unwrapped {
  const name = call.name.trim();
  const direct: Unwrapped = { kind: 'calls', calls: [call], isWrapped: false };
  const isOff = plan.kind === 'inline' || (plan.own.length === 0 && plan.deferred.size === 0);
  if (!isOff || isKnown(name)) return direct;
  const isPast = plan.kind === 'defer' && plan.pastSearches?.includes(name) === true;
  if (isPast || name === OWN_NAMES.search || name === OWN_NAMES.describe) return { kind: 'absent', name };
  const calls = name === OWN_NAMES.call ? readNamedCalls(call.arguments, isKnown) : [];
  return calls.length === 0 ? direct : { kind: 'calls', calls, isWrapped: false };
}

const UNWRAP: {
  [Role in Own['role']]: (own: Own, input: JsonObject, isKnown: (name: string) => boolean) => Unwrapped;
} = {
  search(own, input) {
    const queries = readTexts(input, QUERY_KEYS);
    if (queries.length === 0)
      return malformed(`${own.name} needs ${hasKey(own, 'pattern') ? 'pattern' : 'query'}: what to look for`);
    const limit = readLimit(input.limit ?? input.max_results ?? input.top_k);
    return within(queries, { kind: 'search', queries, ...defined({ limit }) });
  },
  describe(own, input) {
    const names = readTexts(input, ['name', 'names', 'tool_name', 'tool_names', 'tool', 'tools']);
    return names.length === 0
      ? malformed(`${own.name} needs name: a tool that was found`)
      : within(names, { kind: 'describe', names });
  },
  call(own, input, isKnown) {
    const calls = readNamedCalls(input, isKnown);
    return calls.length === 0
      ? malformed(`${own.name} needs name and arguments, such as {"name": "a_tool", "arguments": {}}`)
      : within(calls, { kind: 'calls', calls, isWrapped: true });
  },
};

/** What holds a list, unless the list is too long. */
function within(list: readonly unknown[], unwrapped: Unwrapped): Unwrapped {
  if (list.length <= MOST_AT_ONCE) return unwrapped;
  return malformed(`${list.length} at once are too many; at most ${MOST_AT_ONCE}`);
}

function malformed(reason: string): Unwrapped {
  return { kind: 'malformed', reason, isSearch: false };
}

function hasKey(own: Own, key: string): boolean {
  return isJsonObject(own.schema.properties) && Object.hasOwn(own.schema.properties, key);
}

/** A limit may be a text. What is not a number is ignored: a search with the usual limit is better than a refusal. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof limit === 'number' && Number.isFinite(limit) ? Math.trunc(limit) : undefined;
}

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
 * The real calls in a `tool_call`'s input, in any notation: `{name, arguments}`, `{calls: […]}`, arguments flattened
 * next to the name, or the pair nested under another key. Empty if there is no name.
 */
function readNamedCalls(input: JsonObject, isKnown: (name: string) => boolean): readonly NamedCall[] {
  for (const key of LIST_KEYS) {
    const list = own(input, key);
    const entries = typeof list === 'string' ? tryParseJson(list) : list;
    if (Array.isArray(entries) && entries.length > 0) return readList(entries, isKnown);
    if (isJsonObject(entries)) return readList([entries], isKnown);
  }
  const call = readOne(input, isKnown, MOST_NESTING);
  return call === undefined ? [] : [call];
}

/** A list with an entry that is not a call is not a list of calls: none of it may run. */
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

/** `arguments` is unambiguous; another word for it may be a parameter, unless it is alone next to the name. */
function argumentsKey(rest: JsonObject): string | undefined {
  if (Object.hasOwn(rest, 'arguments')) return 'arguments';
  const keys = Object.keys(rest);
  const [only] = keys;
  if (keys.length !== 1 || only === undefined || !ARGUMENT_KEYS.includes(only)) return undefined;
  return parseArguments(rest[only]) === undefined ? undefined : only;
}

/** The key whose text is a tool's name: a flattened call may have a parameter called `name` next to `tool_name`. */
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

const MOST_CHARACTERS = 4_000_000;

/** Deeper ones overflow the stack when they are serialized, and no tool needs them. */
const MOST_DEPTH = 200;

/**
 * Arguments as an object. A string is parsed, twice if a model has quoted it twice, without a code fence;
 * nothing at all means no arguments. `undefined` for anything that can't be an object, or is nested too deeply.
 */
export function parseArguments(value: unknown): JsonObject | undefined {
  let parsed = value;
  for (let times = 0; times < 2 && typeof parsed === 'string'; times += 1) {
    if (parsed.trim() === '') return {};
    parsed = parsed.length > MOST_CHARACTERS ? undefined : tryParseJson(withoutFence(parsed));
  }
  if (parsed === undefined || parsed === null) return value === undefined || value === null ? {} : undefined;
  return isJsonObject(parsed) && !isUnwritable(parsed) ? parsed : undefined;
}

/** The text between the first line and the last three backticks, if the whole is one code block. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const start = trimmed.indexOf('\n');
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && start >= 0;
  return isFenced ? trimmed.slice(start + 1, -3) : text;
}

/** Whether arguments can't be written as JSON. Level by level rather than by recursion, which is what it protects. */
function isUnwritable(value: JsonObject): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH || level.some((node) => typeof node === 'bigint')) return true;
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return false;
}

/** The keys that models use for what they search for. */
const QUERY_KEYS: readonly string[] = ['query', 'queries', 'pattern', 'patterns', 'q', 'search', 'keywords'];

/** What a search in a history looked for. Empty for unreadable arguments. */
export function readQueries(arguments_: unknown): readonly string[] {
  return readTexts(parseArguments(arguments_) ?? {}, QUERY_KEYS);
}

/** The texts under any of these keys, in the keys' order, each once: a single one, a list, or a list written as JSON. */
function readTexts(input: JsonObject, keys: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  for (const key of keys) {
    if (!Object.hasOwn(input, key)) continue;
    for (const text of listOf(input[key])) if (text.trim() !== '') texts.add(text.trim());
  }
  return [...texts];
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim().startsWith('[') ? parseTextList(value) : [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function parseTextList(text: string): readonly string[] {
  const parsed = tryParseJson(text);
  return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [text];
}

/** The key that Anthropic's documentation tells clients to use for arguments that are not JSON. */
const INVALID_JSON = 'INVALID_JSON';

/**
 * A call's arguments as the object that the API expects. Text that is not JSON gets its own key: without any
 * arguments it would look like a different call.
 */
export function toInput(text: string): JsonObject {
  return parseArguments(text) ?? { [INVALID_JSON]: text };
}

/** A call's arguments as the model wrote them: the text if they were not JSON, otherwise the value. */
export function writtenInput(input: unknown): unknown {
  if (!isJsonObject(input) || Object.keys(input).length !== 1) return input;
  const text = own(input, INVALID_JSON);
  return typeof text === 'string' && parseArguments(text) === undefined ? text : input;
}
