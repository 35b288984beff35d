import { nameDistance } from '@quartermaster/core/internal';

/** Longer names and further candidates are not compared. */
const MOST_CHARACTERS = 64;
const MOST_CANDIDATES = 200;

/**
 * The candidate that a name was probably meant to be, by `nameDistance`, with case and `_`, `-`, `.` and blanks left out of the
 * comparison. Among equally near ones, the earlier.
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const asked = fold(name);
  if (asked === '') return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates.slice(0, MOST_CANDIDATES)) {
    const distance = nameDistance(asked, fold(candidate));
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function fold(name: string): string {
  return name
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .replace(/[\s_.-]+/g, '');
}
