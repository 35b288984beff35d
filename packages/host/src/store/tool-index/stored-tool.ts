import type { Tool } from '@quartermaster/core';
import { createTool, isJsonObject, type Json, type JsonObject, type Policy } from '@quartermaster/core/catalog';

/**
 * A tool as text. Its original definition contains the same schema and description again; they are removed from it and put back,
 * in their places, when it is read.
 */
export function writeStoredTool({ server, name, description, schema, policy, extras }: Tool): string {
  const { verbatim, ...others } = extras;
  const shared: Shared = { schema, description };
  return JSON.stringify({
    ...{ server, name, description, schema, policy, extras: others },
    ...(verbatim === undefined ? {} : { verbatim: fold(verbatim as Json, shared, 0) }),
  });
}

export function readStoredTool(text: string): Tool {
  const { verbatim, extras, ...parts } = JSON.parse(text) as StoredTool;
  const { schema, description = '' } = parts;
  if (verbatim === undefined) return createTool({ ...parts, extras });
  const whole = unfold(verbatim, { schema, description }) as NonNullable<Tool['extras']['verbatim']>;
  return createTool({ ...parts, extras: { ...extras, verbatim: whole } });
}

interface StoredTool {
  readonly server?: string;
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonObject;
  readonly policy: Policy;
  readonly extras: Tool['extras'];
  readonly verbatim?: Json;
}

interface Shared {
  readonly schema: JsonObject;
  readonly description: string;
}

/** `{ "\u0001": "schema" }` marks what was removed; a definition that has such a key itself is stored unchanged. */
const MARK = '\u0001';
/** A definition has its schema at the top, or inside `function`. */
const DEEPEST = 3;
/** Shorter ones take no more than the mark. */
const SHORTEST = 32;

function fold(value: Json, shared: Shared, depth: number): Json {
  if (value === shared.schema) return { [MARK]: 'schema' };
  if (typeof value === 'string')
    return value === shared.description && value.length > SHORTEST ? { [MARK]: 'description' } : value;
  if (!isJsonObject(value) || depth === DEEPEST) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fold(one, shared, depth + 1)]));
}

function unfold(value: Json, shared: Shared, depth = 0): Json {
  if (!isJsonObject(value) || depth > DEEPEST) return value;
  const mark = value[MARK];
  if ((mark === 'schema' || mark === 'description') && Object.keys(value).length === 1) return shared[mark];
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unfold(one, shared, depth + 1)]));
}
