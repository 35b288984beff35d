import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/** What a header's name may be made of: https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const KEY = 'x-mcp-header';
const MOST_NODES = 20_000;

interface Node {
  readonly value: Json | undefined;
  readonly path: readonly string[];
  /** Whether only `properties` lead to it: a client can't tell whether any other part of a schema holds for a call. */
  readonly isReachable: boolean;
}

/**
 * Why a schema's `x-mcp-header` marks can't be obeyed, if they can't. A tool with such marks must not be called: its server expects
 * headers that can't be sent. See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function findBadHeaderName(schema: JsonObject): string | undefined {
  const names = new Set<string>();
  const queue: Node[] = [{ value: schema, path: [], isReachable: true }];
  for (let next = 0; next < Math.min(queue.length, MOST_NODES); next += 1) {
    const node = queue[next];
    if (node === undefined || !isJsonObject(node.value)) continue;
    const problem = Object.hasOwn(node.value, KEY) ? judge(node.value, node, names) : undefined;
    if (problem !== undefined)
      return `parameter ${JSON.stringify(node.path.join('.'))} has an invalid ${KEY}: ${problem}`;
    for (const [key, value] of Object.entries(node.value)) {
      if (key === KEY || VALUES.has(key)) continue;
      queue.push(...parts(key, value, node));
    }
  }
  return undefined;
}

function judge(schema: JsonObject, { path, isReachable }: Node, names: Set<string>): string | undefined {
  const name = schema[KEY];
  if (!isReachable || path.length === 0) return 'only parameters may have one, not alternatives or items of them';
  if (typeof name !== 'string' || name === '') return 'it is not a name';
  if (!TOKEN.test(name)) return `${JSON.stringify(name)} can't be the name of a header`;
  if (!PRIMITIVES.has(schema.type)) return 'only a string, an integer or a boolean may have one';
  const lower = name.toLowerCase();
  if (names.has(lower)) return `${JSON.stringify(name)} is used twice`;
  names.add(lower);
  return undefined;
}

/** The schemas under a keyword. */
function parts(key: string, value: Json | undefined, { path, isReachable }: Node): readonly Node[] {
  if (Array.isArray(value)) return value.map((one) => ({ value: one, path, isReachable: false }));
  if (!isJsonObject(value)) return [];
  if (!BY_NAME.has(key)) return [{ value, path, isReachable: false }];
  return Object.entries(value).map(([name, one]) => ({
    value: one,
    path: [...path, name],
    isReachable: isReachable && key === 'properties',
  }));
}

/** Keywords whose keys are names, not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);

/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required', 'type']);
