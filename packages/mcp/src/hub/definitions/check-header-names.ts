import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/** The characters of a header's name: https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const KEY = 'x-mcp-header';

interface Node {
  readonly value: Json | undefined;
  /** The parameter that it belongs to; undefined for the schema itself. */
  readonly path: Path | undefined;
  /** Whether only `properties` lead to it: a client can't know whether other parts of a schema apply to a call. */
  readonly isReachable: boolean;
}

/** The path to a parameter, shared with its siblings. */
interface Path {
  readonly name: string;
  readonly parent: Path | undefined;
}

/**
 * Why a schema's `x-mcp-header` marks can't be followed; undefined if they can. A tool with such marks must not be called: its server
 * expects headers that can't be sent. See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function findBadHeaderName(schema: JsonObject): string | undefined {
  const names = new Set<string>();
  const queue: Node[] = [{ value: schema, path: undefined, isReachable: true }];
  // The whole schema, because a bad mark may be anywhere: the size of a definition has already been limited.
  for (const node of queue) {
    if (!isJsonObject(node.value)) continue;
    const problem = Object.hasOwn(node.value, KEY) ? judge(node.value, node, names) : undefined;
    if (problem !== undefined)
      return `parameter ${JSON.stringify(render(node.path))} has an invalid ${KEY}: ${problem}`;
    for (const [key, value] of Object.entries(node.value)) {
      if (key === KEY || VALUES.has(key)) continue;
      for (const part of parts(key, value, node)) queue.push(part);
    }
  }
  return undefined;
}

function judge(schema: JsonObject, { path, isReachable }: Node, names: Set<string>): string | undefined {
  const name = schema[KEY];
  if (!isReachable || path === undefined) return 'only parameters may have one, not alternatives or items of them';
  if (typeof name !== 'string' || name === '') return 'it is not a name';
  if (!TOKEN.test(name)) return `${JSON.stringify(name)} can't be the name of a header`;
  if (!PRIMITIVES.has(schema.type)) return 'only a string, an integer or a boolean may have one';
  const lower = name.toLowerCase();
  if (names.has(lower)) return `${JSON.stringify(name)} is used twice`;
  names.add(lower);
  return undefined;
}

function render(path: Path | undefined): string {
  const names: string[] = [];
  for (let at = path; at !== undefined; at = at.parent) names.unshift(at.name);
  return names.join('.');
}

/** The schemas under a keyword. */
function parts(key: string, value: Json | undefined, { path, isReachable }: Node): readonly Node[] {
  if (Array.isArray(value)) return value.map((one) => ({ value: one, path, isReachable: false }));
  if (!isJsonObject(value)) return [];
  if (!BY_NAME.has(key)) return [{ value, path, isReachable: false }];
  return Object.entries(value).map(([name, one]) => ({
    value: one,
    path: { name, parent: path },
    isReachable: isReachable && key === 'properties',
  }));
}

/** Keywords whose keys are names, not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);

/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required', 'type']);
