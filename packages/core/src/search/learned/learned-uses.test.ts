import { describe, expect, it } from 'vitest';
import { createTool } from '../../catalog/index.ts';
import type { Hit } from '../searcher.ts';
import { LEARNED_USES_DEFAULTS, LearnedUses, toUseVector } from './learned-uses.ts';
import { orderByUse } from './order-by-use.ts';

const NOW = 1_800_000_000_000;
const DAY = 24 * 60 * 60 * 1000;
const PLAN_A_TRIP = Float32Array.of(1, 0, 0, 0);
const PAY_A_BILL = Float32Array.of(0, 1, 0, 0);
const ALMOST_A_TRIP = Float32Array.of(0.9, 0.1, 0.2, 0);

function used(tool: string, request: Float32Array, daysAgo = 0) {
  return { tool, atMs: NOW - daysAgo * DAY, vector: toUseVector(request) };
}

function learned(...uses: ReturnType<typeof used>[]): LearnedUses {
  const index = new LearnedUses();
  index.add(uses);
  return index;
}

describe('what was called after requests', () => {
  it('gains for requests like those, and hardly for others', () => {
    const uses = learned(used('trips', PLAN_A_TRIP), used('bills', PAY_A_BILL));
    const bonuses = uses.bonuses(ALMOST_A_TRIP, NOW);
    expect(bonuses.get('trips')).toMatchObject({ isAskedAlike: true });
    expect(bonuses.get('trips')?.points).toBeGreaterThan(3);
    expect(bonuses.get('bills')).toMatchObject({ isAskedAlike: false });
    expect(bonuses.get('bills')?.points).toBeLessThan(0.5);
    expect(bonuses.has('never called')).toBe(false);
  });

  it('counts less as it ages, and not at all in the end', () => {
    const gain = (daysAgo: number) =>
      learned(used('trips', PLAN_A_TRIP, daysAgo))
        .bonuses(PLAN_A_TRIP, NOW)
        .get('trips')?.points ?? 0;
    expect(gain(0)).toBeGreaterThan(gain(60) * 1.5);
    expect(gain(365)).toBe(0);
  });

  it('is a count if no vectors are kept', () => {
    const uses = new LearnedUses();
    uses.add([0, 1, 2].map((daysAgo) => ({ tool: 'trips', atMs: NOW - daysAgo * DAY })));
    expect(uses.calls(NOW).get('trips')).toBeCloseTo(2.9, 1);
    const bonus = uses.bonuses(PAY_A_BILL, NOW).get('trips')?.points ?? 0;
    expect(bonus).toBeGreaterThan(0);
    expect(bonus).toBeLessThan(0.5);
  });

  it('is bounded in all and for one tool; the oldest go', () => {
    const uses = new LearnedUses({ maxUses: 6, maxUsesPerTool: 4 });
    uses.add(Array.from({ length: 10 }, (_, daysAgo) => used('trips', PLAN_A_TRIP, daysAgo)));
    expect(uses.size).toBe(4);
    uses.add(Array.from({ length: 10 }, (_, at) => used(`tool-${at}`, PAY_A_BILL, 5)));
    expect(uses.size).toBe(6);
    expect(uses.calls(NOW).get('trips')).toBeGreaterThan(3);
    expect(LEARNED_USES_DEFAULTS.maxUses).toBe(4096);
  });

  it('knows what was called within minutes of a tool more than once, in two calls of five at least', () => {
    const minutes = (tool: string, at: number) => ({ tool, atMs: NOW + at * 60_000 });
    const uses = new LearnedUses();
    uses.add([0, 60, 120].flatMap((at) => [minutes('token', at), minutes('balance', at + 3)]));
    uses.add([minutes('balance', 500), minutes('weather', 504), minutes('alone', 700), minutes('token', 706)]);
    const bonuses = uses.bonuses(PAY_A_BILL, NOW);
    expect(bonuses.get('balance')?.companion).toEqual({ tool: 'token', share: 0.75 });
    expect(bonuses.get('token')?.companion).toEqual({ tool: 'balance', share: 0.75 });
    expect(bonuses.get('weather')).not.toHaveProperty('companion');
    expect(bonuses.get('alone')).not.toHaveProperty('companion');
    uses.add([minutes('weather', 800), minutes('balance', 801)]);
    expect(uses.bonuses(PAY_A_BILL, NOW).get('weather')?.companion).toEqual({ tool: 'balance', share: 1 });
  });

  it('knows the companion of a tool even if only its last calls are kept', () => {
    const uses = new LearnedUses({ maxUsesPerTool: 4 });
    const calls = ['a', 'b', 'c', 'd'].flatMap((tool, at) => [0, 10].map((day) => used(tool, PAY_A_BILL, at + day)));
    uses.add(calls.flatMap((call) => [call, { ...call, tool: 'token', atMs: call.atMs + 1_000 }]));
    expect(uses.bonuses(PAY_A_BILL, NOW).get('a')).not.toHaveProperty('companion');
    uses.add([used('a', PAY_A_BILL, 0.5), used('token', PAY_A_BILL, 0.5)]);
    expect(uses.bonuses(PAY_A_BILL, NOW).get('a')?.companion).toEqual({ tool: 'token', share: 1 });
  });

  it('ignores vectors of another length', () => {
    const uses = learned({ tool: 'trips', atMs: NOW, vector: Int8Array.of(127) });
    expect(uses.bonuses(PLAN_A_TRIP, NOW).get('trips')?.points).toBeLessThan(0.2);
  });
});

describe('an answer in the order of use', () => {
  const hit = (name: string, score: number): Hit => ({ tool: createTool({ name }), score });
  const HITS = [hit('a', 9), hit('b', 8), hit('c', 7.5), hit('d', 7)];
  const names = (hits: readonly Hit[]) => hits.map(({ tool }) => tool.name);
  const FOUR = { limit: 4, query: 'plan a trip', find: () => undefined };

  const worth = (points: Readonly<Record<string, number>>, alike: readonly string[] = []) =>
    new Map(Object.entries(points).map(([tool, each]) => [tool, { points: each, isAskedAlike: alike.includes(tool) }]));

  it('leaves tools that were never called where they are', () => {
    const ordered = orderByUse(HITS, worth({ b: 0, d: 5 }), FOUR);
    expect(names(ordered)).toEqual(['a', 'd', 'c', 'b']);
    expect(ordered.map(({ score }) => score)).toEqual([9, 8, 7.5, 7]);
  });

  it('passes them with what was called after almost the same request', () => {
    expect(names(orderByUse(HITS, worth({ d: 5 }, ['d']), FOUR))).toEqual(['d', 'a', 'b', 'c']);
    expect(names(orderByUse(HITS, worth({ d: 0.7 }, ['d']), FOUR))).toEqual(['a', 'b', 'd', 'c']);
    expect(names(orderByUse(HITS, worth({ b: 4, d: 3 }, ['d']), FOUR))).toEqual(['a', 'b', 'd', 'c']);
  });

  it('goes by score and bonus together', () => {
    expect(names(orderByUse(HITS, worth({ a: 0, b: 0.5, d: 1 }), FOUR))).toEqual(['a', 'b', 'c', 'd']);
    expect(names(orderByUse(HITS, worth({ a: 0, b: 1.5 }), FOUR))).toEqual(['b', 'a', 'c', 'd']);
    expect(orderByUse(HITS, new Map(), FOUR)).toEqual(HITS);
  });

  it('shows the one of several near-duplicates that is used', () => {
    const [first] = HITS as [Hit];
    const twin = createTool({ name: 'a', server: 'other' });
    const [ordered] = orderByUse([{ ...first, also: [twin] }], worth({ [twin.id]: 1 }), FOUR);
    expect(ordered?.tool.id).toBe(twin.id);
    expect(ordered?.also?.map(({ id }) => id)).toEqual([first.tool.id]);
    const named = { ...first, score: 1_000_009, also: [twin] };
    expect(orderByUse([named], worth({ [twin.id]: 1 }), FOUR)[0]?.tool.id).toBe(first.tool.id);
  });

  describe('of five, the last place', () => {
    const SIX = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => hit(name, 9 - at));
    const TOKEN = createTool({ name: 'token' });
    const along = (tool: string, share: number) => ({ points: 0, isAskedAlike: false, companion: { tool, share } });
    const find = (id: string) => (id === 'token' ? TOKEN : undefined);

    it('is that of what was mostly called along with one above it, found or not', () => {
      const ordered = orderByUse(
        SIX,
        new Map([
          ['b', along('token', 0.5)],
          ['c', along('f', 0.4)],
        ]),
        { limit: 5, query: 'plan a trip', find },
      );
      expect(names(ordered)).toEqual(['a', 'b', 'c', 'd', 'token']);
      expect(ordered.map(({ score }) => score)).toEqual([9, 8, 7, 6, 5]);
    });

    it('is kept if the other is shown already, may not be seen, or the answer is shorter', () => {
      const first = (tool: string, limit: number) =>
        names(orderByUse(SIX, new Map([['a', along(tool, 1)]]), { limit, query: 'plan a trip', find }));
      expect(first('c', 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(first('hidden', 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(first('token', 4)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('is kept if the query names it, an operator limits the answer, or a twin is shown', () => {
      const ask = (hits: readonly Hit[], query: string) =>
        names(orderByUse(hits, new Map([['a', along('token', 1)]]), { limit: 5, query, find }));
      const named = SIX.map((one) => ({ ...one, score: one.score + 999_990 }));
      expect(ask(named, 'select:a,b,c,d,e')).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(ask(SIX, 'server:mail plan')).toEqual(['a', 'b', 'c', 'd', 'e']);
      const folded = SIX.map((one, at) => (at === 1 ? { ...one, also: [TOKEN] } : one));
      expect(ask(folded, 'plan a trip')).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(ask(named.slice(0, 1).concat(SIX.slice(1)), 'a')).toEqual(['a', 'b', 'c', 'd', 'token']);
    });
  });

  it('says in an explanation what use has to do with a place', () => {
    const explained = HITS.map((one) => ({ ...one, explanation: { value: one.score, what: 'score', details: [] } }));
    const [first] = orderByUse(explained, worth({ a: 0, d: 9 }), FOUR);
    expect(first?.explanation?.details.map(({ what }) => what)).toEqual([
      'score',
      'called after requests like this one',
    ]);
  });
});
