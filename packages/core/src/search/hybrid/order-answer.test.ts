import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../catalog/index.ts';
import { orderByIntent, preferSuccessors } from './order-answer.ts';
import { NO_RATED_TOOLS } from './rank-hybrid.ts';
import type { RatedTools } from './rate-tools.ts';

interface Candidate {
  readonly base: number;
  readonly clauses: readonly number[];
  readonly bonus?: number;
  /** @default none of its own */
  readonly server?: number;
}

const NO_SERVER = 9;

/** Tools 0, 1, 2, … with these bases, and how well each serves each clause. Servers have four tools each. */
function ratedTools(candidates: readonly Candidate[]): RatedTools {
  const clauseCount = candidates[0]?.clauses.length ?? 0;
  return {
    ...NO_RATED_TOOLS,
    tools: Uint32Array.from(candidates.keys()),
    bonuses: Float64Array.from(candidates, ({ bonus = 0 }) => bonus),
    bases: Float64Array.from(candidates, ({ base }) => base),
    clauses: Array.from({ length: clauseCount }, (_, clause) => {
      return Float64Array.from(candidates, ({ clauses }) => clauses[clause] ?? 0);
    }),
    servers: Uint32Array.from(candidates, ({ server = NO_SERVER }) => server),
    closeness: Float64Array.from(candidates, ({ server }) => (server === undefined ? 0 : 0.5)),
  };
}

interface Weights {
  readonly intentWeight: number;
  readonly siblingWeight?: number;
}

function order(
  candidates: readonly Candidate[],
  { intentWeight, siblingWeight = 0 }: Weights,
  wanted = candidates.length,
): number[] {
  return orderByIntent(ratedTools(candidates), { intentWeight, siblingWeight, fillerFit: 2.5, wanted }).map(
    ({ tool }) => tool,
  );
}

/** The same place by place with nothing left out: what each tool adds is worked out again for every place. */
function orderPlainly(candidates: readonly Candidate[], { intentWeight, siblingWeight = 0 }: Weights): number[] {
  const best = (candidates[0]?.clauses ?? []).map((_, clause) => {
    return candidates.reduce((most, { clauses }) => Math.max(most, clauses[clause] ?? 0), Number.MIN_VALUE);
  });
  const shares = candidates.map(({ clauses }) => {
    return clauses.map((fit, at) => (fit * Math.min(1, Math.max(0, ((best[at] ?? 0) - 2.5) / 2.5))) / (best[at] ?? 1));
  });
  const served = best.map(() => 0);
  const favoured = new Set<number>();
  const scoreOf = (tool: number): number => {
    const gain = (shares[tool] ?? []).reduce((sum, share, at) => sum + Math.max(0, share - (served[at] ?? 0)), 0);
    const isSibling = best.length > 0 && favoured.has(candidates[tool]?.server ?? NO_SERVER);
    return (candidates[tool]?.base ?? 0) + (isSibling ? siblingWeight * 0.5 : 0) + intentWeight * gain;
  };
  const left = [...candidates.keys()].sort((a, b) => (candidates[b]?.base ?? 0) - (candidates[a]?.base ?? 0) || a - b);
  const ordered: number[] = [];
  while (left.length > 0 && ordered.length < 50) {
    const next = left.reduce((most, tool) => (scoreOf(tool) > scoreOf(most) ? tool : most));
    left.splice(left.indexOf(next), 1);
    ordered.push(next);
    const server = candidates[next]?.server;
    if (server !== undefined) favoured.add(server);
    for (const [at, share] of (shares[next] ?? []).entries()) served[at] = Math.max(served[at] ?? 0, share);
  }
  return [...ordered, ...left];
}

describe('orderByIntent', () => {
  it('a part of the request that nothing above serves finds its place before siblings', () => {
    const tools = [
      { base: 9, clauses: [8, 0] },
      { base: 8.9, clauses: [8, 0] },
      { base: 7, clauses: [0, 8] },
    ];
    expect(order(tools, { intentWeight: 3 })).toEqual([0, 2, 1]);
    expect(order(tools, { intentWeight: 0 })).toEqual([0, 1, 2]);
  });

  it('a part that even the best tool hardly serves is filler, and moves nothing', () => {
    const tools = (best: number): Candidate[] => [
      { base: 9, clauses: [8, 0] },
      { base: 8.9, clauses: [8, 0] },
      { base: 7, clauses: [0, best] },
    ];
    expect(order(tools(2.5), { intentWeight: 3 })).toEqual([0, 1, 2]);
    expect(order(tools(5), { intentWeight: 3 })).toEqual([0, 2, 1]);
  });

  it('of two that look alike, the one whose server has a place already comes first', () => {
    const tools = [
      { base: 9, clauses: [8, 0], server: 1 },
      { base: 7.2, clauses: [0, 8], server: 2 },
      { base: 7, clauses: [0, 8], server: 1 },
    ];
    expect(order(tools, { intentWeight: 3 })).toEqual([0, 1, 2]);
    expect(order(tools, { intentWeight: 3, siblingWeight: 1 })).toEqual([0, 2, 1]);
    const ofNone = tools.map(({ base, clauses }) => ({ base, clauses }));
    expect(order(ofNone, { intentWeight: 3, siblingWeight: 1 })).toEqual([0, 1, 2]);
    const ofOneClause = tools.map((tool) => ({ ...tool, clauses: [] }));
    expect(order(ofOneClause, { intentWeight: 3, siblingWeight: 1 })).toEqual([0, 1, 2]);
  });

  it('says what a tool got as a sibling, up to the score of the one above it', () => {
    const tools = [9, 8.8, 5].map((base) => ({ base, clauses: [0], server: 1 }));
    const ordered = orderByIntent(ratedTools(tools), { intentWeight: 3, siblingWeight: 1, fillerFit: 2.5, wanted: 3 });
    expect(ordered.map(({ score }) => score)).toEqual([9, 9, 5.5]);
    expect(ordered.map(({ sibling }) => sibling)).toEqual([0, expect.closeTo(0.2), 0.5]);
    expect(ordered.map(({ lift }) => lift)).toEqual([0, 0, 0]);
  });

  const seven = [9, 8, 7, 6, 5, 4, 3].map((base): Candidate => ({ base, clauses: [] }));
  const places = (tools: readonly Candidate[], kept: number, wanted = tools.length): number[] => {
    return orderByIntent(ratedTools(tools), { intentWeight: 3, siblingWeight: 1, fillerFit: 2.5, wanted, kept }).map(
      ({ tool }) => tool,
    );
  };

  it('a kept tool takes the fifth place if its score would rank it lower, and otherwise keeps its place', () => {
    expect(places(seven, 6)).toEqual([0, 1, 2, 3, 6, 4, 5]);
    expect(places(seven, 6, 4)).toEqual([0, 1, 2, 3]);
    expect(places(seven, 2)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('a kept tool pushes out none that the query names', () => {
    const named = seven.map((tool) => ({ ...tool, bonus: 100 }));
    expect(places(named, 6)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const fourNamed = seven.map((tool, at) => ({ ...tool, bonus: at < 4 ? 100 : 0 }));
    expect(places(fourNamed, 6)).toEqual([0, 1, 2, 3, 6, 4, 5]);
  });

  it('says what a kept tool got for its place, and nothing of the others', () => {
    const ordered = orderByIntent(ratedTools(seven), {
      intentWeight: 3,
      siblingWeight: 1,
      fillerFit: 2.5,
      wanted: 7,
      kept: 6,
    });
    expect(ordered.map(({ lift }) => lift)).toEqual([0, 0, 0, 0, 2, 0, 0]);
  });

  // Whole numbers among others, so that there are equals.
  const number = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.double({ min: 0, max: 12, noNaN: true }));
  const anyTools = fc.integer({ min: 0, max: 3 }).chain((clauses) => {
    const fits = fc.array(number, { minLength: clauses, maxLength: clauses });
    const server = fc.integer({ min: 0, max: 3 });
    return fc.array(fc.record({ base: number, clauses: fits, server }, { requiredKeys: ['base', 'clauses'] }), {
      maxLength: 80,
    });
  });
  const anyWeight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 5, noNaN: true }));
  const anyWeights = fc.record({ intentWeight: anyWeight, siblingWeight: anyWeight });

  it('gives each place to the tool that adds most, and every tool a place', () => {
    fc.assert(
      fc.property(anyTools, anyWeights, (tools, weights) => {
        expect(order(tools, weights)).toEqual(orderPlainly(tools, weights));
      }),
    );
  });

  it('gives scores that fall from place to place', () => {
    fc.assert(
      fc.property(anyTools, anyWeights, fc.nat(), (tools, weights, some) => {
        const kept = tools.length === 0 ? undefined : some % tools.length;
        const ordered = orderByIntent(ratedTools(tools), { ...weights, fillerFit: 2.5, wanted: tools.length, kept });
        const scores = ordered.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((left, right) => right - left));
      }),
    );
  });

  it('gives scores whose parts add up, none of them negative', () => {
    fc.assert(
      fc.property(anyTools, anyWeights, fc.nat(), (tools, weights, some) => {
        const kept = tools.length === 0 ? undefined : some % tools.length;
        for (const placed of orderByIntent(ratedTools(tools), {
          ...weights,
          fillerFit: 2.5,
          wanted: tools.length,
          kept,
        })) {
          const { score, bonus, base, intent, sibling, lift } = placed;
          expect(bonus + base + intent + sibling + lift).toBeCloseTo(score, 9);
          expect(Math.min(intent, sibling, lift)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('returns as many places as requested, the same as for a larger request', () => {
    fc.assert(
      fc.property(anyTools, anyWeights, fc.nat({ max: 90 }), (tools, weights, wanted) => {
        expect(order(tools, weights, wanted)).toEqual(order(tools, weights).slice(0, wanted));
      }),
    );
  });
});

const tool = (name: string, description: string, server = 'tasks'): Tool => createTool({ name, description, server });

const OLD = tool('get_tasks', 'DEPRECATED: use `list-tasks-v2` instead. Lists tasks.');
const NEW = tool('list_tasks_v2', 'Lists tasks, page by page.');
const OTHER = tool('create_task', 'Creates a task.');

function orderWithSuccessors(tools: readonly Tool[], named: readonly string[] = []): string[] {
  const parts = {
    tool: (one: Tool) => one,
    isNamed: ({ name }: Tool) => named.includes(name),
    before: (one: Tool) => one,
  };
  return preferSuccessors(tools, parts).map(({ name }) => name);
}

describe('preferSuccessors', () => {
  it('puts the successor that a deprecated tool names right before it', () => {
    expect(orderWithSuccessors([OLD, OTHER, NEW])).toEqual(['list_tasks_v2', 'get_tasks', 'create_task']);
  });

  it('puts a tool that says what it replaces before that one', () => {
    const old = tool('fetch_items', 'Fetches items (legacy).');
    const next = tool('query_items', 'Fetches items. Replaces fetch_items.');
    expect(orderWithSuccessors([OTHER, old, next])).toEqual(['create_task', 'query_items', 'fetch_items']);
  });

  it.each([
    ['the request names the deprecated one', [OLD, NEW], ['get_tasks']],
    ['the successor stands before it already', [NEW, OTHER, OLD], []],
    ['the successor is of another server', [OLD, tool('list_tasks_v2', 'Lists tasks', 'other')], []],
    ['nothing is deprecated', [OTHER, NEW], []],
    ['the deprecated one names no tool of the list', [OLD, OTHER], []],
    ['both are deprecated', [OLD, tool('list_tasks_v2', 'Deprecated too.')], []],
  ])('changes nothing if %s', (_, tools, named) => {
    expect(orderWithSuccessors(tools, named)).toEqual(tools.map(({ name }) => name));
  });
});
