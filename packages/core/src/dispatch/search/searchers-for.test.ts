import { describe, expect, it } from 'vitest';
import { createSnapshot, type SearchText, type Snapshot } from '../../catalog/index.ts';
import { EMPTY_MEMORY, FORMS, type PlanEngine } from '../../disclosure/index.ts';
import { sampleSnapshot, sampleTool, sampleTools } from '../../disclosure/sample-tools.fixture.ts';
import { SettingError } from '../../errors.ts';
import { toyEmbedder } from '../../search/hybrid/toy-embedder.fixture.ts';
import { createBm25Searcher, createHybridSearcher, createRegexSearcher, type Searcher } from '../../search/index.ts';
import { wordSearcher } from '../../testing/index.ts';
import { boxWith } from '../call-context.fixture.ts';
import { createToolbox } from '../create-toolbox.ts';
import type { ToolboxEvent } from '../events.ts';
import type { Toolbox } from '../toolbox.ts';
import { preparedSearchers, someTurns } from './prepared-searchers.fixture.ts';

const BROKEN: Searcher = {
  ...wordSearcher(createSnapshot([])),
  search: () => Promise.reject(new Error('Not this one')),
};

async function search(toolbox: Toolbox, engine: PlanEngine, query: string): Promise<unknown> {
  const plan = toolbox.plan(undefined, { engine });
  const call = { id: 'c1', name: 'tool_search', arguments: engine === 'regex' ? { pattern: query } : { query } };
  const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY });
  return step.kind === 'answer' ? step.found : undefined;
}

describe('a search', () => {
  it('is answered by the engine of its plan, on one toolbox', async () => {
    const toolbox = boxWith({ searcher: createBm25Searcher });
    const pattern = '^create_issue$|^slack__send_message$';
    expect(await search(toolbox, 'regex', '(?i)SEND_m')).toMatchObject({ names: ['slack__send_message'] });
    expect(await search(toolbox, 'text', 'send a message')).toMatchObject({
      names: expect.arrayContaining(['slack__send_message']),
    });
    expect(await search(toolbox, 'regex', '(')).toMatchObject({ kind: 'failure', code: 'invalid_pattern' });
    expect(await search(toolbox, 'text', '(')).toMatchObject({ kind: 'search' });
    expect(await search(toolbox, 'text', pattern)).toMatchObject({ kind: 'search' });
  });

  it('needs only the searcher of its own engine', async () => {
    const regex: Searcher = { ...BROKEN, engine: 'regex' };
    expect(await search(boxWith({ regexSearcher: regex }), 'text', 'message')).toMatchObject({ kind: 'search' });
    expect(await search(boxWith({ searcher: BROKEN }), 'regex', 'message')).toMatchObject({ kind: 'search' });
    expect(await search(boxWith({ regexSearcher: regex }), 'regex', 'message')).toMatchObject({ kind: 'failure' });
    expect(await search(boxWith({ searcher: BROKEN }), 'text', 'message')).toMatchObject({ kind: 'failure' });
  });
});

describe('a value that is not a searcher', () => {
  const rejected = async (): Promise<Searcher> => {
    throw new Error('No model');
  };

  it('is refused with a sentence', () => {
    const tools = sampleSnapshot();
    const searcher = {} as Searcher;
    expect(() => createToolbox({ tools, searcher })).toThrow('The searcher, or what it returns, is not a searcher');
    const promise = rejected() as unknown as Searcher;
    expect(() => createToolbox({ tools, regexSearcher: promise })).toThrow('is a promise: await it');
  });

  it('fails the search if a function returns it, and its rejection is handled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const searcher = rejected as unknown as () => Searcher;
    expect(await search(boxWith({ searcher }), 'text', 'message')).toMatchObject({
      kind: 'failure',
      message: expect.stringContaining('is a promise: await it'),
    });
    // The loop reports an unhandled rejection after its microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a searcher in the wrong place', () => {
  it.each([
    ['searcher', createRegexSearcher],
    ['regexSearcher', createBm25Searcher],
  ] as const)('is refused as %s, with the right place', async (setting, make) => {
    const tools = sampleSnapshot();
    const right = setting === 'searcher' ? 'regexSearcher' : 'searcher';
    const wrong = new RegExp(`^The ${setting} is of the engine .*: pass it as ${right}$`);
    expect(() => createToolbox({ tools, [setting]: make(tools) })).toThrow(SettingError);
    expect(() => createToolbox({ tools, [setting]: make(tools) })).toThrow(wrong);
    const toolbox = boxWith({ [setting]: make });
    const found = await search(toolbox, setting === 'searcher' ? 'text' : 'regex', 'a');
    expect(found).toMatchObject({ kind: 'failure', message: expect.stringMatching(wrong) });
  });
});

const OFF = { rule: { kind: 'off' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;

function searchNow(toolbox: Toolbox, query: string): ReturnType<Toolbox['handle']> {
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
    const found = searchNow(toolbox, 'letter');
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

  it('reports the outcome by an event', async () => {
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
  ])('a failure of %s is reported by an event, and retried at the next search', async (_, searcher) => {
    const events: ToolboxEvent[] = [];
    const toolbox = boxWith({ searcher, onEvent: (event) => events.push(event) });
    toolbox.prepare(toolbox.plan());
    await someTurns();
    expect(events).toMatchObject([{ kind: 'search-prepare-end', isError: true, toolCount: 4 }]);
    expect(await searchNow(toolbox, 'channel')).toMatchObject({ found: { names: ['slack__send_message'] } });
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
