import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Snapshot, type Tool } from '../catalog/index.ts';
import { SEARCH_LIMITS, type Searcher } from './searcher.ts';

/** Queries of the contract in the language of an engine, where that is not plain words. */
export interface ContractQueries {
  /** Fits `send_email`, `list_emails` and `delete_email`. @default 'email' */
  readonly email?: string;
  /** Fits `create_invoice` and `list_invoices`. @default 'invoice' */
  readonly invoice?: string;
  /** Fits nothing. @default 'qqqqzzzz' */
  readonly nothing?: string;
  /** Fits more than 60 tools. @default 'record' */
  readonly many?: string;
}

/** What any searcher has to do, whatever it ranks by. */
export function describeSearcher(
  name: string,
  makeSearcher: (snapshot: Snapshot) => Searcher | Promise<Searcher>,
  queries: ContractQueries = {},
): void {
  const { email, invoice, nothing, many } = {
    email: 'email',
    invoice: 'invoice',
    nothing: 'qqqqzzzz',
    many: 'record',
    ...queries,
  };
  const snapshot = contractSnapshot();
  const ids = (tools: readonly { readonly tool: Tool }[]): string[] => tools.map(({ tool }) => tool.id);

  describe(`${name} as a searcher`, () => {
    it('finds what fits and says that it matched', async () => {
      const searcher = await makeSearcher(snapshot);
      const { hits, verdict } = await searcher.search({ query: email });
      expect(verdict).toBe('match');
      expect(ids(hits)).toEqual(expect.arrayContaining(['mail/send_email', 'mail/list_emails', 'mail/delete_email']));
    });

    it.each(['', '   ', '\n\t'])('finds nothing for the empty query %j', async (query) => {
      const searcher = await makeSearcher(snapshot);
      expect(await searcher.search({ query })).toMatchObject({ hits: [], verdict: 'none' });
    });

    it('finds nothing without a query', async () => {
      const searcher = await makeSearcher(snapshot);
      expect((await searcher.search({ query: [] })).hits).toEqual([]);
    });

    it('says so when nothing fits', async () => {
      const searcher = await makeSearcher(snapshot);
      expect((await searcher.search({ query: nothing })).verdict).toBe('none');
    });

    it('refuses a query that is too long for it, and says so', async () => {
      const searcher = await makeSearcher(snapshot);
      const query = 'mail '.repeat(20_000);
      const refusal = expect.objectContaining({ code: expect.stringMatching(/^(query|pattern)_too_long$/) });
      await expect(searcher.search({ query })).rejects.toThrow(refusal);
      await expect(searcher.search({ query: [email, query] })).rejects.toThrow(refusal);
      const [tool] = snapshot.tools;
      if (tool !== undefined) await expect(searcher.explain({ query }, tool)).rejects.toThrow(refusal);
    });

    it.each([1, 2, 50])('returns %i tools at the most', async (limit) => {
      const searcher = await makeSearcher(snapshot);
      expect((await searcher.search({ query: many, limit })).hits).toHaveLength(limit);
    });

    it('returns five tools unless told otherwise', async () => {
      const searcher = await makeSearcher(snapshot);
      expect((await searcher.search({ query: many })).hits).toHaveLength(SEARCH_LIMITS.default);
    });

    it.each([0, -1, 51, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the limit %s', async (limit) => {
      const searcher = await makeSearcher(snapshot);
      await expect(searcher.search({ query: email, limit })).rejects.toMatchObject({ code: 'invalid_limit' });
    });

    it('gives the same answer to the same question', async () => {
      const [first, second] = [await makeSearcher(snapshot), await makeSearcher(contractSnapshot())];
      const request = { query: many, limit: 50 };
      const answer = await first.search(request);
      expect(ids((await first.search(request)).hits)).toEqual(ids(answer.hits));
      expect(ids((await second.search(request)).hits)).toEqual(ids(answer.hits));
    });

    it('never names a tool that the caller may not see, and fills its place', async () => {
      const searcher = await makeSearcher(snapshot);
      const allow = (tool: Tool): boolean => tool.name !== 'send_email';
      const { hits } = await searcher.search({ query: email, allow });
      expect(ids(hits)).not.toContain('mail/send_email');
      expect(ids(hits)).toContain('mail/list_emails');
      const few = await searcher.search({ query: many, limit: 5, allow: (tool) => tool.name.endsWith('7') });
      expect(few.hits).toHaveLength(5);
    });

    it('finds nothing when everything is hidden', async () => {
      const searcher = await makeSearcher(snapshot);
      expect(await searcher.search({ query: email, allow: () => false })).toMatchObject({ hits: [], verdict: 'none' });
    });

    it('serves several queries in turn and names no tool twice', async () => {
      const searcher = await makeSearcher(snapshot);
      const [forEmail, forInvoice] = [
        await searcher.search({ query: email }),
        await searcher.search({ query: invoice }),
      ];
      const both = ids((await searcher.search({ query: [email, invoice], limit: 4 })).hits);
      expect(both.slice(0, 2)).toEqual([ids(forEmail.hits)[0], ids(forInvoice.hits)[0]]);
      expect(new Set(both).size).toBe(both.length);
      const twice = ids((await searcher.search({ query: [email, email] })).hits);
      expect(twice).toEqual(ids(forEmail.hits));
    });

    it('explains each hit with its score when asked to', async () => {
      const searcher = await makeSearcher(snapshot);
      const plain = await searcher.search({ query: email });
      expect(plain.hits.every((hit) => hit.explanation === undefined)).toBe(true);
      const { hits } = await searcher.search({ query: email, explain: true });
      for (const hit of hits) {
        expect(hit.explanation?.value).toBe(hit.score);
      }
    });

    it('says for every tool where it stands, in line with the search', async () => {
      const searcher = await makeSearcher(snapshot);
      const request = { query: many, limit: 3, allow: (tool: Tool) => tool.name !== 'copy_record_5' };
      const listed = ids((await searcher.search(request)).hits);
      const ranks: number[] = [];
      for (const tool of snapshot.tools) {
        const standing = await searcher.explain(request, tool);
        if (standing.kind === 'listed') {
          expect(listed[standing.rank - 1]).toBe(tool.id);
        } else {
          expect(listed).not.toContain(tool.id);
        }
        if (standing.kind === 'listed' || standing.kind === 'below-limit') {
          expect(standing.kind).toBe(standing.rank <= 3 ? 'listed' : 'below-limit');
          ranks.push(standing.rank);
        }
        if (tool.name === 'copy_record_5') {
          expect(standing.kind).toBe('not-allowed');
        }
      }
      expect(ranks.sort((left, right) => left - right)).toEqual(ranks.map((_, index) => index + 1));
    });

    it('says why a tool is not there', async () => {
      const searcher = await makeSearcher(snapshot);
      const stranger = createTool({ name: 'stranger' });
      expect(await searcher.explain({ query: email }, stranger)).toEqual({ kind: 'not-in-catalog' });
      const other = snapshot.get('billing/create_invoice') as Tool;
      expect(await searcher.explain({ query: email }, other)).toMatchObject({
        kind: 'not-matched',
        reason: expect.stringMatching(/./),
      });
    });

    it('stops when it was told to before it began', async () => {
      const searcher = await makeSearcher(snapshot);
      await expect(searcher.search({ query: email, signal: AbortSignal.abort() })).rejects.toThrow();
    });

    it('has nothing to say about an empty catalog', async () => {
      const searcher = await makeSearcher(createSnapshot([]));
      expect((await searcher.search({ query: email })).hits).toEqual([]);
    });
  });
}

/** A small catalog with three subjects, one of them large. */
function contractSnapshot(): Snapshot {
  const tools = [
    createTool({ server: 'mail', name: 'send_email', description: 'Sends an email to a person.' }),
    createTool({ server: 'mail', name: 'list_emails', description: 'Lists every email of the inbox.' }),
    createTool({ server: 'mail', name: 'delete_email', description: 'Deletes one email for good.' }),
    createTool({ server: 'billing', name: 'create_invoice', description: 'Makes an invoice for a customer.' }),
    createTool({ server: 'billing', name: 'list_invoices', description: 'Shows each invoice of a month.' }),
  ];
  for (let number = 0; number < 70; number += 1) {
    tools.push(
      createTool({ server: 'store', name: `copy_record_${number}`, description: 'Copies a record of a table.' }),
    );
  }
  return createSnapshot(tools);
}
