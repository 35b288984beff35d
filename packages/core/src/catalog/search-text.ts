import type { Json, JsonObject } from './json.ts';
import type { Tool } from './tool.ts';

/** The texts that a tool can be found by, by field. The searchers index these and nothing else. */
export interface SearchText {
  readonly name: string;
  /** Empty if the tool has no server. */
  readonly server: string;
  /** The title, the search hint and the description, one per line. */
  readonly description: string;
  /** Names of properties at any depth, in schema order. */
  readonly parameterNames: readonly string[];
  /** Descriptions and titles of the schema and of everything in it, in schema order. */
  readonly parameterDescriptions: readonly string[];
  /** Allowed values that are strings or numbers, as text. */
  readonly enumValues: readonly string[];
}

/** Limits on the texts of one tool. The rest is left out without an error. */
export interface SearchTextLimits {
  /** How deep schemas may be nested, where a choice or a list counts as a level. @default 16 */
  readonly depth?: number;
  /** How many schemas are read. @default 5_000 */
  readonly nodes?: number;
  /** Characters over all fields; the text that exceeds the limit is cut. @default 65_536 */
  readonly characters?: number;
}

/** The default limits of a tool's texts. */
export const SEARCH_TEXT_DEFAULTS: Required<SearchTextLimits> = { depth: 16, nodes: 5_000, characters: 65_536 };

/**
 * Collects the texts that a tool can be found by. Every schema counts once: a `$ref` is followed only to a place that the walk
 * does not reach by itself (such as `$defs`), and to each such place only the first time. Never throws.
 */
export function searchText(tool: Tool, limits: SearchTextLimits = SEARCH_TEXT_DEFAULTS): SearchText {
  const walk: Walk = {
    root: tool.schema,
    depth: limits.depth ?? SEARCH_TEXT_DEFAULTS.depth,
    nodes: limits.nodes ?? SEARCH_TEXT_DEFAULTS.nodes,
    characters: limits.characters ?? SEARCH_TEXT_DEFAULTS.characters,
    names: [],
    descriptions: [],
    values: [],
    followed: undefined,
  };
  const name = take(tool.name, walk);
  const server = tool.server === undefined ? '' : take(tool.server, walk);
  const description = take(describe(tool), walk);
  visit(tool.schema, 0, walk);
  return {
    name,
    server,
    description,
    parameterNames: walk.names,
    parameterDescriptions: walk.descriptions,
    enumValues: walk.values,
  };
}

/** The state of one walk: what is left of each limit, and what was collected. */
interface Walk {
  readonly root: Json;
  readonly depth: number;
  nodes: number;
  characters: number;
  readonly names: string[];
  readonly descriptions: string[];
  readonly values: string[];
  /** The `$ref` targets already visited; created for the first `$ref`, because most schemas have none. */
  followed: Set<Json> | undefined;
}

/** A hint comes before the description, so that readers of only the beginning of a long text see it. */
function describe(tool: Tool): string {
  const { title, searchHint } = tool.extras;
  const hint = searchHint ?? '';
  const parts = [title, hint.slice(0, LONGEST_HINT), tool.description, hint.slice(LONGEST_HINT)];
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}

/** Iterates over the existing keys instead of checking for each keyword: schemas are small and vary a lot. */
function visit(schema: Json | undefined, depth: number, walk: Walk): void {
  // Everything visited counts, so that no input makes the walk longer than its limit.
  if (walk.nodes <= 0 || walk.characters <= 0) return;
  walk.nodes -= 1;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > walk.depth) return;
  const node = schema as JsonObject;
  for (const key in node) {
    switch (key) {
      case 'description':
      case 'title':
        addText(node[key], walk.descriptions, walk);
        break;
      case 'const':
        addValue(node[key], walk);
        break;
      case 'enum':
        addValues(node[key], walk);
        break;
      case 'properties':
        visitProperties(node[key], depth, walk);
        break;
      case 'patternProperties':
      case 'dependentSchemas':
        visitMembers(node[key], depth, walk);
        break;
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
      case 'items':
        visitList(node[key], depth, walk);
        break;
      case 'additionalProperties':
      case 'contains':
      case 'if':
      case 'then':
      case 'else':
        visit(node[key], depth + 1, walk);
        break;
      case '$ref':
        follow(node[key], depth, walk);
        break;
    }
  }
}

function visitProperties(properties: Json | undefined, depth: number, walk: Walk): void {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return;
  const members = properties as JsonObject;
  for (const name in members) {
    if (walk.characters <= 0 || walk.nodes <= 0) return;
    walk.names.push(take(name, walk));
    visit(members[name], depth + 1, walk);
  }
}

function visitMembers(members: Json | undefined, depth: number, walk: Walk): void {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return;
  for (const name in members) visit((members as JsonObject)[name], depth + 1, walk);
}

/** `items` is one schema or, before draft 2020-12, a list of them. */
function visitList(list: Json | undefined, depth: number, walk: Walk): void {
  if (!Array.isArray(list)) {
    visit(list, depth + 1, walk);
    return;
  }
  for (let i = 0; i < list.length && walk.nodes > 0; i++) visit(list[i], depth + 1, walk);
}

function follow(reference: Json | undefined, depth: number, walk: Walk): void {
  if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > LONGEST_POINTER) return;
  const target = unreached(reference, walk.root);
  if (target === undefined) return;
  walk.followed ??= new Set();
  if (walk.followed.has(target)) return;
  walk.followed.add(target);
  visit(target, depth + 1, walk);
}

/**
 * The schema at a local JSON pointer (RFC 6901), or undefined if there is none or if the walk reaches it by itself.
 * `reached` follows the pointer as the walk would: a schema, a keyword that it enters, perhaps a name or an index, a schema again.
 */
function unreached(reference: string, root: Json): JsonObject | undefined {
  let place: Json | undefined = root;
  let at: 'schema' | 'members' | 'elsewhere' = 'schema';
  for (const part of reference.slice(2).split('/')) {
    if (typeof place !== 'object' || place === null) return undefined;
    const key = unescapePointer(part);
    if (!Object.hasOwn(place, key)) return undefined;
    place = (place as JsonObject)[key];
    if (at === 'members') at = 'schema';
    else if (at === 'schema') at = ENTERED.has(key) ? (holdsSchema(key, place) ? 'schema' : 'members') : 'elsewhere';
  }
  if (at !== 'elsewhere' || typeof place !== 'object' || place === null || Array.isArray(place)) return undefined;
  return place as JsonObject;
}

function holdsSchema(keyword: string, value: Json | undefined): boolean {
  return keyword === 'items' ? !Array.isArray(value) : SINGLE.has(keyword);
}

function unescapePointer(part: string): string {
  let text = part;
  if (text.includes('%')) {
    try {
      text = decodeURIComponent(text);
    } catch {
      // A bare percent sign is part of the name.
    }
  }
  return text.includes('~') ? text.replaceAll('~1', '/').replaceAll('~0', '~') : text;
}

function addValues(values: Json | undefined, walk: Walk): void {
  if (!Array.isArray(values)) return;
  for (let i = 0; i < values.length && walk.characters > 0; i++) addValue(values[i], walk);
}

function addValue(value: Json | undefined, walk: Walk): void {
  if (typeof value === 'string') addText(value, walk.values, walk);
  else if (typeof value === 'number') addText(String(value), walk.values, walk);
}

function addText(text: Json | undefined, into: string[], walk: Walk): void {
  if (typeof text === 'string' && text !== '' && walk.characters > 0) into.push(take(text, walk));
}

/** Takes a text out of the character budget, cut where the budget ends. */
function take(text: string, walk: Walk): string {
  const left = walk.characters;
  walk.characters = left - text.length;
  return text.length <= left ? text : text.slice(0, left < 0 ? 0 : left);
}

const LONGEST_POINTER = 2_048;
/** A longer hint continues after the description, which it would push out of the budget otherwise. */
const LONGEST_HINT = 500;

const SINGLE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'contains', 'if', 'then', 'else']);

const ENTERED: ReadonlySet<string> = new Set([
  ...SINGLE,
  ...['properties', 'patternProperties', 'dependentSchemas', 'anyOf', 'oneOf', 'allOf', 'prefixItems'],
]);
