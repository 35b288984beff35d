import { isJsonObject, type JsonObject } from '../json.ts';
import type { ToolFormat } from '../tool.ts';
import { field } from './definition-fields.ts';

/** One definition out of whatever it was delivered in, with what the delivery says about it. */
export interface Unfolded {
  /** Not yet known to be a definition, nor even an object. */
  readonly definition: unknown;
  readonly server?: string | undefined;
  readonly namespace?: JsonObject | undefined;
  /** Known from the container, where it tells. */
  readonly format?: ToolFormat | undefined;
}

/**
 * Takes tools out of their containers, in order: lists, `{tools: …}`, `{server, tools: …}`, a JSON-RPC answer to `tools/list`,
 * OpenAI namespaces, Gemini's declaration lists and AI SDK tool sets (a record from name to tool).
 */
export function unfold(value: unknown, options: UnfoldOptions): Unfolded[] {
  const found: Unfolded[] = [];
  unfoldInto(found, value, { ...options, depth: 0 });
  return found;
}

interface UnfoldOptions {
  /** The server of tools that name none. */
  readonly server: string | undefined;
  /** Whether a `server` beside a definition's own fields names its server. Not so where the format is given: there it is an unknown field. */
  readonly readsServer: boolean;
}

interface Place extends UnfoldOptions {
  readonly depth: number;
}

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
  const tools = field(item, 'tools');
  const result = field(item, 'result');
  if (field(item, 'type') === 'namespace' && Array.isArray(tools)) {
    unfoldNamespace(found, item, tools);
  } else if (Array.isArray(tools) && !Object.hasOwn(item, 'type')) {
    unfoldInto(found, tools, inside(item, place));
  } else if (isJsonObject(tools) && !Object.hasOwn(item, 'name')) {
    unfoldToolSet(found, tools, inside(item, place));
  } else if (isJsonObject(result) && Array.isArray(field(result, 'tools'))) {
    unfoldItem(found, result, inside(item, place));
  } else if (!unfoldDeclarations(found, item, place)) {
    found.push(asPlain(item, place));
  }
}

function unfoldNamespace(found: Unfolded[], item: JsonObject, tools: readonly unknown[]): void {
  const { tools: _, ...namespace } = item;
  const name = field(item, 'name');
  if (typeof name !== 'string' || name === '') {
    found.push({ definition: item });
    return;
  }
  for (const definition of tools) found.push({ definition, server: name, namespace, format: 'openai-responses' });
}

/** Gemini may have built-in tools in the same object; each stands on its own here. */
function unfoldDeclarations(found: Unfolded[], item: JsonObject, { server }: Place): boolean {
  const key = DECLARATIONS.find((name) => Array.isArray(field(item, name)));
  if (key === undefined) return false;
  for (const [name, value] of Object.entries(item)) {
    if (name !== key) found.push({ definition: { [name]: value }, server, format: 'gemini' });
    else if (Array.isArray(value)) for (const definition of value) found.push({ definition, server, format: 'gemini' });
  }
  return true;
}

/** A saved line may name the server beside the definition's own fields; it is no field of any format, so it is taken off. */
function asPlain(item: JsonObject, place: Place): Unfolded {
  const server = field(item, 'server');
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

/** A record whose members all look like tools, and which is itself none. */
function isToolSet(value: JsonObject): boolean {
  const members = Object.values(value);
  return (
    members.length > 0 &&
    members.every((member) => isJsonObject(member) && TOOL_SET_KEYS.some((key) => Object.hasOwn(member, key)))
  );
}

/** The place of a container's content. */
function inside(container: JsonObject, place: Place): Place {
  const server = field(container, 'server');
  const isNamed = typeof server === 'string' && server !== '';
  return { ...place, server: isNamed ? server : place.server, depth: place.depth + 1 };
}

/** A list of groups of lists is as far as any delivery goes. */
const DEEPEST = 6;
const DECLARATIONS: readonly string[] = ['functionDeclarations', 'function_declarations'];
const TOOL_SET_KEYS: readonly string[] = ['inputSchema', 'execute', 'args'];
