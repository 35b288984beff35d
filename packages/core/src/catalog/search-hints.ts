import { once } from '../memoized.ts';
import type { Snapshot } from './create-snapshot.ts';
import { sha256 } from './sha256.ts';
import type { Tool } from './tool.ts';

/** Requests in users' own words that a tool should be found by, by the tool's id. They are only for the index: no model sees them. */
export type SearchHints = ReadonlyMap<string, SearchHint>;

/** The hints for one tool. */
export interface SearchHint {
  /** The hash of the definition that they were written for, from `hashTool`. If the tool has changed since, they don't count. */
  readonly hash: string;
  readonly hints: readonly string[];
}

/** SHA-256 of what a tool's hints are written from: server, name, title, description and schema. */
export function hashTool({ server, name, description, schema, extras }: Tool): string {
  return sha256([JSON.stringify([server ?? null, name, extras.title ?? null, description, schema])]);
}

/** A snapshot with hints: its tools can be found by them as well. */
export interface HintedSnapshot {
  readonly snapshot: Snapshot;
  /** How many tools have hints that fit their definition. */
  readonly hinted: number;
}

/** The snapshot for an index. Names and order are the same; a tool without hints is the same object. */
export function applySearchHints(snapshot: Snapshot, hints: SearchHints): HintedSnapshot {
  const changed = new Map<string, Tool>();
  const tools = snapshot.tools.map((tool) => {
    const known = hints.get(tool.id);
    if (known === undefined || known.hints.length === 0 || known.hash !== hashTool(tool)) return tool;
    const own = tool.extras.searchHint;
    const searchHint = [...(own === undefined ? [] : [own]), ...known.hints].join('\n');
    const hinted = { ...tool, extras: { ...tool.extras, searchHint } };
    changed.set(tool.id, hinted);
    return hinted;
  });
  if (changed.size === 0) return { snapshot, hinted: 0 };
  const latest = (tool: Tool | undefined): Tool | undefined =>
    tool === undefined ? undefined : (changed.get(tool.id) ?? tool);
  const told = (): string => JSON.stringify([...changed].map(([id, tool]) => [id, tool.extras.searchHint]));
  const hash = once(() => sha256([snapshot.hash, told()]));
  return {
    hinted: changed.size,
    snapshot: {
      tools: Object.freeze(tools),
      servers: snapshot.servers,
      get hash(): string {
        return hash();
      },
      get: (id) => latest(snapshot.get(id)),
      modelName: (tool) => snapshot.modelName(tool),
      resolve: (modelName) => latest(snapshot.resolve(modelName)),
    },
  };
}
