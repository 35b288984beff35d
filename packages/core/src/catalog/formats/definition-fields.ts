import { CatalogError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { type JsonSchema, NO_SCHEMA, type Policy, type Tool, type ToolFormat } from '../tool.ts';
import type { ParseContext, WriteOptions } from './format.ts';

/** Reads a definition; of inherited properties (`constructor`, …) nothing is a field. */
export const read = {
  field(definition: JsonObject, key: string): Json | undefined {
    return Object.hasOwn(definition, key) ? definition[key] : undefined;
  },

  /** The name, which every tool must have. */
  name(definition: JsonObject): string {
    const name = read.field(definition, 'name');
    if (typeof name === 'string' && name !== '') return name;
    if (name === undefined) throw invalid('it has no name');
    throw invalid(`its name is ${show(name)}, not a string with at least one character`);
  },

  /** A text, or undefined if there is none. Other kinds of values are rejected: a description that is an object is a mistake. */
  text(definition: JsonObject, key: string): string | undefined {
    const value = read.field(definition, key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    throw invalid(`its ${key} is ${show(value)}, not a string`);
  },

  /** A schema, or undefined if there is none. */
  schema(definition: JsonObject, key: string): JsonSchema | undefined {
    const value = read.field(definition, key);
    if (value === undefined || value === null) return undefined;
    if (isJsonObject(value)) return value;
    throw invalid(`its ${key} is ${show(value)}, not a JSON Schema object`);
  },

  /** An object, or undefined: for optional fields, where a wrong kind of value is kept verbatim and ignored. */
  object(definition: JsonObject, key: string): JsonObject | undefined {
    const value = read.field(definition, key);
    return isJsonObject(value) ? value : undefined;
  },

  boolean(definition: JsonObject, key: string): boolean | undefined {
    const value = read.field(definition, key);
    return typeof value === 'boolean' ? value : undefined;
  },

  list(definition: JsonObject, key: string): readonly Json[] | undefined {
    const value = read.field(definition, key);
    return Array.isArray(value) ? value : undefined;
  },

  /** An explicit mark decides; otherwise the surface's rule does. */
  policy(mark: boolean | undefined, context: ParseContext): Policy {
    if (mark === undefined) return context.missingDeferral;
    return mark ? 'always' : 'never';
  },
} as const;

/** The problem with one definition; `parseTools` adds which one it is. */
export function invalid(what: string): CatalogError {
  return new CatalogError('invalid_tool', what);
}

/** A value in a message, cut short, because it comes from outside. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/**
 * The deferral mark to write, depending on the mark of the received definition; `received` is undefined if there was no definition.
 * No mark stays no mark for `never`: a tool without a mark is sent in full anyway.
 */
export function deferralMark(
  tool: Tool,
  options: WriteOptions,
  received: { readonly mark: boolean | undefined } | undefined,
): boolean | undefined {
  if (options.deferred !== undefined) return options.deferred ? true : undefined;
  switch (tool.policy) {
    case 'always':
      return true;
    case 'automatic':
      return undefined;
    case 'never':
      return received !== undefined && received.mark === undefined ? undefined : false;
  }
}

/** A definition under construction. Spreading keeps `__proto__` as data. */
export type Draft = { [key: string]: Json };

/** Writes what differs from the definition that was received; an existing key keeps its position. */
export const restate = {
  field<T extends Json>(draft: Draft, key: string, was: T | undefined, now: T | undefined): void {
    if (was === now) return;
    if (now === undefined) delete draft[key];
    else draft[key] = now;
  },

  /** No description, null and an empty one mean the same, so each of them stays. */
  description(draft: Draft, tool: Tool): void {
    restate.field(draft, 'description', read.text(draft, 'description') ?? '', tool.description);
  },

  /** A definition that was received without a schema is written without one. */
  schema(draft: Draft, key: string, schema: JsonSchema, received: JsonObject | undefined): void {
    const was = read.object(draft, key);
    if (received !== undefined && was === undefined && isNoSchema(schema)) return;
    restate.field(draft, key, was, schema);
  },

  /** The mark as `defer_loading`. */
  mark(draft: Draft, tool: Tool, options: WriteOptions, isReceived: boolean): void {
    const mark = read.boolean(draft, 'defer_loading');
    restate.field(draft, 'defer_loading', mark, deferralMark(tool, options, isReceived ? { mark } : undefined));
  },
} as const;

/** Also true of a copy that was stored as text and read again. */
export function isNoSchema(schema: JsonSchema): boolean {
  if (schema === NO_SCHEMA) return true;
  const { type, properties, ...rest } = schema;
  const isBare = type === 'object' && isJsonObject(properties) && Object.keys(properties).length === 0;
  return isBare && Object.keys(rest).length === 0;
}

/** By content: what a format converts is converted again each time, so a definition can be stored as text between reading and writing. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

/** A provider-defined tool means nothing in another provider's format. */
export function unsupported(tool: Tool, format: ToolFormat): CatalogError {
  return new CatalogError(
    'unsupported_tool',
    `Tool "${tool.id}" is defined by its provider as ${show(tool.extras.providerType)} and has no ${format} form; leave it out`,
    { context: { id: tool.id, format, providerType: tool.extras.providerType } },
  );
}

/** A description with example inputs added, for formats without a field for them. Empty inputs are left out. */
export function describeExamples(description: string, examples: readonly Json[] | undefined): string {
  const lines = tellingExamples(examples).map((example) => JSON.stringify(example));
  if (lines.length === 0) return description;
  return [...(description === '' ? [] : [description, '']), 'Examples of input:', ...lines].join('\n');
}

/** The examples with content. */
export function tellingExamples(examples: readonly Json[] | undefined): readonly Json[] {
  return (examples ?? []).filter((example) => isJsonObject(example) && Object.keys(example).length > 0);
}

/** The schema for a tool whose input is one text, so that it can be found, called and offered in any format. */
export function freeformSchema(format: Json | undefined): JsonSchema {
  const definition = isJsonObject(format) && typeof format.definition === 'string' ? format.definition : undefined;
  const description =
    definition === undefined ? 'The whole input, as text' : `The whole input, as text in this grammar:\n${definition}`;
  return { type: 'object', properties: { input: { type: 'string', description } }, required: ['input'] };
}
