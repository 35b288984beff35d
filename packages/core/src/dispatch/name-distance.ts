import { editDistance } from '../search/index.ts';

/** From this length on a name within another is taken for its short form. */
const SHORTEST_PART = 4;

/**
 * How far two names are apart, to distinguish a misspelt name from an unrelated one: edits, infinite beyond a third of the
 * longer name; a name within the other is near too, but never nearer than a misspelling. Both as the caller folds them,
 * neither empty.
 */
export function nameDistance(left: string, right: string): number {
  if (left === '' || right === '') return Number.POSITIVE_INFINITY;
  const limit = Math.floor(Math.max(left.length, right.length) / 3);
  const isPart = Math.min(left.length, right.length) >= SHORTEST_PART && (right.includes(left) || left.includes(right));
  return isPart ? Math.min(limit + 1, Math.abs(left.length - right.length)) : editDistance(left, right, limit);
}
