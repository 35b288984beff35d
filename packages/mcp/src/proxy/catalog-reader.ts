import type { Snapshot } from '@quartermaster/core';
import { readAhead } from '@quartermaster/core/internal';

/** Smaller catalogs take a few milliseconds to read. */
const LEAST_READ_AHEAD = 500;

/** Reads each large catalog once, in slices: otherwise the first plan for it would hold up all other clients. */
export function createCatalogReader(
  snapshot: () => Snapshot,
  options: Parameters<typeof readAhead>[1],
): () => Promise<void> | undefined {
  const known = new WeakMap<Snapshot, Promise<void> | 'read'>();
  return () => {
    const current = snapshot();
    const state = known.get(current);
    if (state === 'read' || current.tools.length < LEAST_READ_AHEAD) return undefined;
    if (state !== undefined) return state;
    const reading = readAhead(current, options).finally(() => known.set(current, 'read'));
    known.set(current, reading);
    return reading;
  };
}
