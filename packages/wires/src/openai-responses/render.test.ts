import type { Plan } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CREATE,
  DONE,
  makeToolbox,
  output,
  READ,
  REASONING,
  rendered,
  run,
  SEARCH,
  search,
  sent,
  USER,
} from './response-run.fixture.ts';
import { functionCall, message, responseRound } from './response-script.fixture.ts';
import { openaiResponsesWire } from './responses-dialect.ts';
import type { ResponsesItem } from './responses-shapes-2026-11.ts';

describe('reasoning', () => {
  it('survives with its encrypted content, before the search that it led to', async () => {
    const { requests, response } = await run([responseRound([REASONING, SEARCH]), DONE]);
    expect(sent(requests[1]).slice(1, 3)).toEqual([REASONING, SEARCH]);
    expect(response.output).toEqual([REASONING, message('Hello')]);
  });

  it('that led to a search which the client was not shown is not sent alone', async () => {
    const other = { ...REASONING, id: 'rs_2' };
    expect(rendered([USER, REASONING, other, message('Hello'), USER], 'bridge')).toEqual([
      USER,
      other,
      message('Hello'),
      USER,
    ]);
  });

  it('goes with the orphan that it led to', () => {
    expect(rendered([USER, REASONING, functionCall('a', 'read_file', {}), USER], 'load')).toEqual([USER, USER]);
  });
});

describe('pairs', () => {
  it('that compaction has cut in half are dropped', () => {
    const [call, found] = search('1', 'issue');
    const items = [output('gone'), USER, found, call, functionCall('a', 'read_file', {}), output('a')].filter(
      (item) => item !== undefined,
    );
    for (const form of ['stub', 'bridge', 'load', 'native'] as const) {
      expect(rendered(items, form)).toEqual([USER, functionCall('a', 'read_file', {}), output('a')]);
    }
  });

  it('of searches are found by their ids, whatever stands between', () => {
    const [callA] = search('a', 'lost');
    const [callB, foundB] = search('b', 'issue');
    const items = [USER, callA, callB, foundB].filter((item) => item !== undefined);
    expect(rendered(items, 'load')).toMatchObject([
      USER,
      { type: 'function_call', call_id: 'call_ts_b', name: 'tool_search', arguments: '{"query":"issue"}' },
      { type: 'function_call_output', call_id: 'call_ts_b' },
    ]);
  });

  it("of the provider's own searches, which share nothing, are taken in order", () => {
    const provider = (type: string, id: string, extra: object): ResponsesItem => ({
      type,
      id,
      call_id: null,
      execution: 'server',
      ...extra,
    });
    const items = [
      USER,
      provider('tool_search_call', 'x1', { arguments: { paths: ['crm'] } }),
      provider('tool_search_output', 'y1', { tools: [CREATE] }),
    ];
    expect(rendered(items, 'load')).toMatchObject([
      USER,
      { type: 'function_call', call_id: 'call_ts_x1' },
      { type: 'function_call_output', call_id: 'call_ts_x1' },
    ]);
  });

  it('keep a result that names a tool which left the catalog, without it', () => {
    const items = [USER, ...search('1', 'issue', ['create_issue', 'gone'])];
    const native = rendered(items, 'native') as readonly ResponsesItem[];
    expect(native.at(-1)).toMatchObject({
      type: 'tool_search_output',
      tools: [{ name: 'create_issue', defer_loading: true }],
    });
  });
});

describe('a list of allowed tools', () => {
  const allowed = (names: readonly string[]) => ({
    type: 'allowed_tools',
    mode: 'auto',
    tools: names.map((name) => ({ type: 'function', name })),
  });

  it.each([
    ['bridge', ['tool_search', 'tool_describe', 'tool_call'].map((name) => ({ type: 'function', name }))],
    ['load', [{ type: 'function', name: 'tool_search' }]],
    ['native', [{ type: 'tool_search' }]],
  ] as const)('is cut down to those that are declared, and lets the search in, in the form %s', async (form, own) => {
    const { requests } = await run([DONE], {
      form,
      request: { tool_choice: allowed(['read_file', 'create_issue']) },
    });
    expect(requests[0]?.tool_choice).toEqual({
      ...allowed(['read_file']),
      tools: [{ type: 'function', name: 'read_file' }, ...own],
    });
  });
});

describe('tools that the provider runs', () => {
  const web = { type: 'web_search', search_context_size: 'low' };
  const mcp = { type: 'mcp', server_label: 'wiki', server_url: 'https://example.com', defer_loading: true };

  it('are sent unchanged, without a mark that the host would ignore', async () => {
    const { requests } = await run([DONE], { form: 'load', tools: [READ, web, CREATE, mcp] });
    const { defer_loading: _, ...unmarked } = mcp;
    expect(requests[0]?.tools?.slice(1)).toEqual([READ, web, unmarked]);
  });

  it('keep their marks if the provider searches', async () => {
    const { requests } = await run([DONE], { form: 'hosted', tools: [READ, web, CREATE, mcp] });
    expect(requests[0]?.tools).toEqual([{ type: 'tool_search' }, READ, web, { ...CREATE, defer_loading: true }, mcp]);
  });
});

/** A turn of a conversation, as a client keeps it. */
const turn = fc.record({
  searches: fc.array(fc.constantFrom('issue', 'patch'), { maxLength: 2 }),
  calls: fc.uniqueArray(fc.constantFrom('create_issue', 'read_file', 'gone'), { maxLength: 3 }),
  isReversed: fc.boolean(),
  isKept: fc.boolean(),
  extra: fc.dictionary(fc.constantFrom('__proto__', 'future'), fc.jsonValue(), { maxKeys: 1 }),
});

const FOUND: Readonly<Record<string, string>> = { issue: 'create_issue', patch: 'apply_patch' };

type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

function conversation(turns: readonly Turn[]): readonly ResponsesItem[] {
  return turns.flatMap((one, index): readonly ResponsesItem[] => {
    const { searches, calls, isReversed, isKept, extra } = one;
    if (!isKept) return [];
    const pairs = searches.map((query, order) => search(`${index}_${order}`, query, [FOUND[query] ?? '']));
    const outputs = pairs.flatMap((pair) => pair.slice(1));
    const results = calls.map((_, order) => output(`call_${order}`, `Result ${index}`));
    return [
      { ...extra, role: 'user', content: `Turn ${index}` },
      ...pairs.flatMap((pair) => pair.slice(0, 1)),
      ...(isReversed ? outputs.reverse() : outputs),
      ...calls.map((name, order) => functionCall(`call_${order}`, name, { text: 'x' })),
      ...(isReversed ? results.reverse() : results),
      { type: 'future_item', ...extra },
      message('Done'),
    ];
  });
}

describe('recall', () => {
  const toolbox = makeToolbox();
  const plan: Plan = toolbox.plan(undefined, { form: FORMS.load });

  it('is what the items that are left have found and called, after compaction, forks and in any order of results', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), (turns) => {
        const kept = turns.filter((one) => one.isKept);
        const memory = openaiResponsesWire.recall({ input: conversation(turns) }, plan);
        expect(memory.called).toEqual([...new Set(kept.flatMap((one) => one.calls))]);
        expect([...memory.revealed].sort()).toEqual(
          [...new Set(kept.flatMap((one) => one.searches.map((query) => FOUND[query])))].sort(),
        );
        expect(memory.searches).toHaveLength(kept.flatMap((one) => one.searches).length);
        expect(memory.moves).toBe(kept.length + kept.flatMap((one) => one.calls).length);
      }),
    );
  });

  it('reads an answer of ours that a loop keeps as text', () => {
    const text = JSON.stringify({ matches: [{ name: 'create_issue' }] });
    const memory = openaiResponsesWire.recall({ input: [USER, SEARCH, output('call_0', text)] }, plan);
    expect(memory).toMatchObject({ revealed: ['create_issue'], searches: [{ query: 'issue', found: 1 }] });
  });
});

describe('render', () => {
  it.each(['stub', 'bridge', 'load', 'native'] as const)(
    'keeps items and fields that it does not know, and pairs what it sends, in the form %s',
    (form) => {
      fc.assert(
        fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
          const items = conversation(turns);
          const list = rendered(items, form) as readonly ResponsesItem[];
          for (const item of items)
            if (item.type === undefined || item.type === 'future_item') expect(list).toContain(item);
          const open = new Set<unknown>();
          for (const item of list) {
            if (/_call$/.test(item.type ?? '')) open.add(item.call_id);
            if (/_output$/.test(item.type ?? '')) expect(open.delete(item.call_id)).toBe(true);
          }
          expect(open.size).toBe(0);
        }),
      );
    },
  );

  it.each(['stub', 'bridge', 'native'] as const)(
    'gives earlier turns the same bytes when later ones are added, in the form %s',
    (form) => {
      fc.assert(
        fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
          const before = rendered(conversation(turns.slice(0, -1)), form) as readonly ResponsesItem[];
          const after = rendered(conversation(turns), form) as readonly ResponsesItem[];
          expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
        }),
      );
    },
  );
});
