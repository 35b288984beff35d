import { defined, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createTool, type JsonSchema, type Tool } from '../tool.ts';
import { type Draft, isNoSchema, isSame, read, restate, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/**
 * Gemini's function declarations, in either spelling (`parametersJsonSchema`, `parameters_json_schema`), and its built-in tools
 * (`{googleSearch: {}}`). `parameters` in Gemini's dialect become JSON Schema; a tool from elsewhere is written with
 * `parametersJsonSchema`, which accepts JSON Schema. The format has no deferral.
 */
export const geminiFormat: Format = { format: 'gemini', parse, write, writeAll };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const builtIn = builtInType(definition);
  const verbatim = { gemini: definition };
  if (builtIn !== undefined) {
    const extras = { verbatim, providerType: builtIn };
    return createTool({ name: builtIn, server: context.server, policy: 'never', extras });
  }
  return createTool({
    name: read.name(definition),
    server: context.server,
    description: read.text(definition, 'description'),
    schema: schemaIn(definition),
    // The API has no mark, but definitions without a type, which look like its own, may have one.
    policy: read.policy(read.boolean(definition, 'defer_loading'), context),
    extras: { verbatim, ...defined({ outputSchema: outputIn(definition) }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, providerType, outputSchema } = tool.extras;
  const received = verbatim?.gemini;
  if (providerType !== undefined) {
    if (received === undefined) throw unsupported(tool, 'gemini');
    return received;
  }
  const draft: Draft = { ...received };
  restate.field(draft, 'name', read.text(draft, 'name'), options.name ?? tool.name);
  restate.description(draft, tool);
  const was = received === undefined ? undefined : schemaIn(received);
  const isAbsent = received !== undefined && was === undefined && isNoSchema(tool.schema);
  if (!isAbsent && !isSame(was, tool.schema)) replace(draft, SCHEMA_KEYS, tool.schema);
  if (!isSame(outputIn(draft), outputSchema)) replace(draft, OUTPUT_KEYS, outputSchema);
  return draft;
}

/** All declarations are in one list, in the place of the first one; built-in tools are separate. */
function writeAll(tools: readonly Tool[], optionsOf: (tool: Tool) => WriteOptions): readonly Json[] {
  const declarations: Json[] = [];
  const list: Json[] = [];
  for (const tool of tools) {
    const written = write(tool, optionsOf(tool));
    if (tool.extras.providerType !== undefined) {
      list.push(written);
      continue;
    }
    if (declarations.length === 0) list.push({ functionDeclarations: declarations });
    declarations.push(written);
  }
  return list;
}

/** A built-in tool is an object with its settings under its own name, and nothing that a declaration has. */
function builtInType(definition: JsonObject): string | undefined {
  if (Object.hasOwn(definition, 'name')) return undefined;
  const keys = Object.keys(definition);
  const key = keys[0];
  return keys.length === 1 && key !== undefined && isJsonObject(definition[key]) ? key : undefined;
}

function schemaIn(definition: JsonObject): JsonSchema | undefined {
  const plain = read.schema(definition, 'parametersJsonSchema') ?? read.schema(definition, 'parameters_json_schema');
  if (plain !== undefined) return plain;
  const dialect = read.schema(definition, 'parameters');
  return dialect === undefined ? undefined : fromGeminiSchema(dialect);
}

function outputIn(definition: JsonObject): JsonSchema | undefined {
  const plain = read.object(definition, 'responseJsonSchema') ?? read.object(definition, 'response_json_schema');
  if (plain !== undefined) return plain;
  const dialect = read.object(definition, 'response');
  return dialect === undefined ? undefined : fromGeminiSchema(dialect);
}

/** One schema may be under any of several keys; the new one goes to the first of them and the others are removed. */
function replace(draft: Draft, keys: readonly [string, ...string[]], schema: JsonSchema | undefined): void {
  for (const key of keys)
    if (read.field(draft, key) !== undefined && (key !== keys[0] || schema === undefined)) delete draft[key];
  if (schema !== undefined) draft[keys[0]] = schema;
}

const SCHEMA_KEYS: readonly [string, ...string[]] = ['parametersJsonSchema', 'parameters_json_schema', 'parameters'];
const OUTPUT_KEYS: readonly [string, ...string[]] = ['responseJsonSchema', 'response_json_schema', 'response'];

/**
 * Gemini's `parameters` as JSON Schema: type names in lower case, `nullable` as a second type, 64-bit counts as numbers.
 * Returns the same object if there is nothing to change, which is the case for most senders. Below the depth
 * limit the schema is passed through unchanged.
 */
function fromGeminiSchema(schema: JsonSchema, depth = 0): JsonSchema {
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
      return isJsonObject(value) ? fromGeminiSchema(value, depth + 1) : value;
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
    const converted = isJsonObject(member) ? fromGeminiSchema(member, depth + 1) : member;
    if (converted !== member) isChanged = true;
    return [name, converted];
  });
  return isChanged ? Object.fromEntries(entries) : members;
}

function convertList(list: readonly Json[], depth: number): readonly Json[] {
  const converted = list.map((item) => (isJsonObject(item) ? fromGeminiSchema(item, depth + 1) : item));
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
