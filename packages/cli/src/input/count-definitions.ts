import { membersOf } from './find-bad-definition.ts';

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
