import type { Snapshot, Tool } from '../catalog/index.ts';
import { foldName } from './resolve-name.ts';

export interface SuggestNameOptions {
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

const MOST_SUGGESTIONS = 3;
const MOST_CHARACTERS = 64;

/** The tools whose names are nearest to one that does not exist: at most three, as the model sees them, none when nothing is near. */
export function suggestName(options: SuggestNameOptions): readonly string[] {
  const { snapshot, allow } = options;
  const asked = foldName(options.name.slice(0, MOST_CHARACTERS));
  if (asked === '') return [];
  const near: { name: string; distance: number }[] = [];
  for (const tool of snapshot.tools) {
    if (allow !== undefined && !allow(tool)) continue;
    const name = snapshot.modelName(tool);
    const distance = Math.min(
      nearness(asked, foldName(name.slice(0, MOST_CHARACTERS))),
      nearness(asked, foldName(tool.name.slice(0, MOST_CHARACTERS))),
    );
    if (distance < Number.POSITIVE_INFINITY) near.push({ name, distance });
  }
  return near
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ name }) => name);
}

/** Edits between two names, infinite beyond a third of the longer one; a name that contains the other counts as near. */
function nearness(asked: string, name: string): number {
  if (name === '') return Number.POSITIVE_INFINITY;
  const limit = Math.floor(Math.max(asked.length, name.length) / 3);
  if (Math.min(asked.length, name.length) >= 4 && (name.includes(asked) || asked.includes(name))) {
    return Math.min(limit + 1, Math.abs(asked.length - name.length));
  }
  return editDistance(asked, name, limit);
}

/** Levenshtein's distance in two rows, given up as soon as a whole row is past the limit. */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const cost = Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    previous = current;
  }
  const distance = previous[right.length] ?? Number.POSITIVE_INFINITY;
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}
