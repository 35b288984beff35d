import { checkOptionNames, readChoice } from '../check-option-names.ts';
import { CatalogError, type ErrorCode } from '../errors.ts';
import { read, show } from './formats/definition-fields.ts';
import { detectFormat, formatOf } from './formats/format.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { Policy, Tool, ToolFormat } from './tool.ts';

/** How definitions are read. */
export interface ParseToolsOptions {
  /** The format of every definition. @default detected for each */
  readonly format?: ToolFormat | undefined;
  /** The server of tools that name none. */
  readonly server?: string | undefined;
  /**
   * What it means that a definition says nothing about deferral. On the Messages wire such a tool is sent in full (`never`);
   * a library leaves it to the gate. @default 'automatic'
   */
  readonly missingDeferral?: Policy | undefined;
  /** Where the definitions come from, for messages: a file, a server. */
  readonly source?: string | undefined;
  /** Whether a definition that can't be read is listed as a problem or fails the whole. @default 'collect' */
  readonly onProblem?: 'collect' | 'throw' | undefined;
}

/**
 * How deep lists and objects of a definition may nest, itself included. Real ones stay below 30; at a few thousand
 * `JSON.stringify` runs out of stack, and everything after parsing relies on it.
 */
export const DEEPEST_DEFINITION = 256;

/** The readable tools, and what was wrong with the others. */
export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly Problem[];
}

/** Why one definition could not be read. */
export interface Problem {
  /** Position among all definitions, from 0. */
  readonly index: number;
  readonly name?: string;
  /** What is wrong, without naming the definition: for a caller that can point at it, for example by the line of a file. */
  readonly reason: string;
  /** The same as a whole sentence, which names the definition and its source. */
  readonly message: string;
  readonly code: ErrorCode;
}

/**
 * Reads tool definitions in any of the known formats, mixed if need be, from a list or from what they are usually delivered in
 * (see `unfold`). An unreadable one is reported as a problem and does not affect the others. The input is not changed;
 * the tools refer to parts of it.
 *
 * @example
 * const { tools, problems } = parseTools([{ name: 'get_weather', description: 'The weather of a city', input_schema: schema }]);
 */
export function parseTools(value: unknown, options: ParseToolsOptions = {}): ParsedTools {
  checkOptionNames('parseTools', options, 'format server missingDeferral source onProblem');
  if (options.onProblem !== undefined) readChoice('onProblem', options.onProblem, ['collect', 'throw']);
  const tools: Tool[] = [];
  const problems: Problem[] = [];
  const missingDeferral = options.missingDeferral ?? 'automatic';
  const items: Unfolded[] = [];
  unfoldInto(items, value, { server: options.server, readsServer: options.format === undefined, depth: 0 });
  items.forEach((item, index) => {
    try {
      tools.push(parseOne(item, missingDeferral, options.format));
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      problems.push(createProblem(error, { item, index, source: options.source }));
    }
  });
  const first = problems[0];
  if (options.onProblem === 'throw' && first !== undefined) {
    throw new CatalogError(first.code, first.message, { context: { problems } });
  }
  return { tools, problems };
}

function parseOne(item: Unfolded, missingDeferral: Policy, given: ToolFormat | undefined): Tool {
  const { definition, server, namespace } = item;
  if (!isJsonObject(definition)) throw new CatalogError('invalid_tool', `it is ${show(definition)}, not an object`);
  if (exceedsDepth(definition, DEEPEST_DEFINITION) || exceedsDepth(namespace, DEEPEST_DEFINITION)) {
    throw new CatalogError('invalid_tool', `it nests deeper than ${DEEPEST_DEFINITION} levels; flatten its schema`);
  }
  const format = item.format ?? given ?? detectFormat(definition);
  if (format === undefined) {
    const keys = Object.keys(definition).join(', ');
    throw new CatalogError(
      'unknown_format',
      `it has no name, and its fields (${keys === '' ? 'none' : show(keys)}) match no known format`,
    );
  }
  return formatOf(format).parse(definition, { server, namespace, missingDeferral });
}

function createProblem(
  error: CatalogError,
  { item, index, source }: { readonly item: Unfolded; readonly index: number; readonly source: string | undefined },
): Problem {
  const name = nameIn(item.definition);
  const which = name === undefined ? `Tool ${index}` : `Tool ${index} (${show(name)})`;
  const { message: reason, code } = error;
  const message = `${which}${source === undefined ? '' : ` of ${source}`} can't be read: ${reason}`;
  return name === undefined ? { index, reason, message, code } : { index, name, reason, message, code };
}

/** The name of a definition that may be anything. */
function nameIn(definition: unknown): string | undefined {
  if (!isJsonObject(definition)) return undefined;
  const inner = definition.function ?? definition.custom ?? definition;
  const name = isJsonObject(inner) && Object.hasOwn(inner, 'name') ? inner.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * Whether lists and plain objects are nested deeper than a limit. A value that contains itself is. Objects with their own
 * prototype (of a schema library, for example) are not JSON and not searched.
 */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (exceedsDepth(value[i], limit - 1)) return true;
    }
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  for (const key in value) {
    if (exceedsDepth(memberOf(value, key), limit - 1)) return true;
  }
  return false;
}

/** The SDKs' schema holders have getters, and those may fail: the code that needs the value reports it. */
function memberOf(value: object, key: string): unknown {
  try {
    return (value as { readonly [key: string]: unknown })[key];
  } catch {
    return undefined;
  }
}

/** One definition out of its container, with what the container says about it. */
interface Unfolded {
  /** Not yet known to be a definition, or even an object. */
  readonly definition: unknown;
  readonly server?: string | undefined;
  readonly namespace?: JsonObject | undefined;
  /** Known from the container, if it says so. */
  readonly format?: ToolFormat | undefined;
}

interface Place {
  /** The server of tools that name none. */
  readonly server: string | undefined;
  /** Whether a `server` next to a definition's own fields names its server. If the format is given, it is an unknown field instead. */
  readonly readsServer: boolean;
  readonly depth: number;
}

/**
 * Takes tools out of their containers, in order: lists, `{tools: …}`, `{server, tools: …}`, a JSON-RPC answer to `tools/list`,
 * OpenAI namespaces, Gemini's declaration lists and AI SDK tool sets (a record from name to tool).
 */
function unfoldInto(found: Unfolded[], value: unknown, place: Place): void {
  if (Array.isArray(value) && place.depth < DEEPEST) {
    const inner = { ...place, depth: place.depth + 1 };
    for (const item of value) unfoldItem(found, item, inner);
    return;
  }
  if (isJsonObject(value) && place.depth === 0 && isToolSet(value)) {
    unfoldToolSet(found, value, place);
    return;
  }
  unfoldItem(found, value, place);
}

function unfoldItem(found: Unfolded[], item: unknown, place: Place): void {
  if (!isJsonObject(item) || place.depth >= DEEPEST) {
    found.push({ definition: item, server: place.server });
    return;
  }
  const tools = read.field(item, 'tools');
  const result = read.field(item, 'result');
  if (read.field(item, 'type') === 'namespace' && Array.isArray(tools)) {
    unfoldNamespace(found, item, tools);
  } else if (Array.isArray(tools) && !Object.hasOwn(item, 'type')) {
    unfoldInto(found, tools, inside(item, place));
  } else if (isJsonObject(tools) && !Object.hasOwn(item, 'name')) {
    unfoldToolSet(found, tools, inside(item, place));
  } else if (isJsonObject(result) && Array.isArray(read.field(result, 'tools'))) {
    unfoldItem(found, result, inside(item, place));
  } else if (!unfoldDeclarations(found, item, place)) {
    found.push(asPlain(item, place));
  }
}

function unfoldNamespace(found: Unfolded[], item: JsonObject, tools: readonly unknown[]): void {
  const { tools: _, ...namespace } = item;
  const name = read.field(item, 'name');
  if (typeof name !== 'string' || name === '') {
    found.push({ definition: item });
    return;
  }
  for (const definition of tools) found.push({ definition, server: name, namespace, format: 'openai-responses' });
}

/** Gemini may have built-in tools in the same object; each is separate here. */
function unfoldDeclarations(found: Unfolded[], item: JsonObject, { server }: Place): boolean {
  const key = DECLARATIONS.find((name) => Array.isArray(read.field(item, name)));
  if (key === undefined) return false;
  for (const [name, value] of Object.entries(item)) {
    if (name !== key) found.push({ definition: { [name]: value }, server, format: 'gemini' });
    else if (Array.isArray(value)) for (const definition of value) found.push({ definition, server, format: 'gemini' });
  }
  return true;
}

/** A saved line may name the server next to the definition's own fields; no format has that field, so it is removed. */
function asPlain(item: JsonObject, place: Place): Unfolded {
  const server = read.field(item, 'server');
  if (!place.readsServer || typeof server !== 'string' || !Object.hasOwn(item, 'name'))
    return { definition: item, server: place.server };
  const { server: _, ...definition } = item;
  return { definition, server };
}

function unfoldToolSet(found: Unfolded[], tools: JsonObject, { server }: Place): void {
  for (const [name, member] of Object.entries(tools)) {
    const definition: unknown = isJsonObject(member) ? { ...member, name } : member;
    found.push({ definition, server, format: 'ai-sdk' });
  }
}

/** A record whose members all look like tools, and which does not look like one itself. */
function isToolSet(value: JsonObject): boolean {
  const members = Object.values(value);
  return (
    members.length > 0 &&
    members.every((member) => isJsonObject(member) && TOOL_SET_KEYS.some((key) => Object.hasOwn(member, key)))
  );
}

/** The path of a container's content. */
function inside(container: JsonObject, place: Place): Place {
  const server = read.field(container, 'server');
  const isNamed = typeof server === 'string' && server !== '';
  return { ...place, server: isNamed ? server : place.server, depth: place.depth + 1 };
}

/** No input nests deeper than a list of groups of lists. */
const DEEPEST = 6;

const DECLARATIONS: readonly string[] = ['functionDeclarations', 'function_declarations'];

const TOOL_SET_KEYS: readonly string[] = ['inputSchema', 'execute', 'args'];
