import type { Snapshot, Tool } from '../../catalog/index.ts';
import { editDistance } from '../../edit-distance.ts';
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
      nameDistance(asked, foldName(name.slice(0, MOST_CHARACTERS))),
      nameDistance(asked, foldName(tool.name.slice(0, MOST_CHARACTERS))),
    );
    if (distance < Number.POSITIVE_INFINITY) near.push({ name, distance });
  }
  return near
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ name }) => name);
}

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
