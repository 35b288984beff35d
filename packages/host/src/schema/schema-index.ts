import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/** A schema with its own address: the root, and every embedded schema with an `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: JsonObject;
  /** Draft 7 and older: what is next to a `$ref` is ignored. */
  readonly isLegacy: boolean;
  /** Draft 4: the address is in `id`. */
  readonly isDraft4: boolean;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** What must be known about a whole schema before its parts can be interpreted. */
export interface SchemaIndex {
  readonly root: Resource;
  readonly byUri: ReadonlyMap<string, Resource>;
  readonly byRoot: ReadonlyMap<JsonObject, Resource>;
  /** Whether any keyword asks which children were evaluated. */
  readonly usesUnevaluated: boolean;
}

/** Relative addresses need a base; nothing is ever fetched. */
const BASE_URI = 'https://schema.invalid/';

/** Subschemas past this number are not searched for addresses: a reference to one of them can't be followed. */
const MOST_SUBSCHEMAS = 50_000;
const MOST_URI_LENGTH = 2_000;

/** Finds the addresses and anchors of a schema. Only where schemas are allowed: an `enum` may contain anything. */
export function indexSchema(schema: JsonObject): SchemaIndex {
  const dialect = typeof schema.$schema === 'string' ? schema.$schema : '';
  const root = createResource(schema, { uri: BASE_URI, isLegacy: false, isDraft4: false }, dialect);
  const byUri = new Map([
    [BASE_URI, root],
    [root.uri, root],
  ]);
  const byRoot = new Map([[schema, root]]);
  let usesUnevaluated = false;
  const pending: { schema: JsonObject; resource: Resource }[] = [{ schema, resource: root }];
  for (let count = 0; count < MOST_SUBSCHEMAS; count += 1) {
    const next = pending.pop();
    if (next === undefined) return { root, byUri, byRoot, usesUnevaluated };
    let { resource } = next;
    if (next.schema !== schema && ownId(next.schema, resource) !== undefined) {
      const ownDialect = typeof next.schema.$schema === 'string' ? next.schema.$schema : '';
      resource = createResource(next.schema, resource, ownDialect);
      byUri.set(resource.uri, resource);
      byRoot.set(next.schema, resource);
    }
    recordAnchors(next.schema, resource);
    usesUnevaluated ||= 'unevaluatedProperties' in next.schema || 'unevaluatedItems' in next.schema;
    for (const part of subschemas(next.schema)) pending.push({ schema: part, resource });
  }
  return { root, byUri, byRoot, usesUnevaluated: true };
}

/** A URI reference made absolute; undefined if it is invalid, or longer than any written by hand. */
export function resolveUri(reference: string, base: string): string | undefined {
  if (reference.length > MOST_URI_LENGTH) return undefined;
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

function createResource(
  root: JsonObject,
  outer: Pick<Resource, 'uri' | 'isLegacy' | 'isDraft4'>,
  dialect: string,
): Resource {
  const isDraft4 = dialect === '' ? outer.isDraft4 : /draft-0[34]\b/.test(dialect);
  const isLegacy = dialect === '' ? outer.isLegacy : /draft-0[3-7]\b/.test(dialect);
  const id = ownId(root, { isDraft4, isLegacy });
  const uri = (id === undefined ? undefined : resolveUri(id, outer.uri)?.replace(/#$/, '')) ?? outer.uri;
  return { uri, root, isLegacy, isDraft4, anchors: new Map(), dynamicAnchors: new Map() };
}

/** The schema's own address. In the old drafts an id that is only a fragment is an anchor, and one next to a `$ref` is ignored. */
function ownId(schema: JsonObject, dialect: Pick<Resource, 'isDraft4' | 'isLegacy'>): string | undefined {
  const id = dialect.isDraft4 ? schema.id : schema.$id;
  if (typeof id !== 'string' || id.startsWith('#')) return undefined;
  return dialect.isLegacy && typeof schema.$ref === 'string' ? undefined : id;
}

function recordAnchors(schema: JsonObject, resource: Resource): void {
  const { $anchor, $dynamicAnchor } = schema;
  const id = resource.isDraft4 ? schema.id : schema.$id;
  if (resource.isLegacy && typeof id === 'string' && /^#[^/]/.test(id)) resource.anchors.set(id.slice(1), schema);
  if (typeof $anchor === 'string') resource.anchors.set($anchor, schema);
  if (typeof $dynamicAnchor === 'string') {
    resource.anchors.set($dynamicAnchor, schema);
    resource.dynamicAnchors.set($dynamicAnchor, schema);
  }
}

function* subschemas(schema: JsonObject): Generator<JsonObject> {
  for (const keyword of ONE) if (isJsonObject(schema[keyword])) yield schema[keyword];
  for (const keyword of LISTS) yield* objectsIn(schema[keyword]);
  for (const keyword of MAPS) {
    const map = schema[keyword];
    if (isJsonObject(map)) yield* objectsIn(Object.values(map));
  }
}

function* objectsIn(list: Json | undefined): Generator<JsonObject> {
  if (!Array.isArray(list)) return;
  for (const part of list) if (isJsonObject(part)) yield part;
}

const ONE = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'] as const;
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'] as const;
