import { readFileSync } from 'node:fs';
import {
  createBm25Searcher,
  createSnapshot,
  createToolbox,
  EMPTY_MEMORY,
  parseTools,
  type Snapshot,
  type Tool,
  type ToolboxOptions,
} from '@quartermaster/core';
import type { ArgumentChecker, CallContext } from '@quartermaster/core/dispatch';
import type { IndexCache } from '@quartermaster/core/search';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { describe, expect, it } from 'vitest';

/*
 * What goes wrong in tool search elsewhere, what is promised here instead, and the test that holds the promise. Rows that begin with G
 * were met in daily use of this project. What a toolbox alone can show is tried below.
 */

/** By file: the row, what is promised, and a part of the test's name. */
const HELD_BY: Readonly<Record<string, readonly (readonly [row: string, promise: string, name: string])[]>> = {
  'test/failure-modes.test.ts': [
    ['F1', 'no tool is silently missing', 'is reached by its own name'],
    ['F5', 'the exact name comes first', 'comes before longer names that contain it'],
    ['F5', 'several names in one query', 'come first when several are named at once'],
    ['F23', 'an index holds no secrets', 'holds nothing of a tool but what is searched'],
  ],
  'packages/core/src/testing/wire-contract.ts': [
    ['F1', 'an unavailable one is named with the reason', 'names a server that is down, with the reason'],
    [
      'F4',
      'a new question is never refused',
      'searches for a new question, though the searches for the last one led nowhere',
    ],
    ['F7', 'no session map', 'remembers from the messages alone'],
    ['F8', 'the prefix stays', 'keeps the prefix to the byte over rounds and turns'],
    ['F9', 'references that lead nowhere', 'breaks nothing when a found tool leaves the catalog'],
  ],
  'packages/core/src/gate/decide-gate.test.ts': [
    ['F1', 'core tools can’t be dropped', 'never defers a tool that is `never` or pinned'],
  ],
  'packages/core/src/disclosure/plan/listing.test.ts': [
    ['F2', 'a tiered, byte-stable listing', 'falls back to names, and then to counts per server'],
  ],
  'packages/core/src/disclosure/memory.test.ts': [
    ['F2', 'a metric of reach', 'counts conversations by how far they got'],
  ],
  'packages/core/src/search/hybrid/hybrid-searcher.test.ts': [
    ['F3', 'a calibrated "nothing fits"', 'says that nothing fits a request about something else, and how sure it is'],
    ['F21', 'near-duplicates are folded', 'folds the same tool from two servers into one place and names the other'],
  ],
  'packages/core/src/dispatch/search/handle-search.test.ts': [
    ['F3', 'the nearest sources are named', 'reveals nothing when nothing fits'],
    ['F4', 'no endless searching', 'is not run for a model that goes round in circles'],
    ['F13', 'malformed searches', 'understands %s'],
  ],
  'packages/mcp/src/proxy/long-connections.test.ts': [
    ['F4', 'a connection gets hints that fade', 'hints at a repeat, and forgets it after ten minutes'],
  ],
  'packages/core/src/loop/conversations.test.ts': [
    ['F6', 'resume', 'resumed in another process, remember the same'],
    ['F6', 'fork', 'forked, remember what the trunk knew'],
    ['F6', 'compaction', 'compacted, go on with what is left'],
    ['G1', 'every call has one answer', 'send every call with its answer, however searches and real calls are mixed'],
  ],
  'packages/gateway/src/conversations.test.ts': [
    ['F7', 'one conversation knows nothing of another', 'another one knows nothing of it'],
    [
      'F9',
      'marks beside cache breakpoints',
      'with examples and cache breakpoints on deferred tools is no reason to refuse',
    ],
  ],
  'packages/gateway/src/prompt-cache.test.ts': [['F8', 'a host reads it from its cache', 'the usage shows the reads']],
  'packages/core/src/disclosure/plan/choose-form.test.ts': [
    ['F9', 'the form follows the transport', 'on %s with %s, %s becomes %s'],
  ],
  'packages/mcp/src/proxy/create-proxy.test.ts': [
    ['F10', 'search shows what the caller may use', 'hide tools from the list, from search and from calls alike'],
    ['F10', 'checked again at the call', 'are checked again when the call is made'],
    ['F14', 'late servers', 'delays no client, and is announced when it is ready'],
  ],
  'packages/core/src/dispatch/call/execute-call.test.ts': [
    [
      'F11',
      'hooks see the real tool',
      'shows hooks the real tool and its arguments, wrapped or direct, alone or side by side',
    ],
  ],
  'packages/core/src/dispatch/call/handle-calls.test.ts': [
    ['F12', 'a deferred tool called directly works', 'to a deferred tool is served'],
    ['F12', 'errors say what to send', 'with wrong arguments is answered with what to send and the schema'],
    ['F13', 'malformed bridge calls', 'understands %s'],
    ['F20', 'errors are bounded', 'an unknown name is answered in bounded size'],
  ],
  'packages/mcp/src/hub/create-hub.test.ts': [
    ['F14', 'list_changed', 'follows list_changed with one new snapshot for many notices'],
    ['F19', 'definitions are pinned', 'in strict mode holds a changed definition back until it is accepted'],
    ['F21', 'names do not collide', 'in one catalog without name clashes'],
    ['G12', 'a cut is reported', 'leaves out tools beyond the limit of the catalog, and reports it'],
  ],
  'packages/core/src/disclosure/plan/make-plan.test.ts': [
    ['F14', 'news at the tail', 'reports at the tail which tools were added or removed since the plan was made'],
    ['F17', 'listing and index from one snapshot', 'names in the listing what is deferred, and nothing else'],
    ['G5', 'nothing deferred in the prefix', '%s has one prefix, whatever is deferred'],
  ],
  'packages/core/src/search/text/tokenize.test.ts': [
    ['F15', 'words of any script', 'gives each character of an unspaced run beside its pairs'],
    ['F15', 'identifiers', 'splits %s'],
  ],
  'packages/core/src/disclosure/answer/tell.test.ts': [
    ['F16', 'answers within a budget', 'keeps within its budget, fuller first, and never gives the whole catalog'],
    ['F16', 'a schema is told once', 'does not repeat a schema that the conversation has'],
  ],
  'packages/gateway/src/insight.test.ts': [['F16', 'break-even', 'with the break-even']],
  'packages/cli/src/doctor/diagnose.test.ts': [
    ['F18', 'doctor says what is on and what it saves', 'reports the engine, deferral, savings and servers'],
  ],
  'packages/mcp/src/hub/trust/attacks.test.ts': [['F19', 'poisoned descriptions', 'finds $what']],
  'packages/core/src/search/regex/compile-pattern.test.ts': [
    ['F19', 'hostile patterns', 'a stack that would fill memory is out of budget'],
  ],
  'packages/gateway/src/catalogs/tool-lists.test.ts': [
    ['F22', 'an index is built once per content', 'indexed once, however many requests have them'],
  ],
  'packages/wires/src/openai-chat/wrap-openai-history.test.ts': [
    [
      'G2',
      'Chat remembers',
      'remembers what was found after an answer in words, and sends the bytes that the host has seen',
    ],
  ],
  'packages/gateway/src/stored-responses.test.ts': [['G3', 'ids of ours are resolved by us', 'by item_reference, %s']],
  'packages/wires/src/anthropic/response-closing.test.ts': [
    ['G4', 'fields of later rounds', 'keeps what only one round brought, adds up edits'],
    ['G4', 'iterations of all rounds', 'lists the iterations of all rounds one after the other'],
  ],
  'packages/gateway/src/rare-words.test.ts': [['G6', 'rare words count', 'asked for the rare name of a parameter']],
  'packages/host/src/config/client-formats.test.ts': [['G7', 'a client’s restrictions are kept', '%s are kept']],
  'packages/host/src/config/unusable-servers.test.ts': [['G8', 'one unusable entry', 'disables only that entry']],
  'packages/mcp/src/proxy/hanging-servers.test.ts': [
    ['G8', 'one slow server', 'a server that hangs when it is first started'],
  ],
  'test/database-faults.test.ts': [['G9', 'a lost or frozen database', 'terminated, frozen and restarted']],
  'packages/gateway/src/memory.test.ts': [['G10', 'bounds are real bytes', 'is what it counts']],
  'packages/agent/src/contract/sdk-contract.test.ts': [
    ['G11', 'options that are not there are refused', 'refuses an unknown option'],
  ],
  'packages/mcp/src/hub/trust/compare-pins.test.ts': [
    ['G13', 'only an approval replaces a pin', 'never accepts a change because it was reported'],
  ],
};

const ROWS = Object.entries(HELD_BY).flatMap(([file, rows]) =>
  rows.map(([row, promise, name]) => [row, promise, file, name] as const),
);

const EXPECTED = [...count('F', 23), ...count('G', 13)];

function count(letter: string, last: number): readonly string[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
}

describe('what goes wrong elsewhere', () => {
  it('has a test for every row', () => {
    expect(new Set(ROWS.map(([row]) => row))).toEqual(new Set(EXPECTED));
  });

  it.each(ROWS)('%s, %s: is held by a test in %s', (_row, _promise, file, name) => {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(name);
  });
});

/** Many siblings whose names contain each other, as `get_accounts` among `get_accounts_by_owner` and hundreds like it. */
function siblings(extra: object = {}): Snapshot {
  const verbs = ['get', 'list', 'create', 'delete', 'update'];
  const nouns = ['accounts', 'invoices', 'messages', 'files', 'users', 'orders'];
  const tails = ['', '_by_owner', '_of_team', '_history', '_with_owner_history', '_settings', '_export'];
  const definitions = verbs.flatMap((verb) =>
    nouns.flatMap((noun) =>
      tails.map((tail) => ({
        name: `${verb}_${noun}${tail}`,
        description: `Works on ${noun}${tail.replaceAll('_', ' ')}.`,
        input_schema: { type: 'object', properties: { owner: { type: 'string' } } },
        ...extra,
      })),
    ),
  );
  return createSnapshot(parseTools(definitions).tools);
}

const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('_', '-'),
  (name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
];

describe.each([
  ['keywords', createBm25Searcher],
  ['the hybrid', createEmbeddedSearcher],
] as const)('a tool among hundreds, with %s', (_, create) => {
  it('is reached by its own name, and comes before longer names that contain it, in any case and punctuation', async () => {
    const snapshot = siblings();
    const searcher = create(snapshot);
    for (const [index, tool] of snapshot.tools.entries()) {
      const spelt = SPELLINGS[index % SPELLINGS.length]?.(tool.name) ?? tool.name;
      const { hits } = await searcher.search({ query: spelt, limit: 3 });
      expect(hits[0]?.tool.name, spelt).toBe(tool.name);
    }
  });

  it.each(['get_accounts delete_users', 'GetAccounts, delete-users', 'select:get_accounts,delete_users'])(
    'come first when several are named at once: %s',
    async (query) => {
      const { hits } = await create(siblings()).search({ query, limit: 5 });
      expect(hits.slice(0, 2).map(({ tool }) => tool.name)).toEqual(['get_accounts', 'delete_users']);
    },
  );
});

describe('a toolbox over hundreds of tools', () => {
  const ON = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;
  const box = (options: Partial<ToolboxOptions> = {}) => {
    const toolbox = createToolbox({ tools: siblings(), settings: ON, checkArguments: needsOwner, ...options });
    const plan = toolbox.plan();
    const answer = (name: string, input: unknown, extra: Partial<CallContext> = {}) =>
      toolbox.answer({ plan, call: { id: 'c1', name, arguments: input }, memory: EMPTY_MEMORY, ...extra });
    return { toolbox, plan, answer };
  };
  /** All of the tools take an owner. */
  const needsOwner: ArgumentChecker = (_tool, input) =>
    'owner' in input ? { kind: 'good' } : { kind: 'wrong', problems: [{ path: '/owner', message: 'is required' }] };
  const bytesOf = (text: string): number => Buffer.byteLength(text);

  it('F3, F20: says that nothing fits in few bytes, whatever was asked', async () => {
    const { text } = await box().answer('tool_search', { query: 'zeppelin '.repeat(400) });
    expect(JSON.parse(text)).toMatchObject({ matches: [], hint: expect.stringContaining('No tool fits') });
    expect(bytesOf(text)).toBeLessThan(1_000);
  });

  it('F4: stops a search that was made over and over, and not a new one', async () => {
    const { answer } = box();
    const found = (text: string): number => JSON.parse(text).matches.length;
    let memory = EMPTY_MEMORY;
    const counts: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const step = await answer('tool_search', { query: 'invoices' }, { memory });
      memory = step.memory;
      counts.push(found(step.text));
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts.at(-1)).toBe(0);
    expect(found((await answer('tool_search', { query: 'messages' }, { memory })).text)).toBeGreaterThan(0);
  });

  it('F10: searches, describes and calls nothing that the caller may not use', async () => {
    const caller = { allow: (tool: Tool): boolean => !tool.name.includes('accounts') };
    const { answer } = box({ execute: async () => 'done' });
    const search = await answer('tool_search', { query: 'get_accounts' }, { caller });
    expect(JSON.stringify(JSON.parse(search.text).matches)).not.toContain('accounts');
    const call = { name: 'get_accounts', arguments: { owner: 'Ada' } };
    expect(await answer('tool_call', call, { caller })).toMatchObject({ isError: true });
    expect(await answer('tool_call', call)).toMatchObject({ isError: false, text: 'done' });
    expect(await answer('tool_describe', { name: 'get_accounts' }, { caller })).toMatchObject({ isError: true });
  });

  it.each(['get_accounts', 'getAccounts', 'tool_call'])(
    'F12, F13: serves %s called without a search, miswritten, and says what to send',
    async (name) => {
      const { answer } = box({ execute: async ({ tool, arguments: input }) => `${tool.name} ${String(input.owner)}` });
      const write = (input: object): unknown =>
        name === 'tool_call'
          ? JSON.stringify({ tool_name: ' `get-accounts` ', arguments: JSON.stringify(input) })
          : input;
      expect(await answer(name, write({ owner: 'Ada' }))).toMatchObject({ text: 'get_accounts Ada', isError: false });
      const refused = await answer(name, write({ user: 'Ada' }));
      expect(refused.isError).toBe(true);
      expect(refused.text).toMatch(/owner[\s\S]*"properties"/);
    },
  );

  it('F16: tells a schema once, and answers within a budget', async () => {
    const { answer } = box({ form: 'stub', budget: { searchBytes: 2_000 } });
    const first = await answer('tool_search', { query: 'invoices', limit: 20 });
    expect(bytesOf(first.text)).toBeLessThanOrEqual(2_000);
    expect(first.text).toContain('"parameters"');
    const [{ name }] = JSON.parse(first.text).matches;
    const again = await answer('tool_search', { query: name, limit: 1 }, { memory: first.memory });
    expect(JSON.parse(again.text).matches).toEqual([expect.stringContaining(`${name}(owner`)]);
    expect(again.text).not.toContain('"parameters"');
  });

  it('F20: suggests a few similar tools for an unknown name, not the catalog', async () => {
    const { text, isError } = await box().answer('tool_call', { name: 'x'.repeat(5_000), arguments: {} });
    expect(isError).toBe(true);
    expect(bytesOf(text)).toBeLessThan(1_000);
  });

  it('G5: sends the same bytes before the first message, whatever is deferred', () => {
    const sent = (tools: Snapshot) => {
      const { toolbox, plan } = box({ tools });
      const view = toolbox.view(plan, EMPTY_MEMORY);
      return JSON.stringify([plan.kind === 'defer' ? plan.own : [], plan.kind === 'defer' ? plan.note : '', view.tail]);
    };
    const all = siblings();
    expect(sent(all)).toBe(sent(createSnapshot(all.tools.slice(0, 100))));
  });

  it('G11: refuses an option and a form that are not there', () => {
    expect(() => createToolbox({ tools: [], serch: true } as ToolboxOptions)).toThrow('unknown option "serch"');
    expect(() => box({ form: 'nowhere' as 'stub' })).toThrow('form is "nowhere"; allowed:');
  });
});

it('an index holds nothing of a tool but what is searched', async () => {
  const snapshot = siblings({ headers: { authorization: 'Bearer s3cr3t-t0k3n' } });
  const kept = await new Promise<Uint8Array>((resolve) => {
    const cache: IndexCache = { load: async () => undefined, save: async (_, bytes) => resolve(bytes) };
    void createBm25Searcher(snapshot, { cache }).search({ query: 'get accounts' });
  });
  expect(JSON.stringify(snapshot.tools)).toContain('s3cr3t');
  const text = Buffer.from(kept).toString('latin1');
  expect(text).toContain('accounts');
  expect(text).not.toContain('s3cr3t');
});
