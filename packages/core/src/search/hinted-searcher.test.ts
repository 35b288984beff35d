import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, hashTool, type SearchHints } from '../catalog/index.ts';
import { createBm25Searcher } from './bm25/index.ts';
import { createHintedSearcher } from './hinted-searcher.ts';

const refund = createTool({ server: 'pay', name: 'refund', description: 'Refunds a charge.' });
const capture = createTool({ server: 'pay', name: 'capture', description: 'Captures a charge.' });
const snapshot = createSnapshot([refund, capture]);

function hinted(hints: SearchHints) {
  return createHintedSearcher((tools) => createBm25Searcher(tools), hints)(snapshot);
}

const CASH_BACK: SearchHints = new Map([[refund.id, { hash: hashTool(refund), hints: ['cash back', 'return money'] }]]);

describe('createHintedSearcher', () => {
  it('finds a tool by its hints, and returns it without them', async () => {
    const { hits } = await hinted(CASH_BACK).search({ query: 'money' });
    expect(hits.map(({ tool }) => tool)).toEqual([refund]);
    expect(hits[0]?.tool).toBe(refund);
  });

  it('explains a tool by its hints', async () => {
    expect(await hinted(CASH_BACK).explain({ query: 'money' }, refund)).toMatchObject({ kind: 'listed', rank: 1 });
  });

  it('asks what is allowed about the tools as they were given', async () => {
    const seen: unknown[] = [];
    const allow = (tool: unknown) => seen.push(tool) > 0;
    await hinted(CASH_BACK).search({ query: 'money', allow });
    for (const tool of seen) expect([refund, capture]).toContain(tool);
    expect(await hinted(CASH_BACK).search({ query: 'money', allow: () => false })).toMatchObject({ hits: [] });
  });

  it('does not use hints that were written for another definition', async () => {
    const stale = new Map([[refund.id, { hash: hashTool(capture), hints: ['cash back'] }]]);
    expect((await hinted(stale).search({ query: 'cash' })).hits).toEqual([]);
  });

  it('keeps what the tool says of itself', async () => {
    const own = createTool({ name: 'x', description: 'Does it.', extras: { searchHint: 'voucher' } });
    const hints = new Map([[own.id, { hash: hashTool(own), hints: ['coupon'] }]]);
    const searcher = createHintedSearcher((tools) => createBm25Searcher(tools), hints)(createSnapshot([own]));
    for (const query of ['voucher', 'coupon']) expect((await searcher.search({ query })).hits).toHaveLength(1);
  });
});
