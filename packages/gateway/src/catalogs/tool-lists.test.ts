import { createBm25Searcher, createTool, EMPTY_MEMORY, type Snapshot } from '@quartermaster/core';
import { describe, expect, it } from 'vitest';
import { surfacesFor } from '../exchange/index.ts';
import { GATEWAY_DEFAULTS } from '../gateway-options.ts';
import { createToolLists } from './tool-lists.ts';

const { anthropic: surface } = surfacesFor(GATEWAY_DEFAULTS);
const REQUEST = { model: 'm', max_tokens: 1, messages: [{ role: 'user' as const, content: 'Hello' }] };
const LIMITS = { contextTokens: 200_000, source: 'default' } as const;
const SEARCH = { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' };
const marked = (name: string) => ({ name, description: name, input_schema: { type: 'object' }, defer_loading: true });
const NAMED = [{ type: 'quartermaster_catalog', name: 'acme', defer_loading: true }];

/** Counts what must not happen for every request. */
function counting() {
  const counts = { readings: 0, indexes: 0, checks: 0 };
  let hash = 'first';
  const tools = [createTool({ name: 'get_weather', description: 'weather' })];
  const lists = createToolLists({
    settings: GATEWAY_DEFAULTS,
    catalogs: {
      load: async (entries) => entries.map((entry) => ({ entry, hash, tools, bytes: 100 })),
    },
    searcher(snapshot: Snapshot) {
      counts.indexes += 1;
      return createBm25Searcher(snapshot);
    },
  });
  const counted: typeof surface = {
    ...surface,
    readTools(definitions, request) {
      counts.readings += 1;
      return surface.readTools(definitions, request);
    },
  };
  const ask = async (definitions: readonly unknown[], key: string | undefined) => {
    const rights = { mayUse: () => true } as unknown as Parameters<typeof lists.listFor>[0]['rights'];
    const check = (): void => {
      counts.checks += 1;
    };
    const { list, isKnown } = await lists.listFor({
      ...{ surface: counted, request: REQUEST, definitions, key, bytes: 100, rights, check },
    });
    const plan = list.toolbox.plan(LIMITS, { describe: false });
    const call = {
      id: 's',
      name: plan.kind === 'defer' ? (plan.own[0]?.name ?? '') : '',
      arguments: { query: 'weather' },
    };
    await list.toolbox.handle({ plan, call, memory: EMPTY_MEMORY });
    return { list, plan, isKnown };
  };
  return {
    counts,
    ask,
    change: () => {
      hash = 'second';
    },
  };
}

describe('the tools of requests', () => {
  it('are read, checked, planned for and indexed once, however many requests have them', async () => {
    const { counts, ask } = counting();
    const definitions = [SEARCH, marked('get_weather')];
    const first = await ask(definitions, 'key');
    for (let turn = 0; turn < 5; turn += 1) {
      const { list, plan, isKnown } = await ask(definitions, 'key');
      expect([list, plan, isKnown]).toEqual([first.list, first.plan, true]);
      expect(plan).toBe(first.plan);
    }
    expect(counts).toEqual({ readings: 1, indexes: 1, checks: 1 });
  });

  it('a named catalog is not even copied while its content is the same', async () => {
    const { counts, ask, change } = counting();
    const first = await ask(NAMED, 'key');
    const second = await ask(NAMED, 'key');
    expect(second.list).toBe(first.list);
    expect(counts.indexes).toBe(1);
    change();
    const third = await ask(NAMED, 'key');
    expect(third.list).not.toBe(first.list);
    expect(counts.indexes).toBe(2);
  });

  it('without a key nothing is kept', async () => {
    const { counts, ask } = counting();
    const definitions = [SEARCH, marked('get_weather')];
    await ask(definitions, undefined);
    await ask(definitions, undefined);
    expect(counts).toEqual({ readings: 2, indexes: 2, checks: 2 });
  });
});
