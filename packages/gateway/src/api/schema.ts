import type { JsonObject } from '@quartermaster/core/catalog';

/** A JSON Schema of the dialect that OpenAPI 3.1 uses. */
export type Schema = JsonObject;

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const WHOLE: Schema = { type: 'integer' };
export const FLAG: Schema = { type: 'boolean' };
export const TIME: Schema = { type: 'string', format: 'date-time', description: 'A time in ISO 8601.' };
/** Anything that another API defines. */
export const ANYTHING: Schema = {};

/** An object. Fields whose names end in `?` are optional; unknown ones are allowed only in answers that say so. */
export function record(fields: Readonly<Record<string, Schema>>, more: JsonObject = {}): Schema {
  const names = Object.keys(fields);
  const required = names.filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), fields[name] ?? {}])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...more,
  };
}

export function list(items: Schema, more: JsonObject = {}): Schema {
  return { type: 'array', items, ...more };
}

/** A page of a list. */
export function page(items: Schema): Readonly<Record<string, Schema>> {
  return { data: list(items), has_more: FLAG, first_id: optional(TEXT), last_id: optional(TEXT) };
}

/** An object with any names and values of one kind. */
export function named(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

/** The size of a page. */
export function limitUpTo(most: number): Schema {
  return { type: 'integer', minimum: 1, maximum: most };
}

export function choice(values: readonly string[]): Schema {
  return { type: 'string', enum: [...values] };
}

export function optional(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** A schema that the document contains once, by name. */
export function component(name: string, schema: Schema): Schema {
  components.set(name, schema);
  return { $ref: `#/components/schemas/${name}` };
}

const components = new Map<string, Schema>();

export function allComponents(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(components);
}
