import { createTool } from '../create-tool.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { JsonSchema, Tool } from '../tool.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';
import { fromGeminiSchema } from './gemini-schema.ts';
import {
  type Draft,
  type DraftExtras,
  field,
  isNoSchema,
  readBoolean,
  readName,
  readObject,
  readPolicy,
  readSchema,
  readText,
  restate,
  restateDescription,
  unsupported,
} from './read-fields.ts';

/**
 * Gemini's function declarations, in either spelling (`parametersJsonSchema`, `parameters_json_schema`), and its built-in tools
 * (`{googleSearch: {}}`). `parameters` in Gemini's dialect become JSON Schema; a tool from elsewhere is written with
 * `parametersJsonSchema`, which takes JSON Schema as it is. The format knows no deferral.
 */
export const geminiFormat: Format = { format: 'gemini', parse, write, writeAll };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const builtIn = builtInType(definition);
  const extras: DraftExtras = { verbatim: { gemini: definition } };
  if (builtIn !== undefined) {
    extras.providerType = builtIn;
    return createTool({ name: builtIn, server: context.server, policy: 'never', extras });
  }
  const outputSchema = outputIn(definition);
  if (outputSchema !== undefined) extras.outputSchema = outputSchema;
  return createTool({
    name: readName(definition),
    server: context.server,
    description: readText(definition, 'description'),
    schema: schemaIn(definition),
    // The API has no mark, but definitions without a type, which look like its own, may bring one.
    policy: readPolicy(readBoolean(definition, 'defer_loading'), context),
    extras,
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
  restate(draft, 'name', readText(draft, 'name'), options.name ?? tool.name);
  restateDescription(draft, tool);
  const was = received === undefined ? undefined : schemaIn(received);
  const isAbsent = received !== undefined && was === undefined && isNoSchema(tool.schema);
  if (!isAbsent && !isSame(was, tool.schema)) replace(draft, SCHEMA_KEYS, tool.schema);
  if (!isSame(outputIn(draft), outputSchema)) replace(draft, OUTPUT_KEYS, outputSchema);
  return draft;
}

/** All declarations stand in one list, where the first of them was; built-in tools stand beside it. */
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
  const plain = readSchema(definition, 'parametersJsonSchema') ?? readSchema(definition, 'parameters_json_schema');
  if (plain !== undefined) return plain;
  const dialect = readSchema(definition, 'parameters');
  return dialect === undefined ? undefined : fromGeminiSchema(dialect);
}

function outputIn(definition: JsonObject): JsonSchema | undefined {
  const plain = readObject(definition, 'responseJsonSchema') ?? readObject(definition, 'response_json_schema');
  if (plain !== undefined) return plain;
  const dialect = readObject(definition, 'response');
  return dialect === undefined ? undefined : fromGeminiSchema(dialect);
}

/** By content: a dialect is converted again each time, so that a definition can be stored as text between reading and writing. */
function isSame(a: JsonSchema | undefined, b: JsonSchema | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

/** One schema may stand under any of several keys; the new one goes to the first of them and the others leave. */
function replace(draft: Draft, keys: readonly [string, ...string[]], schema: JsonSchema | undefined): void {
  for (const key of keys)
    if (field(draft, key) !== undefined && (key !== keys[0] || schema === undefined)) delete draft[key];
  if (schema !== undefined) draft[keys[0]] = schema;
}

const SCHEMA_KEYS: readonly [string, ...string[]] = ['parametersJsonSchema', 'parameters_json_schema', 'parameters'];
const OUTPUT_KEYS: readonly [string, ...string[]] = ['responseJsonSchema', 'response_json_schema', 'response'];
