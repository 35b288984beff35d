import { readFileSync } from 'node:fs';
import { createBm25Searcher, createSnapshot, parseTools, type Snapshot } from '@quartermaster/core';
import type { IndexCache } from '@quartermaster/core/search';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { describe, expect, it } from 'vitest';

/**
 * What goes wrong in tool search elsewhere, what is promised here instead, and the test that holds the promise: its file and a part
 * of its name. Rows that begin with G were met in daily use of this project.
 */
const ROWS: readonly (readonly [row: string, promise: string, file: string, name: string])[] = [
  ['F1', 'no tool is silently missing', 'test/failure-modes.test.ts', 'is reached by its own name'],
  [
    'F1',
    'an unavailable one is named with the reason',
    'packages/core/src/testing/wire-contract.ts',
    'names a server that is down, with the reason',
  ],
  [
    'F1',
    'core tools can’t be dropped',
    'packages/core/src/gate/decide-gate.test.ts',
    'never defers a tool that is `never` or pinned',
  ],
  [
    'F2',
    'a tiered, byte-stable listing',
    'packages/core/src/disclosure/listing.test.ts',
    'falls back to names, and then to counts per server',
  ],
  [
    'F2',
    'a metric of reach',
    'packages/core/src/disclosure/measure-reach.test.ts',
    'counts conversations by how far they got',
  ],
  [
    'F3',
    'a calibrated "nothing fits"',
    'packages/core/src/search/hybrid/hybrid-searcher.test.ts',
    'says that nothing fits a request about something else, and how sure it is',
  ],
  [
    'F3',
    'the nearest sources are named',
    'packages/core/src/dispatch/handle-search.test.ts',
    'reveals nothing when nothing fits',
  ],
  [
    'F4',
    'no endless searching',
    'packages/core/src/dispatch/handle-search.test.ts',
    'is not run for a model that goes round in circles',
  ],
  [
    'F4',
    'a connection gets hints that fade',
    'packages/mcp/src/proxy/long-connections.test.ts',
    'hints at a repeat, and forgets it after ten minutes',
  ],
  [
    'F4',
    'a new question is never refused',
    'packages/core/src/testing/wire-contract.ts',
    'searches for a new question, though the searches for the last one led nowhere',
  ],
  ['F5', 'the exact name comes first', 'test/failure-modes.test.ts', 'comes before longer names that contain it'],
  ['F6', 'resume', 'packages/core/src/loop/conversations.test.ts', 'resumed in another process, remember the same'],
  ['F6', 'fork', 'packages/core/src/loop/conversations.test.ts', 'forked, remember what the trunk knew'],
  ['F6', 'compaction', 'packages/core/src/loop/conversations.test.ts', 'compacted, go on with what is left'],
  ['F7', 'no session map', 'packages/core/src/testing/wire-contract.ts', 'remembers from the messages alone'],
  [
    'F7',
    'one conversation knows nothing of another',
    'packages/gateway/src/conversations.test.ts',
    'another one knows nothing of it',
  ],
  [
    'F8',
    'the prefix stays',
    'packages/core/src/testing/wire-contract.ts',
    'keeps the prefix to the byte over rounds and turns',
  ],
  ['F8', 'a host reads it from its cache', 'packages/gateway/src/prompt-cache.test.ts', 'the usage shows the reads'],
  [
    'F9',
    'marks beside cache breakpoints',
    'packages/gateway/src/conversations.test.ts',
    'with examples and cache breakpoints on deferred tools is no reason to refuse',
  ],
  [
    'F9',
    'references that lead nowhere',
    'packages/core/src/testing/wire-contract.ts',
    'breaks nothing when a found tool leaves the catalog',
  ],
  ['F9', 'the form follows the transport', 'packages/core/src/disclosure/choose-form.test.ts', 'transport'],
  [
    'F10',
    'search shows what the caller may use',
    'packages/mcp/src/proxy/create-proxy.test.ts',
    'hide tools from the list, from search and from calls alike',
  ],
  [
    'F10',
    'checked again at the call',
    'packages/mcp/src/proxy/create-proxy.test.ts',
    'are checked again when the call is made',
  ],
  [
    'F11',
    'hooks see the real tool',
    'packages/core/src/dispatch/execute-call.test.ts',
    'shows hooks the real tool and its arguments, wrapped or direct, alone or side by side',
  ],
  [
    'F12',
    'a deferred tool called directly works',
    'packages/core/src/dispatch/handle-calls.test.ts',
    'to a deferred tool is served',
  ],
  [
    'F12',
    'errors say what to send',
    'packages/core/src/dispatch/handle-calls.test.ts',
    'with wrong arguments is answered with what to send and the schema',
  ],
  ['F13', 'malformed searches', 'packages/core/src/dispatch/handle-search.test.ts', 'understands %s'],
  ['F13', 'malformed bridge calls', 'packages/core/src/dispatch/handle-calls.test.ts', 'understands %s'],
  [
    'F14',
    'late servers',
    'packages/mcp/src/proxy/create-proxy.test.ts',
    'keeps no client waiting, and is told of when it is there',
  ],
  [
    'F14',
    'list_changed',
    'packages/mcp/src/hub/create-hub.test.ts',
    'follows list_changed with one new snapshot for many notices',
  ],
  [
    'F14',
    'news at the tail',
    'packages/core/src/disclosure/make-plan.test.ts',
    'tells at the tail what came and went since the plan was made',
  ],
  [
    'F15',
    'words of any script',
    'packages/core/src/search/text/tokenize.test.ts',
    'gives each character of an unspaced run beside its pairs',
  ],
  ['F15', 'identifiers', 'packages/core/src/search/text/tokenize.test.ts', 'splits %s'],
  ['F16', 'answers within a budget', 'packages/core/src/disclosure/tell.test.ts', 'budget'],
  [
    'F16',
    'a schema is told once',
    'packages/core/src/disclosure/tell.test.ts',
    'does not repeat a schema that the conversation has',
  ],
  ['F16', 'break-even', 'packages/gateway/src/insight.test.ts', 'with the break-even'],
  [
    'F17',
    'listing and index from one snapshot',
    'packages/core/src/disclosure/make-plan.test.ts',
    'names in the listing what is deferred, and nothing else',
  ],
  [
    'F18',
    'doctor says what is on and what it saves',
    'packages/cli/src/doctor/diagnose.test.ts',
    'says what is on and why, what it saves and which servers answer',
  ],
  ['F19', 'poisoned descriptions', 'packages/mcp/src/hub/trust/attacks.test.ts', 'finds $what'],
  [
    'F19',
    'hostile patterns',
    'packages/core/src/search/regex/compile-pattern.test.ts',
    'a stack that would fill memory is out of budget',
  ],
  [
    'F19',
    'definitions are pinned',
    'packages/mcp/src/hub/create-hub.test.ts',
    'in strict mode holds a changed definition back until it is accepted',
  ],
  [
    'F20',
    'errors are bounded',
    'packages/core/src/dispatch/handle-calls.test.ts',
    'an unknown name is answered in bounded size',
  ],
  [
    'F21',
    'names do not collide',
    'packages/mcp/src/hub/create-hub.test.ts',
    'one catalog with names that do not collide',
  ],
  [
    'F21',
    'near-duplicates are folded',
    'packages/core/src/search/hybrid/hybrid-searcher.test.ts',
    'folds the same tool from two servers into one place and names the other',
  ],
  [
    'F22',
    'an index is built once per content',
    'packages/gateway/src/catalogs/tool-lists.test.ts',
    'indexed once, however many requests have them',
  ],
  ['F23', 'an index holds no secrets', 'test/failure-modes.test.ts', 'holds nothing of a tool but what is searched'],
  [
    'G1',
    'every call has one answer',
    'packages/core/src/loop/conversations.test.ts',
    'send every call with its answer, however searches and real calls are mixed',
  ],
  [
    'G2',
    'Chat remembers',
    'packages/wires/src/openai-chat/wrap-openai.test.ts',
    'remembers what was found after an answer in words, and sends the bytes that the host has seen',
  ],
  ['G3', 'ids of ours are resolved by us', 'packages/gateway/src/stored-responses.test.ts', 'by item_reference, %s'],
  [
    'G4',
    'fields of later rounds',
    'packages/wires/src/anthropic/response-closing.test.ts',
    'keeps what only one round brought, adds up edits',
  ],
  [
    'G4',
    'iterations of all rounds',
    'packages/wires/src/anthropic/response-closing.test.ts',
    'lists the iterations of all rounds one after the other',
  ],
  [
    'G5',
    'nothing deferred in the prefix',
    'packages/core/src/disclosure/make-plan.test.ts',
    '%s has one prefix, whatever is deferred',
  ],
  ['G6', 'rare words count', 'packages/gateway/src/rare-words.test.ts', 'asked for the rare name of a parameter'],
  ['G7', 'a client’s restrictions are kept', 'packages/host/src/config/client-formats.test.ts', '%s are kept'],
  [
    'G8',
    'one unusable entry',
    'packages/host/src/config/unusable-servers.test.ts',
    'costs that entry and nothing else',
  ],
  [
    'G8',
    'one slow server',
    'packages/mcp/src/proxy/hanging-servers.test.ts',
    'a server that hangs when it is first started',
  ],
  ['G9', 'a lost or frozen database', 'test/database-faults.test.ts', 'terminated, frozen and restarted'],
  ['G10', 'bounds are real bytes', 'packages/gateway/src/memory.test.ts', 'is what it counts'],
  [
    'G11',
    'options that are not there are refused',
    'packages/agent/src/contract/sdk-contract.test.ts',
    'refuses an option that nobody knows',
  ],
  [
    'G12',
    'a cut is told',
    'packages/mcp/src/hub/create-hub.test.ts',
    'leaves tools past the limit of the catalog out, and says so',
  ],
  [
    'G13',
    'only an approval replaces a pin',
    'packages/mcp/src/hub/trust/compare-pins.test.ts',
    'never takes a change for granted because it was reported',
  ],
];

const EXPECTED = [...count('F', 23), ...count('G', 13)];

function count(letter: string, last: number): readonly string[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
}

describe('what goes wrong elsewhere', () => {
  it('has a test for every row', () => {
    expect([...new Set(ROWS.map(([row]) => row))]).toEqual(EXPECTED);
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
