import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/** The definitions of JSON Schema's keywords written down one by one, for small schemas without hostile parts. */
export function isValid(schema: Json, value: Json, root: Json = schema): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  return Object.keys(schema).every((keyword) => RULES[keyword]?.(schema, value, root) ?? true);
}

type Rule = (schema: JsonObject, value: Json, root: Json) => boolean;

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const map = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const same = (left: Json, right: Json): boolean => {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index] ?? null));
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = Object.keys(left);
    const isInRight = (key: string): boolean =>
      Object.hasOwn(right, key) && same(left[key] ?? null, right[key] ?? null);
    return keys.length === Object.keys(right).length && keys.every(isInRight);
  }
  return left === right;
};

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const RULES: Readonly<Record<string, Rule>> = {
  $ref: ({ $ref }, value, root) =>
    isValid(map(map(root).$defs)[String($ref).slice('#/$defs/'.length)] ?? true, value, root),
  type: ({ type }, value) => typeOf(value) === type || (type === 'integer' && Number.isInteger(value)),
  enum: (schema, value) => list(schema.enum).some((item) => same(item, value)),
  const: (schema, value) => same(schema.const ?? null, value),
  minimum: ({ minimum }, value) => typeof value !== 'number' || value >= Number(minimum),
  exclusiveMaximum: ({ exclusiveMaximum }, value) => typeof value !== 'number' || value < Number(exclusiveMaximum),
  multipleOf: ({ multipleOf }, value) => typeof value !== 'number' || value % Number(multipleOf) === 0,
  minLength: ({ minLength }, value) => typeof value !== 'string' || [...value].length >= Number(minLength),
  maxLength: ({ maxLength }, value) => typeof value !== 'string' || [...value].length <= Number(maxLength),
  pattern: ({ pattern }, value) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value),
  minItems: ({ minItems }, value) => !Array.isArray(value) || value.length >= Number(minItems),
  maxItems: ({ maxItems }, value) => !Array.isArray(value) || value.length <= Number(maxItems),
  uniqueItems: (_, value) =>
    list(value).every((item, index) => list(value).every((other, at) => at <= index || !same(item, other))),
  prefixItems: ({ prefixItems }, value, root) =>
    list(value).every((item, index) => isValid(list(prefixItems)[index] ?? true, item, root)),
  items: ({ items, prefixItems }, value, root) =>
    list(value).every((item, index) => index < list(prefixItems).length || isValid(items ?? true, item, root)),
  contains: ({ contains }, value, root) =>
    !Array.isArray(value) || value.some((item) => isValid(contains ?? true, item, root)),
  maxProperties: ({ maxProperties }, value) => Object.keys(map(value)).length <= Number(maxProperties),
  required: ({ required }, value) =>
    !isJsonObject(value) || list(required).every((name) => Object.hasOwn(value, String(name))),
  properties: ({ properties }, value, root) =>
    Object.entries(map(value)).every(([key, child]) => {
      const part = Object.hasOwn(map(properties), key) ? map(properties)[key] : true;
      return isValid(part ?? true, child, root);
    }),
  additionalProperties: ({ additionalProperties, properties }, value, root) =>
    Object.entries(map(value)).every(
      ([key, child]) => Object.hasOwn(map(properties), key) || isValid(additionalProperties ?? true, child, root),
    ),
  propertyNames: ({ propertyNames }, value, root) =>
    Object.keys(map(value)).every((key) => isValid(propertyNames ?? true, key, root)),
  allOf: ({ allOf }, value, root) => list(allOf).every((part) => isValid(part, value, root)),
  anyOf: ({ anyOf }, value, root) => list(anyOf).some((part) => isValid(part, value, root)),
  oneOf: ({ oneOf }, value, root) => list(oneOf).filter((part) => isValid(part, value, root)).length === 1,
  not: ({ not }, value, root) => !isValid(not ?? true, value, root),
  if: (schema, value, root) =>
    isValid((isValid(schema.if ?? true, value, root) ? schema.then : schema.else) ?? true, value, root),
};
