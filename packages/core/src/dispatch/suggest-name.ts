import type { Snapshot, Tool } from '../catalog/index.ts';
import { nameDistance } from './name-distance.ts';
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
