import { EMPTY_MEMORY } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import {
  capabilitiesOf,
  type FormName,
  TRANSPORTS,
  type TransportCapabilities,
  type TransportTable,
} from '@quartermaster/core/disclosure';
import { expect, it } from 'vitest';
import { requestToolboxes, type ToolSearchOptions } from './request-toolbox.ts';
import { wordSearcher } from './word-searcher.fixture.ts';

function tableWith(change: Partial<TransportCapabilities>): TransportTable {
  return { ...TRANSPORTS, gemini: { capabilities: { ...capabilitiesOf('gemini'), ...change } } };
}

function ownTools(options: ToolSearchOptions): readonly string[] {
  const settings = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;
  const toolboxes = requestToolboxes(
    { searcher: wordSearcher, settings, ...options },
    { name: 'gemini', maxNameLength: 64 },
  );
  const { limits, options: planOptions } = toolboxes.settings('some-model');
  const plan = toolboxes.toolbox(SAMPLE, 'key').plan(limits, planOptions);
  return plan.kind === 'defer' ? plan.own.map(({ name }) => name) : [];
}

const SAMPLE = [createTool({ name: 'create_issue', description: 'Opens an issue.' })];
const SEARCH_ALONE = ['tool_search'];
const BRIDGE = ['tool_search', 'tool_describe', 'tool_call'];

it.each<[string, FormName, ToolSearchOptions, readonly string[]]>([
  ['the dialect as it is known', 'load', {}, SEARCH_ALONE],
  ['a row that was changed', 'load', { transports: tableWith({ lateTools: false }) }, BRIDGE],
  ['another row', 'load', { transport: 'mcp-stateless' }, BRIDGE],
  ['a host that is in no table', 'load', { transport: 'nowhere' }, SEARCH_ALONE],
  [
    'a row that claims what the dialect has no words for',
    'native',
    { transports: tableWith({ references: true }) },
    BRIDGE,
  ],
])('goes by %s (%s)', (_, form, options, own) => {
  expect(ownTools({ form, ...options })).toEqual(own);
});

it('searches by meaning if no searcher is given', async () => {
  const settings = { rule: { kind: 'on' }, search: { defaultLimit: 1, maxLimit: 1 }, pins: [] } as const;
  const toolboxes = requestToolboxes({ settings }, { name: 'gemini', maxNameLength: 64 });
  const shop = [
    createTool({ name: 'refund_payment', description: 'Refund a payment in full or in part' }),
    createTool({ name: 'release_room', description: 'Give a booked room back to everybody' }),
  ];
  const toolbox = toolboxes.toolbox(shop, 'key');
  const { limits, options } = toolboxes.settings('some-model');
  const plan = toolbox.plan(limits, options);
  const call = { id: 'a', name: 'tool_search', arguments: { query: 'give the customer his money back' } };
  const { memory } = await toolbox.answer({ plan, call, memory: EMPTY_MEMORY });
  expect(memory.revealed).toEqual(['refund_payment']);
});

it('keeps the lists of tools that were used last, as long as they don’t take too much together', () => {
  const { toolbox } = requestToolboxes({ searcher: wordSearcher }, { name: 'gemini', maxNameLength: 64 });
  const short = ['a', 'b', 'c'].map((key) => toolbox(SAMPLE, key));
  expect(['a', 'b', 'c'].map((key) => toolbox(SAMPLE, key))).toEqual(short);
  const long = ['d', 'e', 'f'].map((key) => key.repeat(8_000_000));
  const last = long.map((key) => toolbox(SAMPLE, key)).at(-1);
  expect(toolbox(SAMPLE, long[2] ?? '')).toBe(last);
  expect(toolbox(SAMPLE, 'a')).not.toBe(short[0]);
});
