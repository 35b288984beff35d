import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { canonicalText } from './canonical-text.ts';
import type { Evaluator, Subject } from './evaluator.ts';
import type { ExpectedType, TypeName } from './failure.ts';
import type { Verdict } from './verdict.ts';

/** `type`, `enum` and `const`, together: if the allowed values are listed, their type need not be reported. */
export function checkTypeAndEnum(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { schema, value, place } = subject;
  for (const allowed of allowedLists(schema)) {
    const isAllowed = isOneOf(value, allowed, evaluation);
    if (isAllowed === undefined) verdict.doubt();
    if (isAllowed === false) {
      verdict.fail({ kind: 'expected', place, value, types: [], allowed });
      return;
    }
  }
  const types = expectedTypes(schema);
  if (types === undefined || types.some(({ name }) => hasType(value, name))) return;
  verdict.fail({ kind: 'expected', place, value, types, allowed: [] });
}

/** The type names of a schema; undefined if it allows any, or names one that JSON Schema does not have. */
export function expectedTypes(schema: JsonObject): readonly ExpectedType[] | undefined {
  const names = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (!Array.isArray(names) || names.length === 0 || names.length > TYPE_NAMES.size) return undefined;
  const types: ExpectedType[] = [];
  for (const written of names) {
    const name = typeof written === 'string' ? typeName(written) : undefined;
    if (name === undefined) return undefined;
    const of = name === 'array' && isJsonObject(schema.items) ? onlyType(schema.items) : undefined;
    types.push(of === undefined ? { name } : { name, of });
  }
  return types;
}

export function hasType(value: Json, name: TypeName): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
    case 'number':
    case 'string':
      return typeof value === name;
  }
}

function onlyType(schema: JsonObject): TypeName | undefined {
  return typeof schema.type === 'string' ? typeName(schema.type) : undefined;
}

/** Gemini writes types in capitals. */
function typeName(written: string): TypeName | undefined {
  return TYPE_NAMES.get(written) ?? TYPE_NAMES.get(written.toLowerCase());
}

function allowedLists(schema: JsonObject): readonly (readonly Json[])[] {
  if (schema.const === undefined) return Array.isArray(schema.enum) ? [schema.enum] : [];
  return Array.isArray(schema.enum) ? [[schema.const], schema.enum] : [[schema.const]];
}

function isOneOf(value: Json, allowed: readonly Json[], evaluation: Evaluator): boolean | undefined {
  if (!evaluation.spend(allowed.length)) return undefined;
  if (typeof value !== 'object' || value === null) return allowed.includes(value);
  const text = canonicalText(value, evaluation);
  if (text === undefined) return undefined;
  let isCertain = true;
  for (const candidate of allowed) {
    if (typeof candidate !== 'object' || candidate === null) continue;
    const other = canonicalText(candidate, evaluation);
    if (other === text) return true;
    isCertain &&= other !== undefined;
  }
  return isCertain ? false : undefined;
}

const TYPE_NAMES: ReadonlyMap<string, TypeName> = new Map(
  (['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const).map((name) => [name, name]),
);
