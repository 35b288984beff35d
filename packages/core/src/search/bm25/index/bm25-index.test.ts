import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../../catalog/index.ts';
import { BM25_DEFAULTS } from '../bm25-options.ts';
import { type PlannedList, planQuery } from '../rank/plan-query.ts';
import { ToolRanker } from '../rank/rank-query.ts';
import { SimilarTerms } from '../rank/similar-terms.ts';
import type { RankedTools } from '../rank/tool-sums.ts';
import { naiveImpacts } from '../rank-oracle.fixture.ts';
import { Bm25Index, NO_LIST } from './bm25-index.ts';
import { buildBm25Index } from './build-bm25-index.ts';

const VOCABULARY = [
  ...[
    'get',
    'gets',
    'getting',
    'list',
    'lists',
    'user',
    'users',
    'account',
    'accounts',
    'accounting',
    'email',
    'e-mail',
  ],
  ...['the', 'of', 'to', 'GitHub', 'github', 'createIssue', 'issue', 'issues', '天气', '预报', 'café', 'v2', '2024'],
];
const anyWord = fc.constantFrom(...VOCABULARY);
const anyText = fc.array(anyWord, { maxLength: 12 }).map((words) => words.join(' '));
const anyTool = fc
  .record({
    words: fc.array(anyWord, { minLength: 1, maxLength: 3 }),
    server: fc.constantFrom(undefined, 'mail', 'GitHub'),
    description: anyText,
    parameters: fc.dictionary(fc.constantFrom('user_id', 'accountName', 'limit', '__proto__'), anyText, { maxKeys: 3 }),
  })
  .map(({ words, server, description, parameters }) =>
    createTool({
      name: words.join('_'),
      server,
      description,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(parameters).map(([name, text]) => [name, { type: 'string', description: text }]),
        ),
      },
    }),
  );
const anyCatalog = fc.array(anyTool, { maxLength: 40 });

function impactsOf(index: Bm25Index, list: number): Map<number, number> {
  return new Map(index.readList(list).map(({ tool, impact }) => [tool, impact]));
}

interface RankedTool {
  readonly tool: number;
  readonly sum: number;
}

/** Every tool with a term of the query, the plain way: best first, ties in catalog order. */
function addUp(index: Bm25Index, lists: readonly PlannedList[]): RankedTool[] {
  const sums = new Map<number, number>();
  for (const { list, weight } of lists) {
    for (const { tool, impact } of index.readList(list)) {
      sums.set(tool, (sums.get(tool) ?? 0) + weight * impact);
    }
  }
  return Array.from(sums, ([tool, sum]) => ({ tool, sum })).sort(compareRanked);
}

function compareRanked(left: RankedTool, right: RankedTool): number {
  return right.sum - left.sum || left.tool - right.tool;
}

function listRanked({ size, tools, sums }: RankedTools): RankedTool[] {
  return Array.from({ length: size }, (_, place) => ({ tool: tools[place] ?? 0, sum: sums[place] ?? 0 }));
}

describe('Bm25Index', () => {
  it('holds for every term and stem what the naive formula gives, to the nearest 256th', () => {
    fc.assert(
      fc.property(anyCatalog, (catalog) => {
        const index = buildBm25Index(catalog);
        const naive = naiveImpacts(catalog);
        for (const [term, expected] of naive.exact) {
          expectClose(impactsOf(index, index.exactList(index.terms.findText(term))), expected);
          const stems = naive.stems.get(naive.stemOf(term)) ?? new Map();
          expectClose(impactsOf(index, index.stemListOf(term)), stems);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps each list in catalog order, without repeats, below its peak', () => {
    fc.assert(
      fc.property(anyCatalog, (catalog) => {
        const index = buildBm25Index(catalog);
        for (let list = 0; list + 1 < index.data.listStarts.length; list += 1) {
          const postings = index.readList(list);
          const tools = postings.map(({ tool }) => tool);
          expect(tools).toEqual([...new Set(tools)].sort((left, right) => left - right));
          expect(postings).toHaveLength(index.listLength(list));
          expect(Math.max(0, ...postings.map(({ impact }) => impact))).toBe(index.listPeak(list));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('folds the commonest form of a word into the list of its stem, and reads the same from it', () => {
    const anyForms = fc.array(fc.constantFrom('account', 'account', 'account', 'accounts', 'accounting user', 'user'), {
      minLength: 12,
      maxLength: 90,
    });
    let folded = 0;
    fc.assert(
      fc.property(anyForms, fc.integer({ min: 1, max: 4 }), (texts, distance) => {
        const catalog = texts.flatMap((description, at) => [
          createTool({ name: `tool_${at}`, description }),
          ...Array.from({ length: distance }, (_, other) => createTool({ name: `other_${at}_${other}` })),
        ]);
        const index = buildBm25Index(catalog);
        const naive = naiveImpacts(catalog);
        for (const form of ['account', 'accounts', 'accounting', 'user']) {
          const list = index.exactList(index.terms.findText(form));
          const expected = naive.exact.get(form) ?? new Map();
          expectClose(list === NO_LIST ? new Map() : impactsOf(index, list), expected);
          folded += list !== NO_LIST && index.unfoldedList(list) !== list ? 1 : 0;
          for (const tool of catalog.keys()) {
            const impact = list === NO_LIST ? 0 : index.impact(list, tool);
            expect(Math.abs(impact - (expected.get(tool) ?? 0))).toBeLessThanOrEqual(0.5 + 1e-6);
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(folded).toBeGreaterThan(0);
  });

  it('ranks the same tools as adding up everything, with the same sums', () => {
    fc.assert(
      fc.property(
        fc.array(anyTool, { maxLength: 200 }),
        anyText,
        fc.integer({ min: 1, max: 20 }),
        (catalog, query, count) => {
          const index = buildBm25Index(catalog);
          const { lists } = planQuery(index, new SimilarTerms(index), query);
          const ranker = new ToolRanker(index);
          const all = addUp(index, lists);
          expect(listRanked(ranker.rank(lists, { count, isOrdered: true }))).toEqual(all.slice(0, count));
          const accept = (tool: number): boolean => tool % 3 !== 0;
          const accepted = all.filter(({ tool }) => accept(tool));
          const ranked = listRanked(ranker.rank(lists, { count, isOrdered: false, accept }));
          expect(ranked.sort(compareRanked)).toEqual(accepted.slice(0, count));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('closes early on long lists without changing the answer', () => {
    const catalog: Tool[] = [];
    for (let number = 0; number < 3_000; number += 1) {
      const rare = number % 20 === 0 ? `needle${number % 7} rare${number % 3}` : '';
      catalog.push(createTool({ name: `tool_${number}`, description: `get the list of user account data ${rare}` }));
    }
    const index = buildBm25Index(catalog);
    const { lists } = planQuery(
      index,
      new SimilarTerms(index),
      'needle1 needle2 rare1 get list user account data tool',
    );
    const ranker = new ToolRanker(index);
    const all = addUp(index, lists);
    for (const count of [1, 5, 64]) {
      expect(listRanked(ranker.rank(lists, { count, isOrdered: true }))).toEqual(all.slice(0, count));
    }
  });

  it('can be given to another thread without copying: none of its arrays is scratch, and none shares its memory', () => {
    // Enough terms for every array to have grown.
    const catalog = Array.from({ length: 5_000 }, (_, number) => createTool({ name: `get_thing_${number}` }));
    const { terms, ...rest } = buildBm25Index(catalog).data;
    const arrays = [...Object.values(terms), ...Object.values(rest)].filter((value) => ArrayBuffer.isView(value));
    const buffers = arrays.map((array) => array.buffer);
    expect(arrays.length).toBeGreaterThan(10);
    expect(buffers.every((buffer) => buffer instanceof ArrayBuffer)).toBe(true);
    expect(arrays.map((array) => array.byteLength)).toEqual(buffers.map((buffer) => buffer.byteLength));
    expect(new Set(buffers).size).toBe(buffers.length);
  });

  it('answers the same after a transfer', () => {
    const catalog = [createTool({ name: 'get_users', description: 'Gets users' }), createTool({ name: 'send_mail' })];
    const index = buildBm25Index(catalog);
    const copy = new Bm25Index(structuredClone(index.data));
    expect(copy.findNames('getusers')).toEqual([0]);
    expect(impactsOf(copy, copy.stemListOf('user'))).toEqual(impactsOf(index, index.stemListOf('user')));
    expect(copy.byteLength).toBe(index.byteLength);
  });

  it('refuses an index of another version', () => {
    const data = { ...buildBm25Index([]).data, version: 99 as unknown as 2 };
    expect(() => new Bm25Index(data)).toThrow(expect.objectContaining({ code: 'invalid_index' }));
  });

  it('gives a term that every tool has an idf above 0', () => {
    const index = buildBm25Index([1, 2, 3].map((number) => createTool({ name: `github_${number}` })));
    expect(index.idf(index.stemListOf('github'))).toBeGreaterThan(0);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])('has a term %j only when a tool has it', (term) => {
    const without = buildBm25Index([createTool({ name: 'plain' })]);
    expect(without.stemListOf(term.replaceAll('_', ''))).toBe(NO_LIST);
    const index = buildBm25Index([createTool({ name: term }), createTool({ name: 'plain' })]);
    expect(index.findNames(term.replaceAll('_', '').toLowerCase())).toEqual([0]);
  });

  it('accepts a description of a megabyte and a token of fifty thousand letters', () => {
    const catalog = [
      createTool({ name: 'big', description: 'word '.repeat(210_000) }),
      createTool({ name: 'long', description: `x${'y'.repeat(50_000)} needle` }),
      createTool({ name: 'odd', description: '\ud800 \udfff needle \u0000' }),
    ];
    const index = buildBm25Index(catalog);
    expect([...impactsOf(index, index.stemListOf('needle')).keys()]).toEqual([1, 2]);
    expect(index.byteLength).toBeLessThan(1_000_000);
  });

  it('uses settings over defaults, 0 included', () => {
    const catalog = [createTool({ name: 'a_tool', description: 'alpha' })];
    const index = buildBm25Index(catalog, { lengthWeights: { ...BM25_DEFAULTS.lengthWeights, name: 0 }, k1: 3 });
    expect(index.data.settings.k1).toBe(3);
    expect(index.data.settings.lengthWeights.name).toBe(0);
  });
});

function expectClose(actual: ReadonlyMap<number, number>, expected: ReadonlyMap<number, number>): void {
  expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [tool, impact] of expected) {
    expect(Math.abs((actual.get(tool) ?? 0) - impact)).toBeLessThanOrEqual(0.5 + 1e-6);
  }
}
