import type { Snapshot, Tool } from '../../catalog/index.ts';
import { oneLine } from '../text/index.ts';

const MOST_NAMED = 8;
const SERVER_NAME_LENGTH = 60;

/**
 * What came and went since the plan was made, in a line for the tail: servers that connect late are told there, because
 * rewriting the listing would rewrite the prefix. Nothing when the tools are the same.
 */
export function catalogChanges(
  before: Snapshot,
  after: Snapshot,
  allow: (tool: Tool) => boolean = () => true,
): string | undefined {
  const changes = compare(before, after);
  const added = changes.added.filter(allow);
  const removed = changes.removed.filter(allow);
  const parts = [
    ...(added.length > 0 ? [`New tools can be searched for: ${summary(added, after)}.`] : []),
    ...(removed.length > 0 ? [`No longer available: ${summary(removed, before)}.`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

interface Changes {
  readonly added: readonly Tool[];
  readonly removed: readonly Tool[];
}

const compared = new WeakMap<Snapshot, WeakMap<Snapshot, Changes>>();

/** Once per pair: every round of a session asks again. */
function compare(before: Snapshot, after: Snapshot): Changes {
  const known = compared.get(before) ?? new WeakMap<Snapshot, Changes>();
  compared.set(before, known);
  const changes = known.get(after) ?? {
    added: after.tools.filter((tool) => before.get(tool.id) === undefined),
    removed: before.tools.filter((tool) => after.get(tool.id) === undefined),
  };
  known.set(after, changes);
  return changes;
}

/** By server with counts; tools without a server by name. */
function summary(tools: readonly Tool[], snapshot: Snapshot): string {
  const counts = new Map<string, number>();
  const names: string[] = [];
  for (const tool of tools) {
    if (tool.server === undefined) names.push(snapshot.modelName(tool));
    else counts.set(tool.server, (counts.get(tool.server) ?? 0) + 1);
  }
  const all = [...[...counts].map(([server, count]) => `${oneLine(server, SERVER_NAME_LENGTH)} (${count})`), ...names];
  const rest = all.length - MOST_NAMED;
  return `${all.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
