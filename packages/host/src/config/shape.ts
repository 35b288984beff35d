import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { defined, editDistance } from '@quartermaster/core/internal';
import { showValue } from './show-value.ts';

/**
 * The shape of a part of the settings: the one source of both the reader that checks a value and the JSON Schema that
 * editors get.
 */
export interface Shape<Value> {
  readonly schema: JsonObject;
  /** The value as the program uses it. `undefined` if it is wrong, after the problem has been reported. */
  read(value: unknown, place: Place): Value | undefined;
}

/** The place of a value, and where its problems are reported. */
export interface Place {
  readonly path: Path;
  /** Reports a problem with the value here; the message begins with the path. */
  report(path: Path, message: string): void;
  /** The text of a value before its variables were replaced, if it had any. */
  template(path: Path): string | undefined;
  /** Whether unknown keys belong to another program and are ignored. */
  readonly ignoresUnknownKeys: boolean;
}

export type Path = readonly (string | number)[];

/** A key of an object: its meaning, its shape, and its default. */
interface Field<Value> {
  readonly about: string;
  readonly shape: Shape<Value>;
  /** As written in the file. */
  readonly default?: Json;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<Candidate> = Candidate extends Field<infer Value> ? Value : never;

/** Fields with a default are always present, the others if they are given. */
export type ObjectValue<Shapes extends Fields> = {
  readonly [Key in keyof Shapes as Shapes[Key] extends { readonly default: Json } ? Key : never]: ValueOf<Shapes[Key]>;
} & {
  readonly [Key in keyof Shapes as Shapes[Key] extends { readonly default: Json } ? never : Key]?: ValueOf<Shapes[Key]>;
};

export function object<const Shapes extends Fields>(
  fields: Shapes,
  { required = [] }: { readonly required?: readonly string[] } = {},
): Shape<ObjectValue<Shapes>> {
  const keys = Object.keys(fields);
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, fieldSchema(field)])),
    },
    read(value, place) {
      if (!isJsonObject(value)) return wrong(value, place, `a block with ${list(keys)}`);
      for (const key of Object.keys(value)) {
        if (!keys.includes(key) && !place.ignoresUnknownKeys) reportUnknownKey(place, key, keys);
      }
      for (const key of required) {
        if (!isGiven(value, key))
          place.report(place.path, `${where(place.path)} lacks ${key}: ${fields[key]?.about ?? ''}`);
      }
      const read: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(fields)) {
        const given = isGiven(value, key) ? value[key] : field.default;
        if (given === undefined) continue;
        const result = field.shape.read(given, { ...place, path: [...place.path, key] });
        if (result !== undefined) read[key] = result;
      }
      return read as ObjectValue<Shapes>;
    },
  };
}

/** What an empty block means. */
export function defaultsOf<Value>(shape: Shape<Value>): Value {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const place: Place = {
    ...{ path: [], template: () => undefined, ignoresUnknownKeys: false },
    report: (_, message) => fail(message),
  };
  return shape.read({}, place) ?? fail('The shape has no defaults');
}

/** Keys that the user chooses. The value has no prototype, so any name is just a name. */
export function record<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return {
    schema: { type: 'object', additionalProperties: shape.schema },
    read(value, place) {
      if (!isJsonObject(value)) return wrong(value, place, 'a block of names');
      const read: Record<string, Value> = Object.create(null);
      for (const [key, given] of Object.entries(value)) {
        const result = shape.read(given, { ...place, path: [...place.path, key] });
        if (result !== undefined) read[key] = result;
      }
      return read;
    },
  };
}

export function listOf<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return {
    schema: { type: 'array', items: shape.schema },
    read(value, place) {
      if (!Array.isArray(value)) return wrong(value, place, 'a list, in [ ] or with a dash before each entry');
      return value.flatMap((given, index) => {
        const result = shape.read(given, { ...place, path: [...place.path, index] });
        return result === undefined ? [] : [result];
      });
    },
  };
}

/** A key without a value (`models:` and nothing after it) counts as missing. */
export function isGiven(block: unknown, key: string): boolean {
  return isJsonObject(block) && Object.hasOwn(block, key) && block[key] !== null;
}

/** Reports a value that is not allowed. Returns `undefined`, so that a reader can return it. */
export function wrong(
  value: unknown,
  place: Place,
  allowed: string,
  options: { readonly isSecret?: boolean } = {},
): undefined {
  const shown = place.template(place.path) ?? value;
  const text = options.isSecret ? 'not usable (it is not shown, because it may be a secret)' : showValue(shown);
  place.report(place.path, `${where(place.path)} is ${text}; allowed: ${allowed}`);
}

/** `upstreams[0].apiKey`. Keys that are not plain words are quoted. */
export function where(path: Path): string {
  if (path.length === 0) return 'The document';
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      const plain = /^[\w-]{1,64}$/.test(step);
      if (!plain) return `[${JSON.stringify(step.slice(0, 64))}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** The nearest of some words, if it is close enough to be what was meant. */
export function closest(word: string, words: readonly string[]): string | undefined {
  const asked = word.slice(0, 64).toLowerCase();
  const ranked = words
    .map((candidate) => {
      const length = Math.max(asked.length, candidate.length);
      const most = length < SHORT ? 1 : Math.max(2, Math.floor(length / 3));
      return { candidate, distance: editDistance(asked, candidate.toLowerCase(), most) };
    })
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((left, right) => left.distance - right.distance);
  return ranked[0]?.candidate;
}

function reportUnknownKey(place: Place, key: string, keys: readonly string[]): void {
  const near = closest(key, keys);
  const path = [...place.path, key];
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  place.report(path, `${where(path)} is not a setting.${hint} The settings here are ${list(keys)}`);
}

function fieldSchema(field: Field<unknown>): JsonObject {
  return {
    description: field.about,
    ...field.shape.schema,
    ...defined({ default: field.default }),
  };
}

function list(words: readonly string[]): string {
  return words.join(', ');
}

/** From this length on, two letters may be swapped, which counts as two edits. */
const SHORT = 4;
