import { isJsonObject, type JsonSchema } from '../../catalog/index.ts';
import { cutText, oneLine } from './shorten-text.ts';

/** How much of a schema a signature tells. */
const LIMITS = { parameters: 16, enumValues: 6, nameLength: 60, depth: 3, length: 1_200 };

/**
 * A schema's parameters on one line, required ones first: `(owner: string, labels?: string[], state?: "open" | "closed")`.
 * Enough to call most tools, at a tenth of the schema. Bounded whatever the schema is.
 */
export function signature(schema: JsonSchema): string {
  return cutText(`(${parameters(schema, LIMITS.depth)})`, LIMITS.length);
}

function parameters(schema: JsonSchema, depth: number): string {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(properties);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const most = depth === LIMITS.depth ? LIMITS.parameters : LIMITS.parameters / 2;
  const told = ordered
    .slice(0, most)
    .map(
      (name) => `${oneLine(name, LIMITS.nameLength)}${required.has(name) ? '' : '?'}: ${type(properties[name], depth)}`,
    );
  const rest = ordered.length - told.length;
  return [...told, ...(rest > 0 ? [`… ${rest} more`] : [])].join(', ');
}

function type(schema: unknown, depth: number): string {
  if (!isJsonObject(schema) || depth <= 0) return 'any';
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (schema.const !== undefined) return oneOf([schema.const]);
  const kind = schema.type;
  if (Array.isArray(kind))
    return (
      kind
        .filter((name) => typeof name === 'string')
        .slice(0, 4)
        .map((name) => oneLine(name, LIMITS.nameLength))
        .join(' | ') || 'any'
    );
  switch (kind) {
    case 'array':
      return list(schema.items, depth);
    case 'object':
      return isJsonObject(schema.properties) ? `{ ${parameters(schema, depth - 1)} }` : 'object';
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return kind;
    default:
      return union(schema, depth);
  }
}

function list(items: unknown, depth: number): string {
  const item = type(items, depth - 1);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function union(schema: JsonSchema, depth: number): string {
  const members = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(members)) return 'any';
  const kinds = members.slice(0, 4).map((member) => type(member, depth - 1));
  return [...new Set(kinds)].join(' | ') || 'any';
}

function oneOf(values: readonly unknown[]): string {
  const told = values.slice(0, LIMITS.enumValues).map((value) => constant(value));
  const rest = values.length - told.length;
  return [...told, ...(rest > 0 ? [`… ${rest} more`] : [])].join(' | ');
}

function constant(value: unknown): string {
  const short = typeof value === 'string' ? value.slice(0, LIMITS.nameLength) : value;
  return cutText(JSON.stringify(short) ?? 'null', LIMITS.nameLength);
}
