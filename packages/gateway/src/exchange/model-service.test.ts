import { createBm25Searcher, type Snapshot } from '@quartermaster/core';
import { createTool, type Tool } from '@quartermaster/core/catalog';
import { describe, expect, it, vi } from 'vitest';
import { createBodyReader, createToolLists, MemoryBudget } from '../catalogs/index.ts';
import { GATEWAY_DEFAULTS } from '../gateway-options.ts';
import { message, scriptedUpstreams, upstreamError } from '../scripted-upstream.fixture.ts';
import { createModelService, dialectsFor } from './index.ts';

const { anthropic: dialect } = dialectsFor(GATEWAY_DEFAULTS);
const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const WEATHER = { name: 'get_weather', description: 'Weather', input_schema: { type: 'object' } };
const MARKED = { ...WEATHER, defer_loading: true };
const NAMED = { type: 'quartermaster_catalog', name: 'acme' };
const HOSTED = { transport: 'anthropic-messages', upstream: { toolSearch: 'upstream' } } as const;
const ANSWER = message([{ text: 'Hello.' }], 'end_turn');

/** How often the tools were looked at since the count was last set to 0. */
const looks = { count: 0 };

/** A deferred tool that counts how often it is looked at. */
function counted(at: number): Tool {
  const tool = createTool({ name: `tool_${at}` });
  return Object.defineProperty({ ...tool }, 'policy', {
    enumerable: true,
    get() {
      looks.count += 1;
      return 'always';
    },
  });
}

/** A model service whose searchers count their preparations; `first` resolves with the first. */
function counting(script: Parameters<typeof scriptedUpstreams>[0], options?: Parameters<typeof scriptedUpstreams>[1]) {
  const upstreams = scriptedUpstreams(script, options);
  const prepared: { readonly snapshot: Snapshot; readonly requests: number }[] = [];
  let hash = 'first';
  let tools: readonly Tool[] | undefined;
  let told: () => void = () => undefined;
  const memory = new MemoryBudget(GATEWAY_DEFAULTS.cacheBytes);
  const lists = createToolLists({
    memory,
    settings: GATEWAY_DEFAULTS,
    catalogs: {
      load: async (entries) =>
        entries.map((entry) => ({ entry, hash, tools: tools ?? [createTool({ name: `read_${hash}` })], bytes: 100 })),
    },
    searcher: (snapshot) => ({
      ...createBm25Searcher(snapshot),
      engine: 'hybrid',
      async prepare() {
        prepared.push({ snapshot, requests: upstreams.requests.length });
        told();
      },
    }),
  });
  const service = createModelService({
    ...{ upstreams, lists, bodies: createBodyReader({ memory }), maxRounds: 3 },
  });
  return {
    prepared,
    whenPrepared(run: () => void) {
      told = run;
    },
    bring(other: readonly Tool[]) {
      tools = other;
    },
    change() {
      hash = 'second';
    },
    async ask(tools: readonly object[], isStream = true): Promise<void> {
      const { signal } = new AbortController();
      const body = { model: 'claude-test', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }], tools };
      const exchange = await service.open({
        ...{ dialect, bytes: Buffer.from(JSON.stringify(body)), headers: new Headers(), signal },
        access: {
          owner: '',
          limits: {},
          role: 'consumer',
          isUnlimited: false,
          mayUseEndpoint: () => true,
          mayUseModel: () => true,
          mayUseCatalog: () => true,
          mayWriteCatalog: () => false,
        },
      });
      if (exchange.kind !== 'exchange') throw new Error('The request names no servers');
      if (isStream) await readAll(exchange.stream(signal));
      else await exchange.whole(signal);
      await someTurns();
    },
  };
}

async function readAll(parts: AsyncIterator<unknown>): Promise<void> {
  let isDone = false;
  while (!isDone) isDone = (await parts.next()).done === true;
}

/** Lets everything that waits for a turn of the event loop have some. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('what a search will need', () => {
  it.each([
    ['streaming', true, ANSWER.slice(0, 1)],
    ['whole', false, []],
  ])('is built while the model answers, %s', async (_, isStream, before) => {
    let resolve: () => void = () => undefined;
    const isPrepared = new Promise<void>((done) => {
      resolve = done;
    });
    const gateway = counting({ anthropic: [[...before, isPrepared, ...ANSWER.slice(before.length)]] });
    gateway.whenPrepared(resolve);
    await gateway.ask([SEARCH, MARKED], isStream);
    expect(gateway.prepared.map(({ requests }) => requests)).toEqual([1]);
  });

  it('is built once for the same tools, and again for a catalog that changed', async () => {
    const { ask, change, prepared } = counting({ anthropic: [ANSWER, ANSWER, ANSWER, ANSWER] });
    const tools = [SEARCH, WEATHER, NAMED];
    await ask(tools);
    await ask(tools);
    expect(prepared).toHaveLength(1);
    change();
    await ask(tools);
    await ask(tools);
    const names = prepared.map(({ snapshot }) => snapshot.tools.map(({ name }) => name));
    expect(names).toEqual([
      ['get_weather', 'read_first'],
      ['get_weather', 'read_second'],
    ]);
  });

  it.each([
    ['no tool is deferred', [WEATHER], ANSWER, {}],
    ['the host searches by itself', [SEARCH, MARKED], ANSWER, HOSTED],
  ])('is not built where %s', async (_, tools, answer, options) => {
    const { ask, prepared } = counting({ anthropic: [answer] }, options);
    await ask(tools);
    expect(prepared).toEqual([]);
  });

  it('is not built for a request that its host refuses', async () => {
    const refusal = upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
    const { ask, prepared } = counting({ anthropic: [[refusal]] });
    await expect(ask([SEARCH, MARKED])).rejects.toThrow('529');
    await someTurns();
    expect(prepared).toEqual([]);
  });
});

describe('a plan for a large catalog', () => {
  it('lets others run while it is made', async () => {
    const { ask, bring } = counting({ anthropic: [ANSWER] });
    bring(Array.from({ length: 8_000 }, (_, at) => counted(at)));
    // Every look at the clock ends a slice: what happens in one turn of the event loop doesn't depend on the machine.
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 5));
    let most = 0;
    let isOver = false;
    looks.count = 0;
    const watch = (): void => {
      most = Math.max(most, looks.count);
      looks.count = 0;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await ask([SEARCH, NAMED]).finally(() => {
      isOver = true;
      clock.mockRestore();
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(4_000);
  });
});
