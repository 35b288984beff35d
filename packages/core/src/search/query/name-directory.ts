import type { Snapshot, Tool } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';
import type { NameSource } from './find-names.ts';

/** What an index knows about names. */
export interface NameIndex {
  /** Tools whose name has this key, as positions in the catalog. */
  findNames(key: string): number[];
  /** The length of the longest key of a name. */
  readonly longestNameKey: number;
}

/** Finds the tools of a snapshot by name. Only model names that don't follow from server and name are kept, once asked for. */
export function createNameDirectory(snapshot: Snapshot, index: NameIndex): NameSource {
  const { tools } = snapshot;
  const serverKeys = new Set(snapshot.servers.map(nameKey));
  let longestServer = 0;
  for (const key of serverKeys) {
    longestServer = Math.max(longestServer, key.length);
  }
  let oddModelNames: Map<string, number[]> | undefined;
  return {
    longestKey: MODEL_PREFIX_LENGTH + longestServer + index.longestNameKey,
    longestServerKey: longestServer,
    findNames: (key) => index.findNames(key),
    nameOf: (tool) => tools[tool]?.name ?? '',
    hasServer: (key) => serverKeys.has(key),
    findServerNames: (serverKey, key) =>
      index.findNames(key).filter((tool) => nameKey(tools[tool]?.server ?? '') === serverKey),
    findModelNames(name) {
      const exact = snapshot.resolve(name);
      if (exact !== undefined) {
        return index.findNames(nameKey(exact.name)).filter((tool) => tools[tool]?.id === exact.id);
      }
      oddModelNames ??= collectOddModelNames(snapshot);
      return oddModelNames.get(nameKey(name)) ?? [];
    },
  };
}

/** Of `mcp`, which may stand before a server's name. */
const MODEL_PREFIX_LENGTH = 3;

/** Model names by key, where server and name together have another one: shortened names and those with a suffix. */
function collectOddModelNames(snapshot: Snapshot): Map<string, number[]> {
  const found = new Map<string, number[]>();
  snapshot.tools.forEach((tool, position) => {
    const key = nameKey(snapshot.modelName(tool));
    if (key === '' || isRegular(tool, key)) {
      return;
    }
    const others = found.get(key);
    if (others === undefined) {
      found.set(key, [position]);
    } else {
      others.push(position);
    }
  });
  return found;
}

function isRegular(tool: Tool, key: string): boolean {
  const name = nameKey(tool.name);
  if (key === name) {
    return true;
  }
  const full = nameKey(tool.server ?? '') + name;
  return key === full || key === `mcp${full}`;
}
