import { addToList } from '../../add-to-list.ts';
import { defined } from '../../catalog/internal.ts';

/** A tool that was called after a search. It holds no text. */
export interface LearnedUse {
  /** The tool's id. */
  readonly tool: string;
  /** When it was called, in milliseconds. */
  readonly atMs: number;
  /** The request's vector, one byte per component. Missing if only calls are counted. */
  readonly vector?: Int8Array;
}

/** How much a tool gains for one request because it was called before. */
export interface UseBonus {
  /** Points of the hybrid score. */
  readonly points: number;
  /** Whether it was called after almost the same request: only then may it pass tools that were never called. */
  readonly isAskedAlike: boolean;
  /** The tool that was called together with it most often, if any: it may get the last place of an answer. */
  readonly companion?: Companion;
}

/** Options of `LearnedUses`. */
export interface LearnedUsesOptions {
  /** The maximum number of uses; the oldest are dropped. @default 4096 */
  readonly maxUses?: number;
  /** How many of one tool. @default 64 */
  readonly maxUsesPerTool?: number;
  /** The half-life of a use. @default 30 days */
  readonly halfLifeMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The default limits of learned uses. */
export const LEARNED_USES_DEFAULTS: Required<LearnedUsesOptions> = {
  maxUses: 4_096,
  maxUsesPerTool: 64,
  halfLifeMs: 30 * DAY_MS,
};

/** After this many half-lives a use is deleted: it counts less than a hundredth by then. */
const FORGOTTEN_AFTER = 7;

/** Cosines up to this are ignored: requests for different things can be that similar. */
const UNLIKE = 0.3;

/** From this cosine on, two requests count as the same. */
const ALIKE = 0.85;

/**
 * In points of the hybrid score: the tool's share of similar earlier requests, the similarity of the nearest one, and each e-fold of
 * calls.
 */
const WEIGHTS = { share: 3.5, nearest: 2.3, calls: 0.2 };

/** Added to the total similarity, so that little similarity in all earns less than half of the share's points. */
const SHARE_FLOOR = 0.3;

interface Kept extends LearnedUse {
  readonly scale: number;
}

/**
 * What one owner searched for in one catalog before calling tools. Decides which tools to favour for a new request. Limited in
 * number: the oldest uses are deleted first, and each counts less as it ages.
 */
export class LearnedUses {
  readonly #settings: Required<LearnedUsesOptions>;
  /** The oldest first. */
  #uses: Kept[] = [];
  /** Of the uses as they are now. */
  #companions: ReadonlyMap<string, Companion> | undefined;

  constructor(options: LearnedUsesOptions = {}) {
    this.#settings = { ...LEARNED_USES_DEFAULTS, ...options };
  }

  get size(): number {
    return this.#uses.length;
  }

  /** Uses may come in any order. */
  add(uses: Iterable<LearnedUse>): void {
    for (const { tool, atMs, vector } of uses) {
      const scale = vector === undefined ? 0 : 1 / lengthOf(vector);
      this.#uses.push({ tool, atMs, scale, ...defined({ vector }) });
    }
    this.#uses.sort((left, right) => left.atMs - right.atMs);
    const { maxUses, maxUsesPerTool } = this.#settings;
    const seen = new Map<string, number>();
    const kept: Kept[] = [];
    for (let at = this.#uses.length - 1; at >= 0 && kept.length < maxUses; at -= 1) {
      const use = this.#uses[at] as Kept;
      const count = (seen.get(use.tool) ?? 0) + 1;
      seen.set(use.tool, count);
      if (count <= maxUsesPerTool) kept.push(use);
    }
    this.#uses = kept.reverse();
    this.#companions = undefined;
  }

  /** How often each tool was called; older calls count less. */
  calls(nowMs: number): ReadonlyMap<string, number> {
    const calls = new Map<string, number>();
    for (const use of this.#uses) {
      const weight = this.#weight(use, nowMs);
      if (weight > 0) calls.set(use.tool, (calls.get(use.tool) ?? 0) + weight);
    }
    return calls;
  }

  /**
   * What each tool that was called gains for a request: much if it was called after similar requests, next to nothing otherwise.
   * Tools that were never called are not included.
   */
  bonuses(request: Float32Array, nowMs: number): ReadonlyMap<string, UseBonus> {
    const scale = 1 / (Math.hypot(...request) || 1);
    const calls = new Map<string, number>();
    const sums = new Map<string, number>();
    const nearest = new Map<string, number>();
    const alike = new Set<string>();
    let total = 0;
    for (const use of this.#uses) {
      const weight = this.#weight(use, nowMs);
      if (weight === 0) continue;
      const { tool, vector } = use;
      calls.set(tool, (calls.get(tool) ?? 0) + weight);
      if (vector === undefined || vector.length !== request.length) continue;
      const cosine = dot(request, vector) * scale * use.scale;
      if (cosine >= ALIKE) alike.add(tool);
      const likeness = (cosine - UNLIKE) / (1 - UNLIKE);
      if (likeness <= 0) continue;
      total += likeness * weight;
      sums.set(tool, (sums.get(tool) ?? 0) + likeness * weight);
      nearest.set(tool, Math.max(nearest.get(tool) ?? 0, likeness * weight));
    }
    this.#companions ??= findCompanions(this.#uses, this.#settings.maxUsesPerTool);
    const bonuses = new Map<string, UseBonus>();
    for (const [tool, count] of calls) {
      const share = (sums.get(tool) ?? 0) / (SHARE_FLOOR + total);
      const near = nearest.get(tool) ?? 0;
      const points = WEIGHTS.share * share + WEIGHTS.nearest * near + WEIGHTS.calls * Math.log1p(count);
      const companion = this.#companions.get(tool);
      bonuses.set(tool, { points, isAskedAlike: alike.has(tool), ...defined({ companion }) });
    }
    return bonuses;
  }

  #weight({ atMs }: Kept, nowMs: number): number {
    const halves = Math.max(0, nowMs - atMs) / this.#settings.halfLifeMs;
    return halves > FORGOTTEN_AFTER ? 0 : 0.5 ** halves;
  }
}

/** A request's vector as stored: one byte per component, without its length. */
export function toUseVector(vector: Float32Array): Int8Array {
  let most = 1e-12;
  for (const component of vector) most = Math.max(most, Math.abs(component));
  return Int8Array.from(vector, (component) => Math.round((component / most) * 127));
}

function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (const component of vector) sum += component * component;
  return Math.sqrt(sum) || 1;
}

function dot(left: Float32Array, right: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] as number) * (right[at] as number);
  return sum;
}

/** A tool that was often called together with another one. */
export interface Companion {
  /** Its id. */
  readonly tool: string;
  /** In what share of the other tool's calls it was called too. */
  readonly share: number;
}

type Call = Pick<LearnedUse, 'tool' | 'atMs'>;

/** Calls this close together belong to one task. */
const TOGETHER_MS = 5 * 60 * 1000;
/** How many calls before and after one are looked at. */
const NEIGHBOURS = 16;
/** A single time may be a coincidence. */
const LEAST_TIMES = 2;
/** Chosen on held-out requests. */
const LEAST_SHARE = 0.4;

/**
 * For each tool, the one that was called most often within minutes of it, before or after. `calls` are ordered by time and contain
 * only the last `mostPerTool` of each tool, so for a tool that was called more often, the time before is unknown.
 */
function findCompanions(calls: readonly Call[], mostPerTool: number): ReadonlyMap<string, Companion> {
  const times = new Map<string, number[]>();
  const together = new Map<string, Map<string, number>>();
  for (const [at, { tool, atMs }] of calls.entries()) {
    addToList(times, tool, atMs);
    const others = together.get(tool) ?? new Map<string, number>();
    together.set(tool, others);
    for (const other of neighboursOf(calls, at)) others.set(other, (others.get(other) ?? 0) + 1);
  }
  const timesOf = (tool: string): readonly number[] => times.get(tool) ?? [];
  const knownSince = (tool: string): number => {
    const own = timesOf(tool);
    return own.length < mostPerTool ? Number.NEGATIVE_INFINITY : (own[0] as number) - TOGETHER_MS;
  };
  const companions = new Map<string, Companion>();
  for (const [tool, others] of together) {
    const [companion, count] = [...others].reduce((most, next) => (next[1] > most[1] ? next : most), ['', 0]);
    if (count < LEAST_TIMES) continue;
    const since = knownSince(companion);
    const share = count / timesOf(tool).filter((atMs) => atMs >= since).length;
    if (share >= LEAST_SHARE) companions.set(tool, { tool: companion, share });
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
