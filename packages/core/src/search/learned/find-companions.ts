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
/** Once is chance. */
const LEAST_TIMES = 2;
/** Chosen on held-out requests. */
const LEAST_SHARE = 0.4;

/** For each tool the one that was called most often within minutes of it, before or after. `calls` are in the order of their times. */
export function findCompanions(calls: readonly Call[]): ReadonlyMap<string, Companion> {
  const counts = new Map<string, number>();
  const together = new Map<string, Map<string, number>>();
  for (const [at, { tool }] of calls.entries()) {
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    const others = together.get(tool) ?? new Map<string, number>();
    together.set(tool, others);
    for (const other of neighboursOf(calls, at)) others.set(other, (others.get(other) ?? 0) + 1);
  }
  const companions = new Map<string, Companion>();
  for (const [tool, others] of together) {
    const [companion, times] = [...others].reduce((most, next) => (next[1] > most[1] ? next : most), ['', 0]);
    const share = times / (counts.get(tool) ?? 1);
    if (times >= LEAST_TIMES && share >= LEAST_SHARE) companions.set(tool, { tool: companion, share });
  }
  return companions;
}

/** The other tools that were called within minutes of a call, each once. */
function neighboursOf(calls: readonly Call[], at: number): ReadonlySet<string> {
  const { tool, atMs } = calls[at] as Call;
  const near = calls.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1);
  return new Set(
    near.flatMap((call) => (call.tool !== tool && Math.abs(call.atMs - atMs) <= TOGETHER_MS ? [call.tool] : [])),
  );
}
