import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/** The types of the client package, from the document: one interface per component, and one entry per route. */
export function writeClientTypes(document: JsonObject): string {
  const components = objectAt(objectAt(document, 'components'), 'schemas');
  const interfaces = Object.entries(components).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const routes = Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(asObject(item)).map(([method, operation]) =>
      writeRoute(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  return [
    HEAD,
    SHAPES,
    ...interfaces,
    `/** Every route, by method and path. */\nexport interface Api {\n${routes.join('')}}\n`,
  ].join('\n');
}

const ANY_OBJECT = 'Readonly<Record<string, unknown>>';

const HEAD = `// Written from the gateway's OpenAPI document: npx vitest run packages/gateway/src/api -u\n`;

/** What most routes have in common. */
const SHAPES = `/** What a path has in its braces. */
type Path<Name extends string> = { readonly path: Readonly<Record<Name, string>> };

/** A route that answers with an object whose fields the document does not name. */
type OpenRoute<Input = object> = { readonly input: Input; readonly answer: ${ANY_OBJECT} };

/** An answer that is a list. */
type List<Item> = { readonly data: readonly Item[] };\n`;

function writeRoute(name: string, operation: Json | undefined): string {
  const { summary, parameters, requestBody, responses } = asObject(operation);
  const given = Array.isArray(parameters) ? parameters.map(asObject) : [];
  const names = given.filter((one) => one.in === 'path').map((one) => `'${String(one.name)}'`);
  const path = names.length === 0 ? undefined : `Path<${names.join(' | ')}>`;
  const fields = [
    ...queryFields(given),
    ...(requestBody === undefined
      ? []
      : [`      readonly body: ${typeOf(schemaOf(requestBody), '      ', 'object')};\n`]),
  ];
  const answer = typeOf(schemaOf(objectAt(asObject(responses), '2XX')), '    ');
  if (answer === ANY_OBJECT && fields.length === 0) {
    return `  /** ${String(summary)} */\n  '${name}': OpenRoute${path === undefined ? '' : `<${path}>`};\n`;
  }
  const input = [...(path === undefined ? [] : [path]), ...(fields.length === 0 ? [] : [`{\n${fields.join('')}    }`])];
  return [
    `  /** ${String(summary)} */\n`,
    `  '${name}': {\n`,
    `    readonly input: ${input.length === 0 ? 'object' : input.join(' & ')};\n`,
    `    readonly answer: ${answer};\n  };\n`,
  ].join('');
}

function queryFields(parameters: readonly JsonObject[]): readonly string[] {
  const fields = parameters.filter((one) => one.in === 'query');
  if (fields.length === 0) return [];
  const isOptional = fields.every(({ required }) => required !== true);
  const lines = fields.map(
    ({ name, required, schema }) =>
      `        readonly ${String(name)}${required === true ? '' : '?'}: ${typeOf(schema, '        ')};\n`,
  );
  return [`      readonly query${isOptional ? '?' : ''}: {\n${lines.join('')}      };\n`];
}

function schemaOf(content: Json | undefined): Json | undefined {
  const [first] = Object.values(objectAt(asObject(content), 'content'));
  return asObject(first).schema;
}

/** @param anyObject the type of an object with unknown fields: a body may be of any interface */
function typeOf(schema: Json | undefined, indent: string, anyObject = ANY_OBJECT): string {
  const { $ref, anyOf, enum: values, type, items, properties, required, additionalProperties } = asObject(schema);
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'unknown';
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one, indent, anyObject)).join(' | ');
  if (Array.isArray(values)) return values.map((value) => `'${String(value)}'`).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(items, indent, anyObject);
      return item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object':
      break;
    default:
      return 'unknown';
  }
  if (isJsonObject(properties)) {
    if (isList(properties)) return `List<${typeOf(asObject(properties.data).items, indent, anyObject)}>`;
    const needed = Array.isArray(required) ? required : [];
    const fields = Object.entries(properties).map(([name, field]) => {
      const key = /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`;
      return `${indent}  readonly ${key}${needed.includes(name) ? '' : '?'}: ${typeOf(field, `${indent}  `, anyObject)};\n`;
    });
    return `{\n${fields.join('')}${indent}}`;
  }
  return isJsonObject(additionalProperties)
    ? `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`
    : anyObject;
}

function isList(properties: JsonObject): boolean {
  return Object.keys(properties).join() === 'data' && asObject(properties.data).type === 'array';
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function objectAt(value: JsonObject, name: string): JsonObject {
  return asObject(value[name]);
}
