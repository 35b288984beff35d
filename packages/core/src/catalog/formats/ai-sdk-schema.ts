import { isJsonObject } from '../json.ts';
import type { JsonSchema } from '../tool.ts';
import { invalid, show } from './read-fields.ts';

/**
 * The JSON Schema behind what the AI SDK takes for a schema: the schema itself, a holder of it (`jsonSchema()`), a function that
 * makes it, or a schema of a library that converts itself (Standard JSON Schema: Zod, ArkType, Valibot). Throws `invalid_tool`
 * for the others, and for those that come as a promise. Outside data holds no functions, so that nothing of it is ever called.
 */
export function unwrapSchema(value: unknown): JsonSchema {
  let schema = value;
  for (let layers = 0; layers < MOST_LAYERS; layers += 1) {
    const inner = openLayer(schema);
    if (inner === undefined) break;
    schema = inner();
  }
  if (isJsonObject(schema) && !isForeign(schema)) return schema;
  throw invalid(`its inputSchema is ${isJsonObject(schema) ? 'no JSON Schema' : show(schema)}; ${ADVICE}`);
}

/** What takes one layer off, or undefined where there is none. */
function openLayer(value: unknown): (() => unknown) | undefined {
  const converter = converterOf(value);
  if (converter !== undefined) return () => attempt(() => plain(converter.input({ target: 'draft-07' })));
  if (typeof value === 'function') return () => attempt(() => value() as unknown);
  return isHolder(value) ? () => attempt(() => value.jsonSchema) : undefined;
}

interface Converter {
  input(options: { readonly target: string }): unknown;
}

/** Of https://standardschema.dev/json-schema; some libraries' schemas are functions. */
function converterOf(value: unknown): Converter | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const { '~standard': standard } = value as { readonly '~standard'?: { readonly jsonSchema?: Partial<Converter> } };
  const converter = standard?.jsonSchema;
  return typeof converter?.input === 'function' ? (converter as Converter) : undefined;
}

/** What Zod makes is itself a schema of Zod's, by a hidden property. */
function plain(schema: unknown): unknown {
  return isJsonObject(schema) ? { ...schema } : schema;
}

function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch (cause) {
    throw invalid(
      `its inputSchema can't be made a JSON Schema (${cause instanceof Error ? cause.message : show(cause)})`,
    );
  }
}

function isHolder(value: unknown): value is { readonly jsonSchema: unknown } {
  return isJsonObject(value) && Object.hasOwn(value, 'jsonSchema') && !Object.hasOwn(value, 'type');
}

/** What a schema library or a promise has and JSON can't have: methods. */
function isForeign(value: object): boolean {
  const { then, parse, validate, '~standard': standard } = value as { readonly [key: string]: unknown };
  if ([then, parse, validate].some((member) => typeof member === 'function')) return true;
  return typeof standard === 'object' && standard !== null && isForeign(standard);
}

/** A function that makes a holder of a schema is as far as the SDK goes. */
const MOST_LAYERS = 8;
const ADVICE =
  'pass a JSON Schema, the result of jsonSchema() or a schema that converts itself; for another one, pass what asSchema() makes of it';
