/** A tool that was often called along with another one. */
export interface Companion {
  /** Its id. */
  readonly tool: string;
  /** Of the other one's calls, the share that it came with. */
  readonly share: number;
}

interface Call {
  readonly tool: string;
  readonly atMs: number;
}

/** Calls so close together belong to one task. */
const TOGETHER_MS = 5 * 60 * 1000;
/** How many calls before and after one are looked at. */
const NEIGHBOURS = 16;
/** A single time may be a coincidence. */
const LEAST_TIMES = 2;
/** Chosen on held-out requests. */
const LEAST_SHARE = 0.4;

/**
 * For each tool the one that was called most often within minutes of it, before or after. `calls` are in the order of their times, and the last
 * `mostPerTool` of each tool: of one that was called more often, nothing is known of the time before.
 */
export function findCompanions(calls: readonly Call[], mostPerTool: number): ReadonlyMap<string, Companion> {
  const times = new Map<string, number[]>();
  const together = new Map<string, Map<string, number>>();
  for (const [at, { tool, atMs }] of calls.entries()) {
    listIn(times, tool).push(atMs);
    const others = together.get(tool) ?? new Map<string, number>();
    together.set(tool, others);
    for (const other of neighboursOf(calls, at)) others.set(other, (others.get(other) ?? 0) + 1);
  }
  const knownSince = (tool: string): number => {
    const own = listIn(times, tool);
    return own.length < mostPerTool ? Number.NEGATIVE_INFINITY : (own[0] as number) - TOGETHER_MS;
  };
  const companions = new Map<string, Companion>();
  for (const [tool, others] of together) {
    const [companion, count] = [...others].reduce((most, next) => (next[1] > most[1] ? next : most), ['', 0]);
    if (count < LEAST_TIMES) continue;
    const since = knownSince(companion);
    const share = count / listIn(times, tool).filter((atMs) => atMs >= since).length;
    if (share >= LEAST_SHARE) companions.set(tool, { tool: companion, share });
  }
  return companions;
}

function listIn(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** The other tools that were called within minutes of a call, each once. */
function neighboursOf(calls: readonly Call[], at: number): ReadonlySet<string> {
  const { tool, atMs } = calls[at] as Call;
  const near = calls.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1);
  return new Set(
    near.flatMap((call) => (call.tool !== tool && Math.abs(call.atMs - atMs) <= TOGETHER_MS ? [call.tool] : [])),
  );
}
