import { editDistance } from '@quartermaster/core';

/** Longer names and further candidates are not compared. */
const MOST_CHARACTERS = 64;
const MOST_CANDIDATES = 200;

/**
 * The candidate that a name was probably meant to be: equal but for case and `_`, `-`, `.` and blanks, the same
 * letters in another order, within a third of its letters, or one within the other from four letters on. Among equally near ones, the earlier.
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const asked = fold(name);
  if (asked === '') return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates.slice(0, MOST_CANDIDATES)) {
    const distance = distanceBetween(asked, fold(candidate));
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function distanceBetween(asked: string, name: string): number {
  if (name === '') return Number.POSITIVE_INFINITY;
  const limit = Math.floor(Math.max(asked.length, name.length) / 3);
  const isPart = Math.min(asked.length, name.length) >= 4 && (name.includes(asked) || asked.includes(name));
  if (asked !== name && asked.length > 2 && sorted(asked) === sorted(name)) return 1;
  return isPart ? Math.min(limit + 1, Math.abs(name.length - asked.length)) : editDistance(asked, name, limit);
}

function sorted(name: string): string {
  return [...name].sort().join('');
}

function fold(name: string): string {
  return name
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .replace(/[\s_.-]+/g, '');
}
