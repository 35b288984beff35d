import { createSnapshot, createTool, type Snapshot, type Tool } from '../catalog/index.ts';
import { QuartermasterError } from '../errors.ts';
import { SEARCH_LIMITS, type Searcher } from '../search/index.ts';
import type { TestFramework } from './test-framework.ts';

/** The contract's queries in the engine's own query language, if that is not plain words. */
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

/** A searcher to be tested. */
export interface SearcherSample {
  /** For the names of the tests. */
  readonly name: string;
  /** Makes the searcher for a snapshot. */
  create(snapshot: Snapshot): Searcher | Promise<Searcher>;
  /** @default plain words */
  readonly queries?: ContractQueries;
}

/**
 * The contract of a searcher, whatever it ranks by: the suite that the engines of `@quartermaster/core` run.
 *
 * @example
 * describeSearcher({ describe, it, expect }, { name: 'my search', create: (snapshot) => createMySearcher(snapshot) });
 */
export function describeSearcher({ describe, it, expect }: TestFramework, sample: SearcherSample): void {
  const makeSearcher = sample.create;
  const { email, invoice, nothing, many } = {
    email: 'email',
    invoice: 'invoice',
    nothing: 'qqqqzzzz',
    many: 'record',
    ...sample.queries,
  };
  const snapshot = contractSnapshot();
  const check = (what: string, run: (searcher: Searcher) => Promise<void>): unknown =>
    it(what, async () => run(await makeSearcher(snapshot)));
  const ids = (tools: readonly { readonly tool: Tool }[]): string[] => tools.map(({ tool }) => tool.id);

  describe(`${sample.name} as a searcher`, () => {
    check('finds what fits and says that it matched', async (searcher) => {
      const { hits, verdict } = await searcher.search({ query: email });
      expect(verdict).toBe('match');
      for (const id of ['mail/send_email', 'mail/list_emails', 'mail/delete_email']) expect(ids(hits)).toContain(id);
    });

    for (const query of ['', '   ', '\n\t']) {
      check(`finds nothing for the empty query ${JSON.stringify(query)}`, async (searcher) => {
        expect(await searcher.search({ query })).toMatchObject({ hits: [], verdict: 'none' });
      });
    }

    check('finds nothing without a query', async (searcher) => {
      expect((await searcher.search({ query: [] })).hits).toEqual([]);
    });

    check('says so when nothing fits', async (searcher) => {
      expect((await searcher.search({ query: nothing })).verdict).toBe('none');
    });

    check('refuses a query that is too long for it, and says so', async (searcher) => {
      const query = 'mail '.repeat(20_000);
      const codes = ['query_too_long', 'pattern_too_long'];
      expect(codes).toContain(await codeOf(searcher.search({ query })));
      expect(codes).toContain(await codeOf(searcher.search({ query: [email, query] })));
      const [tool] = snapshot.tools;
      if (tool !== undefined) expect(codes).toContain(await codeOf(searcher.explain({ query }, tool)));
    });

    for (const limit of [1, 2, 50]) {
      check(`returns ${limit} tools at the most`, async (searcher) => {
        expect((await searcher.search({ query: many, limit })).hits).toHaveLength(limit);
      });
    }

    check('returns five tools by default', async (searcher) => {
      expect((await searcher.search({ query: many })).hits).toHaveLength(SEARCH_LIMITS.default);
    });

    for (const limit of [0, -1, 51, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      check(`refuses the limit ${limit}`, async (searcher) => {
        expect(await codeOf(searcher.search({ query: email, limit }))).toBe('invalid_limit');
      });
    }

    it('gives the same answer to the same question', async () => {
      const [first, second] = [await makeSearcher(snapshot), await makeSearcher(contractSnapshot())];
      const request = { query: many, limit: 50 };
      const answer = await first.search(request);
      expect(ids((await first.search(request)).hits)).toEqual(ids(answer.hits));
      expect(ids((await second.search(request)).hits)).toEqual(ids(answer.hits));
    });

    check('never names a tool that the caller may not see, and fills its place', async (searcher) => {
      const allow = (tool: Tool): boolean => tool.name !== 'send_email';
      const { hits } = await searcher.search({ query: email, allow });
      expect(ids(hits)).not.toContain('mail/send_email');
      expect(ids(hits)).toContain('mail/list_emails');
      const few = await searcher.search({ query: many, limit: 5, allow: (tool) => tool.name.endsWith('7') });
      expect(few.hits).toHaveLength(5);
    });

    check('finds nothing when everything is hidden', async (searcher) => {
      expect(await searcher.search({ query: email, allow: () => false })).toMatchObject({ hits: [], verdict: 'none' });
    });

    check('serves several queries in turn and names no tool twice', async (searcher) => {
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

    check('explains each hit with its score when asked to', async (searcher) => {
      const plain = await searcher.search({ query: email });
      expect(plain.hits.every((hit) => hit.explanation === undefined)).toBe(true);
      const { hits } = await searcher.search({ query: email, explain: true });
      for (const hit of hits) expect(hit.explanation?.value).toBe(hit.score);
    });

    check('reports the rank of every tool, consistent with the search', async (searcher) => {
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
        if (tool.name === 'copy_record_5') expect(standing.kind).toBe('not-allowed');
      }
      expect(ranks.sort((left, right) => left - right)).toEqual(ranks.map((_, index) => index + 1));
    });

    check('says why a tool is not there', async (searcher) => {
      const stranger = createTool({ name: 'stranger' });
      expect(await searcher.explain({ query: email }, stranger)).toEqual({ kind: 'not-in-catalog' });
      const other = snapshot.get('billing/create_invoice') as Tool;
      const standing = await searcher.explain({ query: email }, other);
      expect(standing.kind).toBe('not-matched');
      expect(standing.kind === 'not-matched' && standing.reason !== '').toBe(true);
    });

    check('stops if it was aborted before it started', async (searcher) => {
      expect(await codeOf(searcher.search({ query: email, signal: AbortSignal.abort() }))).not.toBe('no error');
    });

    it('has nothing to say about an empty catalog', async () => {
      const searcher = await makeSearcher(createSnapshot([]));
      expect((await searcher.search({ query: email })).hits).toEqual([]);
    });
  });
}

/** The code of the error that a promise rejects with. */
async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return error instanceof QuartermasterError ? error.code : error;
  }
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
