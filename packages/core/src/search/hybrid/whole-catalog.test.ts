import { expect, it } from 'vitest';
import { createSnapshot, createTool, searchText, type Tool } from '../../catalog/index.ts';
import { readToolTerms } from '../candidates.ts';
import { buildVectorIndex } from '../semantic/vector-index.ts';
import { createHybridSearcher } from './hybrid-searcher.ts';
import { toyEmbedder } from './toy-embedder.fixture.ts';
import type { WholeCatalog } from './whole-catalog.ts';

const VERBS = ['create', 'list', 'delete', 'rename', 'share'];
const THINGS = ['invoices', 'emails', 'files', 'calendars', 'tickets', 'branches', 'orders', 'rooms'];
const TOOLS = VERBS.flatMap((verb, at) =>
  THINGS.map((thing, place) =>
    createTool({
      server: `server ${(at + place) % 6}`,
      name: `${verb}_${thing}`,
      description: `${verb} the ${thing} of a team${place % 2 === 0 ? ', one at a time' : ''}`,
    }),
  ),
);

function wholeOf(tools: readonly Tool[]): WholeCatalog {
  const read = tools.map(readToolTerms);
  const count = (has: (at: number) => boolean): number => read.filter((_, at) => has(at)).length;
  const { sum } = buildVectorIndex(tools.length, toyEmbedder.dimensions, (at) =>
    toyEmbedder.tool(searchText(tools[at] as Tool)),
  );
  return {
    toolCount: tools.length,
    averageLengths: [0, 1, 2, 3, 4, 5].map(
      (field) => read.reduce((total, { fieldLengths }) => total + (fieldLengths[field] ?? 0), 0) / tools.length || 1,
    ),
    countWord: (word) => count((at) => read[at]?.words.has(word) === true),
    countStem: (stem) => count((at) => read[at]?.stems.has(stem) === true),
    countServer: (server) => tools.filter((tool) => tool.server === server).length,
    vectors: { count: tools.length, sum },
  };
}

it.each(['create an invoice', 'email files of server 2', 'rename_branches', 'delete the tickets and share rooms'])(
  'rates the candidates for %j as it does among all tools',
  async (query) => {
    const all = createHybridSearcher(createSnapshot(TOOLS), { embedder: toyEmbedder });
    const expected = await all.search({ query, limit: 10 });
    const candidates = new Set((await all.search({ query, limit: 30 })).hits.map(({ tool }) => tool.id));
    const part = createHybridSearcher(createSnapshot(TOOLS.filter(({ id }) => candidates.has(id))), {
      embedder: toyEmbedder,
      whole: wholeOf(TOOLS),
    });
    const found = await part.search({ query, limit: 10 });
    expect(found.hits.map(({ tool }) => tool.id)).toEqual(expected.hits.map(({ tool }) => tool.id));
    for (const [at, { score }] of found.hits.entries()) expect(score).toBeCloseTo(expected.hits[at]?.score ?? 0, 1);
    expect(found.confidence).toBeCloseTo(expected.confidence ?? 0, 1);
  },
);

it('rates them otherwise without the figures of the catalog', async () => {
  const few = TOOLS.filter(({ name }) => name.endsWith('_invoices'));
  const score = async (whole: WholeCatalog | undefined): Promise<number> => {
    const searcher = createHybridSearcher(createSnapshot(few), { embedder: toyEmbedder, whole });
    return (await searcher.search({ query: 'delete the invoices of rooms', limit: 1 })).hits[0]?.score ?? 0;
  };
  expect(await score(wholeOf(TOOLS))).not.toBeCloseTo(await score(undefined), 2);
});
