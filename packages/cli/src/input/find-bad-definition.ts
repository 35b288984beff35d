import { parseTools } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { JsonPath } from './scan-json.ts';

/**
 * The path to the first tool definition that can't be read, as deep as possible. Called only after a problem was found, so
 * it may parse again.
 */
export function findBadDefinition(value: unknown): JsonPath {
  const path: (string | number)[] = [];
  let place = value;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const bad = membersOf(place).find(([, member]) => parseTools([member]).problems.length > 0);
    if (bad === undefined) return path;
    path.push(bad[0]);
    place = bad[1];
  }
  return path;
}

/** The parts of an input that may contain definitions, or be definitions, with their keys. */
export function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((member: unknown, index) => [index, member]);
  if (!isJsonObject(value)) return [];
  return CONTAINERS.filter((key) => Object.hasOwn(value, key) && typeof value[key] === 'object').map((key) => [
    key,
    value[key],
  ]);
}

const CONTAINERS: readonly string[] = ['tools', 'result', 'functionDeclarations', 'function_declarations'];
const DEEPEST = 8;
