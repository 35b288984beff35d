import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from './memory-budget.ts';

/** A budget, and the names of what it holds. */
function heldBy(maxBytes: number) {
  const budget = new MemoryBudget(maxBytes);
  const kept = new Map<string, number>();
  const hold = (owner: string, name: string, bytes: number) => {
    kept.set(name, bytes);
    const holding = budget.hold(owner, bytes, () => kept.delete(name));
    if (holding === undefined) kept.delete(name);
    return holding;
  };
  return { budget, hold, names: () => [...kept.keys()] };
}

describe('a budget of memory', () => {
  it('lets go what its owner has not used for longest', () => {
    const { hold, names } = heldBy(30);
    const first = hold('a', 'first', 10);
    hold('a', 'second', 10);
    hold('a', 'third', 10);
    first?.touch();
    hold('a', 'fourth', 10);
    expect(names()).toEqual(['first', 'third', 'fourth']);
  });

  it('takes from the key that holds most, so that one that brings something new with every request costs the others nothing', () => {
    const { budget, hold, names } = heldBy(100);
    hold('quiet', 'mine', 40);
    for (let number = 0; number < 1_000; number += 1) hold('busy', `list ${number}`, 10);
    expect(names()).toContain('mine');
    expect(budget.bytesOf('busy')).toBe(60);
  });

  it('counts what has grown since, and makes room for it', () => {
    const { budget, hold, names } = heldBy(30);
    hold('a', 'first', 10);
    const second = hold('a', 'second', 10);
    second?.resize(25);
    expect(names()).toEqual(['second']);
    expect(budget.bytes).toBe(25);
  });

  it('what has grown beyond everything goes itself', () => {
    const { budget, hold, names } = heldBy(30);
    hold('a', 'first', 10)?.resize(31);
    expect(names()).toEqual([]);
    expect(budget.bytes).toBe(0);
  });

  it('what is larger than everything together costs the others nothing', () => {
    const { hold, names } = heldBy(30);
    hold('a', 'first', 30);
    expect(hold('b', 'second', 31)).toBeUndefined();
    expect(names()).toEqual(['first']);
  });

  it('never holds more than it may, and counts what it holds', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.integer({ min: 0, max: 60 }),
      after: fc.constantFrom('keep', 'touch', 'grow', 'end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new MemoryBudget(100);
        const kept = new Map<number, number>();
        steps.forEach(({ owner, bytes, after }, number) => {
          kept.set(number, bytes);
          const holding = budget.hold(owner, bytes, () => kept.delete(number));
          if (after === 'touch') holding?.touch();
          if (after === 'grow') {
            if (kept.has(number)) kept.set(number, bytes + 30);
            holding?.resize(bytes + 30);
          }
          if (after === 'end') {
            holding?.end();
            kept.delete(number);
          }
          const total = [...kept.values()].reduce((sum, size) => sum + size, 0);
          expect(budget.bytes).toBe(total);
          expect(total).toBeLessThanOrEqual(100);
          expect(['a', 'b', 'c'].reduce((sum, one) => sum + budget.bytesOf(one), 0)).toBe(total);
        });
      }),
    );
  });
});
