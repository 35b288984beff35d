import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { digest } from '../../digest.ts';

/**
 * A hash of everything in a definition that can mislead the model or a caller. The order of keys does not count, because some
 * servers change it from run to run; nor do `_meta` and `icons`, because no model reads them.
 */
export function hashDefinition(definition: JsonObject): string {
  const { _meta, icons, ...rest } = definition;
  return digest([canonicalJson(rest)]);
}

/** JSON with sorted keys. The parser has already rejected anything nested too deeply for this. */
function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  // An in-process server may return fields that JSON would not contain.
  const members = defined(value as JsonObject);
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`).join(',')}}`;
}
