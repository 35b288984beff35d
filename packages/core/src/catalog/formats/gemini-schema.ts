import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { JsonSchema } from '../tool.ts';

/**
 * Gemini's `parameters` as JSON Schema: type names in lower case, `nullable` as a second type, 64-bit counts as numbers.
 * Returns the very same object where there is nothing to change, which is the case for most senders. Below the depth
 * bound the schema is passed through as it is.
 */
export function fromGeminiSchema(schema: JsonSchema): JsonSchema {
  return convert(schema, 0);
}

function convert(schema: JsonObject, depth: number): JsonObject {
  if (depth > DEEPEST) return schema;
  let copy: { [key: string]: Json } | undefined;
  for (const key of Object.keys(schema)) {
    const value = schema[key] as Json;
    const converted = convertKeyword(key, value, depth);
    if (converted === value) continue;
    copy ??= { ...schema };
    copy[key] = converted;
  }
  return schema.nullable === true ? withNull(copy ?? { ...schema }) : (copy ?? schema);
}

function convertKeyword(key: string, value: Json, depth: number): Json {
  switch (key) {
    case 'type':
      return typeof value === 'string' && TYPES.has(value) ? value.toLowerCase() : value;
    case 'properties':
      return isJsonObject(value) ? convertMembers(value, depth) : value;
    case 'items':
      return isJsonObject(value) ? convert(value, depth + 1) : value;
    case 'anyOf':
      return Array.isArray(value) ? convertList(value, depth) : value;
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
    case 'minProperties':
    case 'maxProperties':
      return typeof value === 'string' && COUNT.test(value) ? Number(value) : value;
    default:
      return value;
  }
}

function convertMembers(members: JsonObject, depth: number): JsonObject {
  let isChanged = false;
  const entries = Object.entries(members).map(([name, member]): [string, Json] => {
    const converted = isJsonObject(member) ? convert(member, depth + 1) : member;
    if (converted !== member) isChanged = true;
    return [name, converted];
  });
  return isChanged ? Object.fromEntries(entries) : members;
}

function convertList(list: readonly Json[], depth: number): readonly Json[] {
  const converted = list.map((item) => (isJsonObject(item) ? convert(item, depth + 1) : item));
  return converted.some((item, index) => item !== list[index]) ? converted : list;
}

function withNull(copy: { [key: string]: Json }): JsonObject {
  delete copy.nullable;
  if (typeof copy.type === 'string') copy.type = [copy.type, 'null'];
  else if (Array.isArray(copy.anyOf)) copy.anyOf = [...copy.anyOf, { type: 'null' }];
  // A list of allowed values must allow null as well, or `nullable` would be lost.
  if (Array.isArray(copy.enum) && !copy.enum.includes(null)) copy.enum = [...copy.enum, null];
  return copy;
}

const DEEPEST = 64;
const COUNT = /^\d{1,15}$/;
const TYPES: ReadonlySet<string> = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);
