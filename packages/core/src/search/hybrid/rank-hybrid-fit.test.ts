import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FitModel } from '../reranker/create-reranker.ts';
import { FIT_MODEL, judgeFit } from './rank-hybrid.ts';

interface Evidence {
  readonly meaning: number;
  readonly bigrams: number;
  readonly cosine?: number;
}

function judge(tools: readonly Evidence[], knownShare = 1, model: FitModel = FIT_MODEL, toolCount = 500): number {
  const evidence = {
    meaning: Float64Array.from(tools, ({ meaning }) => meaning),
    bigrams: Float64Array.from(tools, ({ bigrams }) => bigrams),
    cosine: Float64Array.from(tools, ({ cosine = 0 }) => cosine),
    knownShare,
    toolCount,
  };
  return judgeFit(evidence, model);
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const evidence = fc.record({ meaning: share, bigrams: share });

describe('judgeFit', () => {
  it('is a probability', () => {
    fc.assert(
      fc.property(fc.array(evidence), share, (tools, known) => judge(tools, known) >= 0 && judge(tools, known) <= 1),
    );
  });

  it('never rises with the number of tools, and only from 500 to 10,000', () => {
    const sized = (count: number): number => judge([{ meaning: 0.4, bigrams: 0 }], 1, FIT_MODEL, count);
    const sizes = [1, 100, 500, 501, 5_000, 10_000, 1_000_000].map(sized);
    expect(sizes).toEqual([...sizes].sort((left, right) => right - left));
    expect(sized(1)).toBe(sized(500));
    expect(sized(500)).toBeGreaterThan(sized(10_000));
    expect(sized(10_000)).toBe(sized(1_000_000));
  });

  it('does not depend on the number of tools if the model has no weight for it', () => {
    const model = { meaning: 5, bigrams: 0, cosine: 0, threshold: 2 };
    const sized = (count: number): number => judge([{ meaning: 0.4, bigrams: 0 }], 1, model, count);
    expect(sized(100)).toBe(sized(10_000));
  });

  it('never falls when there is more evidence', () => {
    fc.assert(
      fc.property(evidence, evidence, (given, more) => {
        const added = { meaning: given.meaning + more.meaning, bigrams: given.bigrams + more.bigrams };
        return judge([added]) >= judge([given]);
      }),
    );
  });

  it('judges by the tool with the most evidence', () => {
    fc.assert(
      fc.property(fc.array(evidence, { minLength: 1 }), share, (tools, known) => {
        expect(judge(tools, known)).toBe(Math.max(...tools.map((tool) => judge([tool], known))));
      }),
    );
  });

  it('calls no evidence and no tool no fit, and a tool that says the same a fit', () => {
    expect(judge([{ meaning: 0, bigrams: 0 }])).toBeLessThan(0.05);
    expect(judge([])).toBe(0);
    expect(judge([{ meaning: 0.9, bigrams: 0.5 }])).toBeGreaterThan(0.99);
  });

  it('counts the reranker’s cosine as much as the model says; one below 0 is no evidence against', () => {
    const model = { ...FIT_MODEL, cosine: 10 };
    const tool = { meaning: 0.3, bigrams: 0 };
    expect(judge([{ ...tool, cosine: 0.5 }], 1, model)).toBeGreaterThan(judge([{ ...tool, cosine: 0.2 }], 1, model));
    expect(judge([{ ...tool, cosine: -0.5 }], 1, model)).toBe(judge([tool], 1, model));
    expect(judge([{ ...tool, cosine: 0.5 }])).toBe(judge([tool]));
  });

  it('trusts words less in a request that has others which no tool has', () => {
    const tool = { meaning: 0.3, bigrams: 0.2 };
    expect(judge([tool], 0.5)).toBeLessThan(judge([tool], 1));
  });
});
