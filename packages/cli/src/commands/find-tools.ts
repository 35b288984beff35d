import type { Snapshot, Tool } from '@quartermaster/core';
import { nameDistance } from '@quartermaster/core/internal';
import { InputError } from '../input-error.ts';

/** The tools that a user means by an id, a name, or a name as models see it. Several servers may have a tool of one name. */
export function findTools(label: string, snapshot: Snapshot): readonly Tool[] {
  const exact = snapshot.get(label);
  if (exact !== undefined) return [exact];
  const named = snapshot.tools.filter((tool) => tool.name === label);
  if (named.length > 0) return named;
  const resolved = snapshot.resolve(label);
  if (resolved !== undefined) return [resolved];
  const similar = similarNames(label, snapshot);
  const hint = similar.length === 0 ? 'names are case-sensitive' : `similar names: ${similar.join(', ')}`;
  throw new InputError(`The catalog has no tool called ${JSON.stringify(label)}; ${hint}`);
}

/** The ids of tools whose id or name is similar to this one, the closest first. */
export function similarNames(label: string, { tools }: Snapshot): readonly string[] {
  const fold = (text: string): string => text.slice(0, MOST_CHARACTERS).toLowerCase();
  const wanted = fold(label);
  return tools
    .map(({ id, name }) => ({
      id,
      distance: Math.min(nameDistance(wanted, fold(id)), nameDistance(wanted, fold(name))),
    }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_SIMILAR)
    .map(({ id }) => id);
}

const MOST_CHARACTERS = 100;
const MOST_SIMILAR = 5;
