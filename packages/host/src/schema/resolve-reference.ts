import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import { type Resource, resolveUri, type SchemaIndex } from './schema-index.ts';

/** The target of a reference: a schema, and the resource that its own references are relative to. */
export interface Target {
  readonly schema: Json;
  readonly resource: Resource;
  /** The name, if the reference led to a `$dynamicAnchor`. */
  readonly dynamicAnchor?: string;
}

/** Follows a `$ref` within the schema; undefined for one that leads outside or nowhere, because nothing is fetched. */
export function resolveReference(index: SchemaIndex, from: Resource, reference: string): Target | undefined {
  const hash = reference.indexOf('#');
  const address = hash < 0 ? reference : reference.slice(0, hash);
  const resource = address === '' ? from : index.byUri.get(resolveUri(address, from.uri)?.replace(/#$/, '') ?? '');
  if (resource === undefined) return undefined;
  const fragment = hash < 0 ? '' : decode(reference.slice(hash + 1));
  if (fragment === '') return { schema: resource.root, resource };
  if (fragment.startsWith('/')) return followPointer(index, resource, fragment);
  const schema = resource.anchors.get(fragment);
  if (schema === undefined) return undefined;
  const isDynamic = resource.dynamicAnchors.get(fragment) === schema;
  return { schema, resource, ...(isDynamic ? { dynamicAnchor: fragment } : {}) };
}

function followPointer(index: SchemaIndex, start: Resource, pointer: string): Target | undefined {
  let schema: Json = start.root;
  let resource = start;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: Json | undefined = childOf(schema, key);
    if (next === undefined) return undefined;
    schema = next;
    if (isJsonObject(schema)) resource = index.byRoot.get(schema) ?? resource;
  }
  return { schema, resource };
}

function childOf(parent: Json, key: string): Json | undefined {
  if (Array.isArray(parent)) return /^(0|[1-9]\d{0,8})$/.test(key) ? parent[Number(key)] : undefined;
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
