import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../../catalog/index.ts';
import { runInSlices } from '../../../slices.ts';
import { tokenize } from '../../text/tokenize.ts';
import { BM25_DEFAULTS } from '../bm25-options.ts';
import { naiveImpacts } from '../rank-oracle.fixture.ts';
import type { Bm25Index } from './bm25-index.ts';
import { buildBm25Index, buildBm25IndexInSteps } from './build-bm25-index.ts';

/** All of an index but the slots of its terms: these follow from the seed, which is another one for every table. */
function dataOf({ data }: Bm25Index): unknown {
  const { bytes, starts } = data.terms;
  return { ...data, terms: { bytes, starts } };
}

const SYLLABLES = ['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se'];
const ENDINGS = ['', 's', 'ing', 'ed'];

/** One of thousands of words, commoner ones more often, some of them forms of each other. */
function wordOf(number: number): string {
  const rank = Math.floor(1_600 * ((number % 997) / 997) ** 3);
  const [first, second, third] = [rank % 12, Math.floor(rank / 12) % 12, Math.floor(rank / 144)];
  return `${SYLLABLES[first]}${SYLLABLES[second]}${SYLLABLES[third]}t${ENDINGS[number % ENDINGS.length]}`;
}

/** So many tools with so many words that nothing about them is done in one step. */
function manyTools(seed: number): Tool[] {
  const words = (from: number, count: number): string[] => {
    return Array.from({ length: count }, (_, at) => wordOf((from + at) * 7_919 + seed));
  };
  return Array.from({ length: 400 }, (_, tool) => {
    return createTool({
      name: words(tool * 3, 2 + (tool % 2)).join('_'),
      description: words(tool * 31, 20 + (tool % 50)).join(' '),
      schema: { type: 'object', properties: { [wordOf(tool)]: { type: 'string', description: wordOf(tool * 5) } } },
    });
  });
}

/** A tool whose text can be seen to be read. */
function watched(tool: Tool, onRead: () => void): Tool {
  return Object.defineProperty({ ...tool }, 'description', {
    get: () => {
      onRead();
      return tool.description;
    },
  });
}

describe('building an index in steps', () => {
  const anyText = fc.array(fc.constantFrom('get', 'gets', 'the', 'user', 'users', 'createIssue', '天气', 'café'), {
    maxLength: 30,
  });
  const anyTool = fc
    .record({ name: fc.string({ minLength: 1, maxLength: 12 }), words: anyText })
    .map(({ name, words }) => createTool({ name, description: words.join(' ') }));
  const anyCatalog = fc.array(anyTool, { maxLength: 60 });
  const pause = async (): Promise<void> => {};

  it('gives what is built at once', async () => {
    await fc.assert(
      fc.asyncProperty(anyCatalog, fc.double({ min: 0.1, max: 3, noNaN: true }), async (tools, k1) => {
        const built = await runInSlices(buildBm25IndexInSteps(tools, { k1 }), { sliceMs: 0, pause });
        expect(dataOf(built)).toEqual(dataOf(buildBm25Index(tools, { k1 })));
      }),
    );
  });

  it('gives the same while another index is built between its steps', () => {
    const catalogs = [manyTools(1), manyTools(2).slice(0, 150)] as const;
    const running = catalogs.map((tools) => buildBm25IndexInSteps(tools));
    const built: Bm25Index[] = [];
    while (built.length < running.length) {
      for (const steps of running) {
        const step = steps.next();
        if (step.value !== undefined) built.push(step.value);
      }
    }
    const [small, large] = built.map(dataOf);
    expect(small).toEqual(dataOf(buildBm25Index(catalogs[1])));
    expect(large).toEqual(dataOf(buildBm25Index(catalogs[0])));
  });

  it('reads a few tools in a step, and does not do the rest in one either', () => {
    let read = 0;
    const tools = manyTools(3).map((tool) => watched(tool, () => read++));
    const steps = buildBm25IndexInSteps(tools);
    const readInStep: number[] = [];
    for (let before = 0, isDone = false; !isDone; before = read) {
      isDone = steps.next().done === true;
      readInStep.push(read - before);
    }
    expect(read).toBe(tools.length);
    expect(Math.max(...readInStep)).toBeLessThanOrEqual(8);
    expect(readInStep.filter((count) => count === 0).length).toBeGreaterThan(20);
  });

  it('reads a very large tool in a separate step', () => {
    let read = 0;
    const long = createTool({ name: 'long', description: 'word '.repeat(5_000) });
    const steps = buildBm25IndexInSteps([1, 2, 3].map(() => watched(long, () => read++)));
    steps.next();
    expect(read).toBe(1);
  });

  it('refuses too many tools at its first step', () => {
    const tools = new Array<Tool>(0x200000);
    const refused = expect.objectContaining({ code: 'too_many_tools' });
    expect(() => buildBm25IndexInSteps(tools).next()).toThrow(refused);
    expect(() => buildBm25Index(tools)).toThrow(refused);
  });
});

describe('an index of many steps', () => {
  const tools = manyTools(4);
  const index = buildBm25Index(tools);

  it('holds what the naive formula gives, for every term and stem', () => {
    const naive = naiveImpacts(tools, BM25_DEFAULTS);
    // Steps go over 512 terms and 16 KB of postings at a time.
    expect(naive.exact.size).toBeGreaterThan(1_024);
    expect(index.data.postings.length).toBeGreaterThan(32_768);
    for (const [term, expected] of naive.exact) {
      expectClose(index, index.exactList(index.terms.findText(term)), expected);
      expectClose(index, index.stemListOf(term), naive.stems.get(naive.stemOf(term)) ?? new Map());
    }
  });

  it('contains the words of each name and description in order, and the kind of each name', () => {
    const { sequences, sequenceStarts, nameLengths, nameMasses } = index.data;
    const listsOf = (text: string): number[] => {
      return tokenize(text.replaceAll('_', ' ')).map((token) => index.stemListOf(token.text));
    };
    tools.forEach(({ name, description }, tool) => {
      const inName = listsOf(name);
      const expected = [...inName, ...listsOf(description)].map((list) => list & 0xffff);
      expect([...sequences.subarray(sequenceStarts[tool], sequenceStarts[tool + 1])]).toEqual(expected);
      expect(nameLengths[tool]).toBe(inName.length);
      const mass = inName.reduce((sum, list) => sum + index.idf(list), 0);
      expect(nameMasses[tool]).toBe(Math.fround(mass));
    });
  });
});

function expectClose(index: Bm25Index, list: number, expected: ReadonlyMap<number, number>): void {
  const found = new Map(index.readList(list).map(({ tool, impact }) => [tool, impact]));
  expect([...found.keys()]).toEqual([...expected.keys()]);
  for (const [tool, impact] of expected) {
    expect(Math.abs((found.get(tool) ?? 0) - impact)).toBeLessThanOrEqual(0.5 + 1e-6);
  }
}
