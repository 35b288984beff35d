import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { Place } from './place.ts';

/** The type names of JSON Schema. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export interface ExpectedType {
  readonly name: TypeName;
  /** For a list, the one type of its items. */
  readonly of?: TypeName;
}

/** The keywords that compare a property of a value with a limit. */
export type Bound =
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties';

/** One way in which a value violates a schema, as facts; sentences are made once the list is final. */
export type Failure = { readonly place: Place } & (
  | {
      /** Neither of an expected type nor one of the allowed values. */
      readonly kind: 'expected';
      readonly value: Json;
      readonly types: readonly ExpectedType[];
      readonly allowed: readonly Json[];
    }
  | {
      readonly kind: 'missing';
      readonly names: readonly string[];
      /** The object's own `properties`, for the types of what is missing. */
      readonly properties: JsonObject;
      /** What was sent and is neither known nor rejected: it may be a misspelling of a missing name. */
      readonly unknownNames: readonly string[];
    }
  | { readonly kind: 'missing-any'; readonly groups: readonly (readonly string[])[] }
  | { readonly kind: 'needs'; readonly name: string; readonly names: readonly string[] }
  | {
      readonly kind: 'unknown-property';
      readonly name: string;
      readonly object: JsonObject;
      readonly properties: JsonObject;
    }
  | { readonly kind: 'bound'; readonly bound: Bound; readonly limit: number; readonly actual: number }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly value: string }
  | { readonly kind: 'repeated'; readonly first: number; readonly second: number }
  | { readonly kind: 'contains'; readonly least: number; readonly most: number; readonly count: number }
  | { readonly kind: 'name'; readonly name: string; readonly failures: readonly Failure[] }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'not'; readonly schema: Json }
  | { readonly kind: 'no-form'; readonly forms: readonly (readonly Failure[])[] }
  | { readonly kind: 'many-forms'; readonly forms: readonly Json[]; readonly fitting: readonly number[] }
);
