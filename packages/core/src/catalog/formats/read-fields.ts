import { CatalogError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { JsonSchema, Policy } from '../tool.ts';
import type { ParseContext } from './format.ts';

/** A field of a definition; inherited ones (`constructor`, …) are not fields. */
export function field(definition: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(definition, key) ? definition[key] : undefined;
}

/** The name, which every tool must have. */
export function readName(definition: JsonObject): string {
  const name = field(definition, 'name');
  if (typeof name === 'string' && name !== '') return name;
  if (name === undefined) throw invalid('it has no name');
  throw invalid(`its name is ${show(name)}, not a string with at least one character`);
}

/** A text, or undefined where there is none. Another kind of value is refused: a description that is an object is a mistake. */
export function readText(definition: JsonObject, key: string): string | undefined {
  const value = field(definition, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalid(`its ${key} is ${show(value)}, not a string`);
}

/** A schema, or undefined where there is none. */
export function readSchema(definition: JsonObject, key: string): JsonSchema | undefined {
  const value = field(definition, key);
  if (value === undefined || value === null) return undefined;
  if (isJsonObject(value)) return value;
  throw invalid(`its ${key} is ${show(value)}, not a JSON Schema object`);
}

/** An object, or undefined: for fields that only add to a tool, where a wrong kind of value is kept verbatim and not understood. */
export function readObject(definition: JsonObject, key: string): JsonObject | undefined {
  const value = field(definition, key);
  return isJsonObject(value) ? value : undefined;
}

export function readBoolean(definition: JsonObject, key: string): boolean | undefined {
  const value = field(definition, key);
  return typeof value === 'boolean' ? value : undefined;
}

export function readList(definition: JsonObject, key: string): readonly Json[] | undefined {
  const value = field(definition, key);
  return Array.isArray(value) ? value : undefined;
}

/** An explicit mark decides; without one the surface's rule does. */
export function readPolicy(mark: boolean | undefined, context: ParseContext): Policy {
  if (mark === undefined) return context.missingDeferral;
  return mark ? 'always' : 'never';
}

/** The problem with one definition; `parseTools` says which one it is. */
export function invalid(what: string): CatalogError {
  return new CatalogError('invalid_tool', what);
}

/** A value in a message, cut short: it comes from outside. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
