import type { Snapshot, Tool } from '@quartermaster/core';
import { InputError } from '../input-error.ts';

/** The tools that a user means by an id, a name, or a name as models see it. A bare name may be that of several servers. */
export function findTools(label: string, snapshot: Snapshot): readonly Tool[] {
  const exact = snapshot.get(label);
  if (exact !== undefined) return [exact];
  const named = snapshot.tools.filter((tool) => tool.name === label);
  if (named.length > 0) return named;
  const resolved = snapshot.resolve(label);
  if (resolved !== undefined) return [resolved];
  throw new InputError(`The catalog has no tool called ${JSON.stringify(label)}; names are case-sensitive`);
}
