import { createSnapshot, type Searcher } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { PatternError } from '@quartermaster/core/errors';
import { describe, expect, it } from 'vitest';
import { evaluateQueries } from './evaluate-queries.ts';
import { renderCaveats, renderReport } from './render-report.ts';
import { makeReport } from './summarise-outcomes.ts';

const snapshot = createSnapshot([
  createTool({ name: 'send', server: 'mail', description: 'x'.repeat(100) }),
  createTool({ name: 'send', server: 'chat' }),
  createTool({ name: 'pay' }),
]);

/** Answers with the tools whose names are in the query; refuses the word `none`; throws for `[`. */
const searcher: Searcher = {
  engine: 'bm25',
  async search({ query }) {
    const text = String(query);
    if (text.includes('[')) throw new PatternError('invalid_pattern', 'no');
    const hits = snapshot.tools.filter((tool) => text.includes(tool.name)).map((tool) => ({ tool, score: 1 }));
    return { hits, verdict: hits.length > 0 ? 'match' : 'none' };
  },
  async explain() {
    return { kind: 'not-allowed' };
  },
};

const queries = [
  { query: 'send', relevant: ['chat/send'], split: 'a' },
  { query: 'pay', relevant: ['pay'], split: 'a' },
  { query: 'owe [', relevant: ['pay', 'gone'], split: 'b' },
  { query: 'fly to the moon', relevant: [], split: 'none' },
  { query: 'pay with gold', relevant: [], split: 'none' },
];

describe('evaluateQueries', () => {
  it('measures hits, latency, refusals and malformed queries', async () => {
    let clock = 0;
    const now = (): number => {
      clock += 1;
      return clock;
    };
    const { all, splits } = makeReport(await evaluateQueries(queries, { searcher, snapshot, now }));
    expect(all.queries).toBe(3);
    expect(all.scores.hit1.mean).toBeCloseTo(1 / 3);
    expect(all.scores.hit3.mean).toBeCloseTo(2 / 3);
    expect(all.scores.mrr.mean).toBeCloseTo(0.5);
    expect(all.wronglyRefused.mean).toBeCloseTo(1 / 3);
    expect(all.invalidQueries).toBe(1);
    expect(all.unknownRelevant).toBe(1);
    expect(all.latencyMs).toEqual({ p50: 1, p99: 1 });
    expect(all.unanswerable.queries).toBe(2);
    expect(all.unanswerable.refused.mean).toBe(0.5);
    expect(Object.keys(splits)).toEqual(['a', 'b', 'none']);
    expect(splits.a?.scores.hit3.mean).toBe(1);
    expect(splits.none?.queries).toBe(0);
  });

  it('renders a report that a person can read, without NaN', async () => {
    const text = renderReport(makeReport(await evaluateQueries(queries, { searcher, snapshot })));
    expect(text).toMatch(/^split +queries +hit@1/);
    expect(text).toMatch(/nothing fits +queries +refused/);
    expect(text).toContain('1 relevant tool is not in the catalog and counts as not found');
    expect(text).not.toContain('NaN');
  });

  it('a split cannot write control characters to the terminal', async () => {
    const hostile = [{ query: 'pay', relevant: ['pay'], split: 's\u001b[31m\u202E\u0000' }];
    const text = renderReport(makeReport(await evaluateQueries(hostile, { searcher, snapshot })));
    expect(text).toMatch(/^s \[31m +1 /m);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('reports malformed queries per engine, and unknown labels once', async () => {
    const { all } = makeReport(await evaluateQueries(queries, { searcher, snapshot }));
    const several = [
      { engine: 'bm25', all: { ...all, invalidQueries: 0 } },
      { engine: 'regex', all: { ...all, invalidQueries: 2 } },
    ];
    expect(renderCaveats(several)).toEqual([
      '2 queries were refused by the engine regex as malformed and count as nothing found.',
      '1 relevant tool is not in the catalog and counts as not found.',
    ]);
    expect(renderCaveats([{ all }])[0]).toBe(
      '1 query was refused by the engine as malformed and counts as nothing found.',
    );
    expect(renderCaveats([{ all: { invalidQueries: 0, unknownRelevant: 0 } }])).toEqual([]);
  });

  it('accepts a split called __proto__', async () => {
    const report = makeReport(
      await evaluateQueries([{ query: 'pay', relevant: ['pay'], split: '__proto__' }], { searcher, snapshot }),
    );
    expect(Object.keys(report.splits)).toEqual(['__proto__']);
  });
});
