import { parseTools } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { JsonPath } from './scan-json.ts';

/**
 * A lower bound of the number of definitions in an input, counted no further than `most + 1`. Called before parsing: a hostile list of
 * millions of small values would otherwise become millions of problems first.
 */
export function countDefinitions(value: unknown, most: number): number {
  return count(value, most, DEEPEST);
}

function count(value: unknown, most: number, levels: number): number {
  if (typeof value !== 'object' || value === null || levels === 0) return 1;
  if (Array.isArray(value) && value.length > most) return most + 1;
  const size = Array.isArray(value) ? 0 : Object.keys(value).length;
  if (size > MOST_FIELDS) return size;
  let sum = 0;
  for (const [, member] of membersOf(value)) {
    sum += count(member, most - sum, levels - 1);
    if (sum > most) return sum;
  }
  return Math.max(1, sum);
}

/** The deepest nesting of lists in an input. */
const DEEPEST = 8;
/** An object with more keys is not a definition but a map from name to tool. */
const MOST_FIELDS = 1_000;

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
function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((member: unknown, index) => [index, member]);
  if (!isJsonObject(value)) return [];
  return CONTAINERS.filter((key) => Object.hasOwn(value, key) && typeof value[key] === 'object').map((key) => [
    key,
    value[key],
  ]);
}

const CONTAINERS: readonly string[] = ['tools', 'result', 'functionDeclarations', 'function_declarations'];
