import { createBm25Searcher, EMPTY_MEMORY, type Snapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { dialectsFor } from '../exchange/index.ts';
import { GATEWAY_DEFAULTS } from '../gateway-options.ts';
import { MemoryBudget } from './memory-budget.ts';
import { createToolLists } from './tool-lists.ts';

const { anthropic: dialect } = dialectsFor(GATEWAY_DEFAULTS);
const REQUEST = { model: 'm', max_tokens: 1, messages: [{ role: 'user' as const, content: 'Hello' }] };
const LIMITS = { contextTokens: 200_000, source: 'default' } as const;
const SEARCH = { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' };
const marked = (name: string) => ({ name, description: name, input_schema: { type: 'object' }, defer_loading: true });
const NAMED = [{ type: 'quartermaster_catalog', name: 'acme', defer_loading: true }];

/** Counts what must not happen for every request. */
function counting(cacheBytes = GATEWAY_DEFAULTS.cacheBytes) {
  const counts = { readings: 0, indexes: 0, checks: 0 };
  let hash = 'first';
  const tools = [createTool({ name: 'get_weather', description: 'weather' })];
  const memory = new MemoryBudget(cacheBytes);
  const lists = createToolLists({
    settings: GATEWAY_DEFAULTS,
    memory,
    catalogs: {
      load: async (entries) => entries.map((entry) => ({ entry, hash, tools, bytes: 100 })),
    },
    searcher(snapshot: Snapshot) {
      counts.indexes += 1;
      return createBm25Searcher(snapshot);
    },
  });
  const counted: typeof dialect = {
    ...dialect,
    api: {
      ...dialect.api,
      readTools(definitions, request) {
        counts.readings += 1;
        return dialect.api.readTools(definitions, request);
      },
    },
  };
  const ask = async (definitions: readonly unknown[], key: string | undefined, owner = 'someone') => {
    const rights = { owner, mayUseCatalog: () => true } as unknown as Parameters<typeof lists.listFor>[0]['rights'];
    const check = (): void => {
      counts.checks += 1;
    };
    const { list, isKnown } = await lists.listFor({
      ...{ dialect: counted, request: REQUEST, definitions, key, bytes: 100, rights, check },
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
    memory,
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

  it('are counted at what they take, with the index once it is built, for the key that brought them', async () => {
    const { ask, memory } = counting();
    const definitions = [SEARCH, ...Array.from({ length: 200 }, (_, at) => marked(`get_weather_${at}`))];
    const { list } = await ask(definitions, 'key', 'tenant');
    const index = list.toolbox.byteLength();
    expect(index).toBeGreaterThan(200 * 64);
    expect(memory.bytesOf('tenant')).toBe(memory.bytes);
    expect(memory.bytes - index).toBe(16 * 1024 + 200 * 1024);
  });

  it('that change with every request keep no more than the memory has room for', async () => {
    const { ask, memory, counts } = counting(1024 * 1024);
    for (let number = 0; number < 200; number += 1) {
      await ask([SEARCH, marked(`get_weather_${number}`)], `key ${number}`);
      expect(memory.bytes).toBeLessThanOrEqual(1024 * 1024);
    }
    expect(memory.bytes).toBeGreaterThan(512 * 1024);
    await ask([SEARCH, marked('get_weather_199')], 'key 199');
    await ask([SEARCH, marked('get_weather_0')], 'key 0');
    expect(counts.indexes).toBe(201);
  });

  it('without a key nothing is kept', async () => {
    const { counts, ask } = counting();
    const definitions = [SEARCH, marked('get_weather')];
    await ask(definitions, undefined);
    await ask(definitions, undefined);
    expect(counts).toEqual({ readings: 2, indexes: 2, checks: 2 });
  });
});
