import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeFit } from './judge-fit.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const evidence = fc.record({ meaning: share, coverage: share, bigrams: share });

describe('judgeFit', () => {
  it('is a probability', () => {
    fc.assert(fc.property(evidence, (given) => judgeFit(given) >= 0 && judgeFit(given) <= 1));
  });

  it('never falls when there is more evidence', () => {
    fc.assert(
      fc.property(evidence, evidence, (given, more) => {
        const added = {
          meaning: given.meaning + more.meaning,
          coverage: given.coverage + more.coverage,
          bigrams: given.bigrams + more.bigrams,
        };
        return judgeFit(added) >= judgeFit(given);
      }),
    );
  });

  it('calls no evidence no fit, and a tool that says the same a fit', () => {
    expect(judgeFit({ meaning: 0, coverage: 0, bigrams: 0 })).toBeLessThan(0.01);
    expect(judgeFit({ meaning: 0.9, coverage: 1, bigrams: 0.5 })).toBeGreaterThan(0.99);
  });
});
