import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

/**
 * The usage of two rounds as one: numbers are added at every depth, anything else is the later round's. A count that only one
 * of them has stays.
 */
export function sumUsage(left: JsonObject | undefined, right: JsonObject | undefined): JsonObject | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return addObjects(left, right);
}

function addObjects(left: JsonObject, right: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...keys].map((key) => [key, add(own(left, key), own(right, key))]));
}

function add(left: Json | undefined, right: Json | undefined): Json {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (isJsonObject(left) && isJsonObject(right)) return addObjects(left, right);
  return right ?? left ?? null;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * What is left of a client's limit on the tokens of its response, once earlier rounds have used some of it: the limit is the
 * client's for all rounds together. At least `least`, since no host takes a request for nothing.
 */
export function remainingTokens(limit: unknown, used: unknown, least = 1): number | undefined {
  if (typeof limit !== 'number' || typeof used !== 'number' || !(used > 0)) return undefined;
  return Math.min(limit, Math.max(least, limit - used));
}
