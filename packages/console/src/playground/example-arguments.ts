import { child } from '../shell/read-json.ts';

/** Arguments to begin with: what the schema requires, with its own values where it has some. */
export function exampleArguments(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = child(schema, 'properties');
  const required = child(schema, 'required');
  if (typeof properties !== 'object' || properties === null || !Array.isArray(required)) return {};
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, property]) => [name, exampleOf(property)]),
  );
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 1,
  number: 1,
  boolean: false,
  array: [],
  object: {},
};

function exampleOf(property: unknown): unknown {
  const examples = child(property, 'examples');
  const options = child(property, 'enum');
  const given =
    child(property, 'default') ??
    (Array.isArray(examples) ? examples[0] : undefined) ??
    (Array.isArray(options) ? options[0] : undefined);
  return given ?? EMPTY[String(child(property, 'type'))] ?? null;
}
