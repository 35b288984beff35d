import { describe, expect, it } from 'vitest';
import type { SearchText, Snapshot } from '../catalog/index.ts';
import { EMPTY_MEMORY, FORMS } from '../disclosure/index.ts';
import { sampleSnapshot, sampleTool, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import { toyEmbedder } from '../search/hybrid/toy-embedder.fixture.ts';
import { createBm25Searcher, createHybridSearcher, type Searcher } from '../search/index.ts';
import { boxWith } from './call-context.fixture.ts';
import type { ToolboxEvent } from './events.ts';
import { preparedSearchers, someTurns } from './prepared-searchers.fixture.ts';
import type { Toolbox } from './toolbox.ts';

const OFF = { rule: { kind: 'off' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;

function search(toolbox: Toolbox, query: string): ReturnType<Toolbox['handle']> {
  const call = { id: 'c1', name: 'tool_search', arguments: { query } };
  return toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
}

describe('preparing for searches', () => {
  it('has the searcher of a catalog build once, however many toolboxes ask how often', async () => {
    const { searcher, made, prepared } = preparedSearchers();
    const tools = sampleSnapshot();
    for (const toolbox of [boxWith({ tools, searcher }), boxWith({ tools, searcher })]) {
      toolbox.prepare(toolbox.plan());
      toolbox.prepare(toolbox.plan());
      await someTurns();
      toolbox.prepare(toolbox.plan());
      await someTurns();
    }
    expect(made).toEqual([tools]);
    expect(prepared).toEqual([tools]);
  });

  it('a search meanwhile waits for the same build, and finds what it would have found', async () => {
    const read: string[] = [];
    const paused: (() => void)[] = [];
    const embedder = {
      ...toyEmbedder,
      tool(text: SearchText) {
        read.push(text.name);
        return toyEmbedder.tool(text);
      },
    };
    const slices = { sliceMs: 0, pause: () => new Promise<void>((resolve) => void paused.push(resolve)) };
    const tools = sampleSnapshot([
      ...sampleTools(),
      sampleTool({ name: 'send_email', description: 'Sends an email.' }),
    ]);
    const toolbox = boxWith({ tools, searcher: (snapshot) => createHybridSearcher(snapshot, { embedder, slices }) });
    toolbox.prepare(toolbox.plan());
    while (paused.length === 0) await someTurns();
    expect(read).toHaveLength(1);
    const found = search(toolbox, 'letter');
    for (let next = paused.shift(); next !== undefined; next = paused.shift()) {
      next();
      await someTurns();
    }
    expect(await found).toMatchObject({ found: { kind: 'search', names: ['send_email'] } });
    expect(read).toHaveLength(tools.tools.length);
  });

  it.each([
    ['where nothing is deferred', { settings: OFF }],
    ['where the provider searches', { form: FORMS.hosted }],
  ])('makes no searcher %s', async (_, options) => {
    const { searcher, made } = preparedSearchers();
    const events: ToolboxEvent[] = [];
    const toolbox = boxWith({ searcher, onEvent: (event) => events.push(event), ...options });
    toolbox.prepare(toolbox.plan());
    await someTurns();
    expect(made).toEqual([]);
    expect(events).toEqual([]);
  });

  it.each([
    ['has the index of words built', 'text', ['search-prepare-end']],
    ['does nothing for an engine that has nothing to build', 'regex', []],
  ] as const)('%s', async (_, engine, kinds) => {
    const events: ToolboxEvent[] = [];
    const toolbox = boxWith({ searcher: createBm25Searcher, onEvent: (event) => events.push(event) });
    toolbox.prepare(toolbox.plan(undefined, { engine }));
    await someTurns();
    expect(events.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('prepares again for another catalog, and once for changes that come together', async () => {
    const { searcher, prepared } = preparedSearchers();
    let tools = sampleSnapshot();
    const toolbox = boxWith({ tools: () => tools, searcher });
    const grow = (name: string): Snapshot => {
      tools = sampleSnapshot([...tools.tools, sampleTool({ name })]);
      toolbox.prepare(toolbox.plan());
      return tools;
    };
    toolbox.prepare(toolbox.plan());
    await someTurns();
    const [first] = prepared;
    grow('list_pages');
    const last = grow('list_users');
    await someTurns();
    expect(prepared).toEqual([first, last]);
  });

  it('tells by an event how it went', async () => {
    const { searcher } = preparedSearchers();
    const events: ToolboxEvent[] = [];
    let time = 1_000;
    const now = (): number => (time += 5);
    const toolbox = boxWith({ searcher, now, onEvent: (event) => events.push(event) });
    toolbox.prepare(toolbox.plan());
    await someTurns();
    expect(events).toEqual([
      { kind: 'search-prepare-end', isError: false, toolCount: 4, durationMs: 5, atMs: expect.any(Number) },
    ]);
  });

  it.each<[string, (snapshot: Snapshot) => Searcher]>([
    ['the build', preparedSearchers(() => Promise.reject(new Error('down'))).searcher],
    ['making the searcher', failingAtFirst(preparedSearchers().searcher)],
  ])('%s failing is told by an event, and left to the next search', async (_, searcher) => {
    const events: ToolboxEvent[] = [];
    const toolbox = boxWith({ searcher, onEvent: (event) => events.push(event) });
    toolbox.prepare(toolbox.plan());
    await someTurns();
    expect(events).toMatchObject([{ kind: 'search-prepare-end', isError: true, toolCount: 4 }]);
    expect(await search(toolbox, 'channel')).toMatchObject({ found: { names: ['slack__send_message'] } });
  });
});

function failingAtFirst(make: (snapshot: Snapshot) => Searcher): (snapshot: Snapshot) => Searcher {
  let isDown = true;
  return (snapshot) => {
    if (!isDown) return make(snapshot);
    isDown = false;
    throw new Error('No model');
  };
}
