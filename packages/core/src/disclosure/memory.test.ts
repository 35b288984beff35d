import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, type Fact, type Memory, measureReach, remember } from './memory.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor');
const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({
    kind: fc.constant('searched' as const),
    queries: fc.array(fc.constantFrom('x', 'y'), { minLength: 1, maxLength: 2 }),
    names: fc.array(name, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('revealed' as const), names: fc.array(name, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('called' as const), name }),
  fc.record({ kind: fc.constant('asked' as const) }),
);
const facts = fc.array(fact, { maxLength: 12 });

function fold(list: readonly Fact[], from: Memory = EMPTY_MEMORY): Memory {
  return list.reduce(remember, from);
}

function namesIn(list: readonly Fact[]): Set<string> {
  return new Set(list.flatMap((one) => ('names' in one ? one.names : [])));
}

describe('remember', () => {
  it('agrees with reading all facts at once', () => {
    fc.assert(
      fc.property(facts, (list) => {
        const memory = fold(list);
        expect(memory.revealed).toEqual([...namesIn(list)]);
        const called = list.flatMap((one) => (one.kind === 'called' ? [one.name] : []));
        expect(memory.called).toEqual([...new Set(called)]);
        expect(memory.moves).toBe(called.length + list.filter((one) => one.kind === 'asked').length);
        expect(memory.searches).toHaveLength(list.filter((one) => one.kind === 'searched').length);
      }),
    );
  });

  it('resuming continues the fold where it stopped', () => {
    fc.assert(
      fc.property(facts, facts, (before, after) => {
        expect(fold(after, fold(before))).toEqual(fold([...before, ...after]));
      }),
    );
  });

  it('a fork keeps what was known, in the same order, and touches neither the trunk nor the other branch', () => {
    fc.assert(
      fc.property(facts, facts, facts, (trunk, left, right) => {
        const base = fold(trunk);
        const copy = structuredClone(base);
        const forks = [fold(left, base), fold(right, base)];
        for (const fork of forks) expect(fork.revealed.slice(0, base.revealed.length)).toEqual(base.revealed);
        expect(base).toEqual(copy);
      }),
    );
  });

  it('reordered parallel results reveal the same tools', () => {
    fc.assert(
      fc.property(facts, fc.array(fc.nat()), (list, keys) => {
        const shuffled = list
          .map((one, index) => ({ one, key: keys[index] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const [left, right] = [fold(list), fold(shuffled)];
        expect(new Set(left.revealed)).toEqual(new Set(right.revealed));
        expect(new Set(left.called)).toEqual(new Set(right.called));
        expect(left.moves).toBe(right.moves);
      }),
    );
  });

  it('compaction loses what it drops and nothing else', () => {
    fc.assert(
      fc.property(facts, fc.array(fc.boolean()), (list, drops) => {
        const kept = list.filter((_, index) => drops[index] !== true);
        expect(new Set(fold(kept).revealed)).toEqual(namesIn(kept));
      }),
    );
  });

  it('keeps the latest five hundred searches', () => {
    const made = Array.from({ length: 600 }, (_, at): Fact => ({ kind: 'searched', queries: [`q${at}`], names: [] }));
    const { searches } = fold(made);
    expect(searches).toHaveLength(500);
    expect([searches[0]?.query, searches.at(-1)?.query]).toEqual(['q100', 'q599']);
  });

  it('a fork from a long list is no part of the trunk', () => {
    const called = (name: string): Fact => ({ kind: 'called', name });
    const trunk = fold(Array.from({ length: 200 }, (_, at) => called(`t${at}`)));
    const left = fold([called('left'), called('t0')], trunk);
    const right = fold([called('right'), called('left')], trunk);
    expect(left.called.slice(200)).toEqual(['left']);
    expect(right.called.slice(200)).toEqual(['right', 'left']);
  });

  it('notes how often the conversation had moved on before a search', () => {
    const memory = fold([
      { kind: 'called', name: 'a' },
      { kind: 'called', name: 'a' },
      { kind: 'asked' },
      { kind: 'searched', queries: ['x', 'y'], names: [] },
    ]);
    expect(memory.searches).toEqual([{ query: 'x\ny', found: 0, movesBefore: 3 }]);
  });
});

it('counts conversations by how far they got', () => {
  const searched = (...names: string[]): Fact => ({ kind: 'searched', queries: ['x'], names });
  const conversations: readonly (readonly Fact[])[] = [
    [],
    [{ kind: 'asked' }],
    [searched()],
    [searched(), searched('a')],
    [searched('a'), { kind: 'called', name: 'a' }, { kind: 'called', name: 'b' }],
    [
      { kind: 'revealed', names: ['a'] },
      { kind: 'called', name: 'a' },
    ],
  ];
  const memories = conversations.map((facts) => facts.reduce(remember, EMPTY_MEMORY));
  expect(measureReach(memories)).toEqual({ conversations: 6, searched: 3, found: 2, called: 2 });
  expect(measureReach([])).toEqual({ conversations: 0, searched: 0, found: 0, called: 0 });
});
