import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { scoreRanking } from './score-ranking.ts';

const tools = 'abcdefghijkl'.split('').map((name) => createTool({ name, server: 'x' }));

describe('scoreRanking', () => {
  it.each([
    ['first', ['a'], { hit1: 1, hit3: 1, hit5: 1, recall5: 1, ndcg10: 1, mrr: 1 }],
    ['third', ['c'], { hit1: 0, hit3: 1, hit5: 1, recall5: 1, ndcg10: 0.5, mrr: 1 / 3 }],
    ['tenth', ['j'], { hit1: 0, hit3: 0, hit5: 0, recall5: 0, ndcg10: 1 / Math.log2(11), mrr: 0.1 }],
    ['eleventh', ['k'], { hit1: 0, hit3: 0, hit5: 0, recall5: 0, ndcg10: 0, mrr: 0 }],
    ['absent', ['z'], { hit1: 0, hit3: 0, hit5: 0, recall5: 0, ndcg10: 0, mrr: 0 }],
    // DCG = 1/log2(3) + 1/log2(8) = 0.63093 + 0.33333; ideal = 1 + 0.63093.
    ['second and seventh', ['b', 'g'], { hit1: 0, hit3: 1, hit5: 1, recall5: 0.5, ndcg10: 0.591235, mrr: 0.5 }],
    ['by id', ['x/a'], { hit1: 1, hit3: 1, hit5: 1, recall5: 1, ndcg10: 1, mrr: 1 }],
    // A label that is there twice is one label.
    ['labelled twice', ['a', 'a'], { hit1: 1, hit3: 1, hit5: 1, recall5: 1, ndcg10: 1, mrr: 1 }],
  ])('the relevant tool is %s', (_, relevant, expected) => {
    const score = scoreRanking(tools, relevant);
    for (const [metric, value] of Object.entries(expected)) {
      expect(score[metric as keyof typeof score], metric).toBeCloseTo(value, 5);
    }
  });

  it('a bare name that two servers have counts once', () => {
    const twins = [createTool({ name: 'a', server: 'x' }), createTool({ name: 'a', server: 'y' })];
    expect(scoreRanking(twins, ['a'])).toEqual({ hit1: 1, hit3: 1, hit5: 1, recall5: 1, ndcg10: 1, mrr: 1 });
    expect(scoreRanking(twins, ['y/a']).mrr).toBe(0.5);
  });

  it('more relevant tools than places still reach 1', () => {
    const many = 'abcdefghijkl'.split('');
    expect(scoreRanking(tools, many).ndcg10).toBeCloseTo(1);
    expect(scoreRanking(tools, many).recall5).toBeCloseTo(5 / 12);
  });
});
