import { isJsonObject, type JsonObject } from '../../catalog/index.ts';
import { defined } from '../../defined.ts';
import { OWN_NAMES, type Own, type Plan } from '../../disclosure/index.ts';
import type { Call } from '../call.ts';
import { parseArguments, QUERY_KEYS, readTexts } from './parse-arguments.ts';
import { type NamedCall, readNamedCalls } from './read-named-calls.ts';

/** A call with the bridge taken off: what the model wants, before anything is looked up. */
export type Unwrapped =
  | { readonly kind: 'search'; readonly queries: readonly string[]; readonly limit?: number }
  | { readonly kind: 'describe'; readonly names: readonly string[] }
  /** Calls to real tools, wrapped or by their own names. */
  | { readonly kind: 'calls'; readonly calls: readonly NamedCall[]; readonly isWrapped: boolean }
  /** A tool of ours that the conversation had before search was switched off. */
  | { readonly kind: 'absent'; readonly name: string }
  /** `isSearch`: the search was begun, and a wire that has shown its first half needs the second. */
  | { readonly kind: 'malformed'; readonly reason: string; readonly isSearch: boolean };

/** How many queries, names or calls one call may hold. */
export const MOST_AT_ONCE = 20;

/**
 * Takes the bridge off, and understands the ways in which models miswrite it: arguments as a JSON string, flattened beside the
 * name, nested under another key; `query` and `queries` together; one name where a list was due. `isKnown` tells a tool's
 * name from an argument that happens to have the same key.
 */
export function unwrapCall(plan: Plan, call: Call, isKnown: (name: string) => boolean): Unwrapped {
  const own = plan.kind === 'defer' ? plan.own.find((one) => one.name === call.name.trim()) : undefined;
  const input = parseArguments(call.arguments);
  const isSearch = own?.role === 'search';
  if (input === undefined) {
    return { kind: 'malformed', reason: `The arguments of ${call.name.slice(0, 100)} are not a JSON object`, isSearch };
  }
  if (own === undefined) return unwrapReal(plan, { name: call.name, arguments: input }, isKnown);
  const unwrapped = limited(UNWRAP[own.role](own, input, isKnown));
  return unwrapped.kind === 'malformed' ? { ...unwrapped, isSearch } : unwrapped;
}

/** A call by a tool's own name. In a conversation from before search was switched off, a model may still use the bridge. */
function unwrapReal(plan: Plan, call: NamedCall, isKnown: (name: string) => boolean): Unwrapped {
  const name = call.name.trim();
  const direct: Unwrapped = { kind: 'calls', calls: [call], isWrapped: false };
  const isOff = plan.kind === 'inline' || (plan.own.length === 0 && plan.deferred.size === 0);
  if (!isOff || isKnown(name)) return direct;
  if (name === OWN_NAMES.search || name === OWN_NAMES.describe) return { kind: 'absent', name };
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
    return { kind: 'search', queries, ...defined({ limit }) };
  },
  describe(own, input) {
    const names = readTexts(input, ['name', 'names', 'tool_name', 'tool_names', 'tool', 'tools']);
    return names.length === 0
      ? malformed(`${own.name} needs name: a tool that was found`)
      : { kind: 'describe', names };
  },
  call(own, input, isKnown) {
    const calls = readNamedCalls(input, isKnown);
    return calls.length === 0
      ? malformed(`${own.name} needs name and arguments, such as {"name": "a_tool", "arguments": {}}`)
      : { kind: 'calls', calls, isWrapped: true };
  },
};

function limited(unwrapped: Unwrapped): Unwrapped {
  const list = listIn(unwrapped);
  return list.length > MOST_AT_ONCE
    ? malformed(`${list.length} at once are too many; at most ${MOST_AT_ONCE}`)
    : unwrapped;
}

function listIn(unwrapped: Unwrapped): readonly unknown[] {
  switch (unwrapped.kind) {
    case 'search':
      return unwrapped.queries;
    case 'describe':
      return unwrapped.names;
    case 'calls':
      return unwrapped.calls;
    case 'absent':
    case 'malformed':
      return [];
  }
}

function malformed(reason: string): Unwrapped {
  return { kind: 'malformed', reason, isSearch: false };
}

function hasKey(own: Own, key: string): boolean {
  return isJsonObject(own.schema.properties) && Object.hasOwn(own.schema.properties, key);
}

/** A limit may come as text. What is no number is passed over: a search with the usual limit beats a refusal. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof limit === 'number' && Number.isFinite(limit) ? Math.trunc(limit) : undefined;
}
