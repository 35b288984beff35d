import type { Snapshot, Tool } from '../catalog/index.ts';

const twinsBySnapshot = new WeakMap<Snapshot, ReadonlyMap<Tool, readonly Tool[]>>();

/**
 * The other tools that have a tool's name and description: the same one at another server, as when one service is connected for
 * two accounts. Made from the catalog alone, because a replay knows nothing else.
 */
export function sameTools(snapshot: Snapshot, tool: Tool): readonly Tool[] {
  let twins = twinsBySnapshot.get(snapshot);
  if (twins === undefined) {
    twins = findTwins(snapshot.tools);
    twinsBySnapshot.set(snapshot, twins);
  }
  return (twins.get(tool) ?? []).filter((other) => other !== tool);
}

/** Two passes, so that only names which occur twice cost more than a look. */
function findTwins(tools: readonly Tool[]): ReadonlyMap<Tool, readonly Tool[]> {
  const byName = new Map<string, Tool[]>();
  for (const tool of tools) {
    const namesakes = byName.get(tool.name);
    if (namesakes === undefined) byName.set(tool.name, [tool]);
    else namesakes.push(tool);
  }
  const twins = new Map<Tool, readonly Tool[]>();
  for (const namesakes of byName.values()) {
    if (namesakes.length === 1) continue;
    const byDescription = new Map<string, Tool[]>();
    for (const tool of namesakes) {
      const same = byDescription.get(tool.description) ?? [];
      same.push(tool);
      byDescription.set(tool.description, same);
      twins.set(tool, same);
    }
  }
  return twins;
}
