import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../../catalog/index.ts';
import type { Bm25Index } from '../index/bm25-index.ts';
import { buildBm25Index } from '../index/build-bm25-index.ts';
import { CandidateTerms } from './match-features.ts';
import type { QueryPlan } from './plan-query.ts';
import { QueryRanker } from './rank-query.ts';

const WORDS = ['get', 'gets', 'list', 'lists', 'listing', 'user', 'users', 'mail', 'send', 'the', 'account', 'rare'];
const anyText = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));

describe('CandidateTerms', () => {
  it('gives for the candidates what is read for each tool alone', () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 1, maxLength: 120 }),
        fc.array(anyText, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        (descriptions, queries, step) => {
          const tools = descriptions.map((description, at) => createTool({ name: `tool_${at}`, description }));
          const snapshot = createSnapshot(tools);
          const index = buildBm25Index(snapshot.tools);
          const ranker = new QueryRanker(snapshot, index);
          const terms = new CandidateTerms(index);
          const candidates = Uint32Array.from(tools.keys()).filter((tool) => tool % step === 0);
          // Twice, since nothing of the first candidates may be left.
          terms.open(Uint32Array.from(tools.keys()).reverse());
          terms.sums(ranker.plan(queries[0] ?? ''));
          terms.open(candidates);
          for (const plan of queries.map((query) => ranker.plan(query))) {
            const [sums, coverages] = [terms.sums(plan), terms.coverages(plan)];
            for (const [at, tool] of candidates.entries()) {
              expect(sums[at]).toBe(ranker.sumTerms(plan, tool));
              expect(coverages[at]).toBe(coverageOf(index, plan, tool));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('uses an index if scanning would take longer', () => {
    const tools = Array.from({ length: 3_000 }, (_, at) => {
      return createTool({ name: `tool_${at}`, description: at % 3 === 0 ? 'send mail' : 'list users' });
    });
    const snapshot = createSnapshot(tools);
    const index = buildBm25Index(snapshot.tools);
    const plan = new QueryRanker(snapshot, index).plan('send mails to all users');
    const terms = new CandidateTerms(index);
    terms.open(Uint32Array.of(0, 1, 2_999));
    const ranker = new QueryRanker(snapshot, index);
    expect([...terms.sums(plan)]).toEqual([0, 1, 2_999].map((tool) => ranker.sumTerms(plan, tool)));
  });
});

/** How much of a plan, by idf, a tool has anywhere. */
function coverageOf(index: Bm25Index, { stems, mass }: QueryPlan, tool: number): number {
  if (mass === 0) return 0;
  const covered = stems.reduce((sum, { list, idf, weight }) => sum + (index.hasTool(list, tool) ? idf * weight : 0), 0);
  return Math.min(1, covered / mass);
}
