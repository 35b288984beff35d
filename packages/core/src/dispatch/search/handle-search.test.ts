import { describe, expect, it, vi } from 'vitest';
import { createSnapshot, createTool, type Snapshot, type Tool } from '../../catalog/index.ts';
import { EMPTY_MEMORY, readTold, remember } from '../../disclosure/index.ts';
import { manyTools, sampleSnapshot, sampleTool, sampleTools } from '../../disclosure/sample-tools.fixture.ts';
import { PatternError } from '../../errors.ts';
import type { Searcher } from '../../search/index.ts';
import { wordSearcher } from '../../testing/index.ts';
import { boxWith, handle, namesFound, textOf } from '../call-context.fixture.ts';
import type { Caller } from '../toolbox.ts';
import type { ToolboxOptions } from '../toolbox-options.ts';

describe('a search', () => {
  it('finds deferred tools, and reports them', async () => {
    const step = await handle('tool_search', { query: 'issue' });
    expect(step).toMatchObject({
      kind: 'answer',
      found: { kind: 'search', queries: ['issue'], names: ['github__create_issue', 'github__close_issue'] },
    });
    expect(step.kind === 'answer' && JSON.parse(step.text).matches).toHaveLength(2);
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      'query and queries together',
      { query: 'message', queries: ['opens'] },
      ['github__create_issue', 'slack__send_message'],
    ],
    ['a single text under queries', { queries: 'message' }, ['slack__send_message']],
    ['a list under query', { query: ['message'] }, ['slack__send_message']],
    ['a list written as JSON', { queries: '["message"]' }, ['slack__send_message']],
    ['arguments as a JSON string', '{"query":"message"}', ['slack__send_message']],
    ['arguments as a JSON string in a string', '"{\\"query\\":\\"message\\"}"', ['slack__send_message']],
    ['arguments in a code fence', '```json\n{"query":"message"}\n```', ['slack__send_message']],
    ['pattern for query', { pattern: 'message' }, ['slack__send_message']],
  ])('understands %s', async (_, input, names) => {
    expect([...(await namesFound(input))].sort()).toEqual(names);
  });

  it('lets others run while the nearest sources are looked for in a large catalog', async () => {
    const toolbox = boxWith({ tools: createSnapshot(manyTools(5_000)) });
    const plan = toolbox.plan();
    // Every look at the clock ends a slice.
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 5));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'zeppelin' } };
    const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY }).finally(() => {
      isOver = true;
      clock.mockRestore();
    });
    expect(step.kind === 'answer' && step.text).toContain('Nearest sources: server_0 (500)');
    expect(turns).toBeGreaterThan(10);
  });

  it('answers several queries one by one: which tools are for which, and which nothing fits', async () => {
    const step = await handle('tool_search', { queries: ['opens', 'message', 'zeppelin'], limit: 1 });
    const told = step.kind === 'answer' ? JSON.parse(step.text) : {};
    expect(told.matches).toEqual([
      'github__create_issue(text: string): Opens an issue',
      expect.stringMatching(/^slack__send_message\(/),
    ]);
    expect(told.answers).toEqual({
      opens: ['github__create_issue'],
      message: ['slack__send_message'],
      zeppelin: [],
    });
    expect(told.hint).toMatch(/^No tool fits "zeppelin"\./);
    expect(JSON.parse(await textOf('tool_search', { query: 'opens' }))).not.toHaveProperty('answers');
  });

  describe('with a memory of use', () => {
    const searcher: Searcher = { ...wordSearcher(sampleSnapshot()), engine: 'hybrid' };
    const remembering = (bonuses: Readonly<Record<string, number>>) => {
      const noted: unknown[] = [];
      const uses: ToolboxOptions['uses'] = {
        recall: (query, { id }) =>
          id === 'anna' && query === 'issue'
            ? new Map(Object.entries(bonuses).map(([tool, points]) => [tool, { points, isAskedAlike: false }]))
            : undefined,
        note: ({ query, tools }, { id }) => noted.push([id, query, tools.map(({ name }) => name)]),
      };
      return { uses, noted };
    };

    it('orders what its caller has used by use, and records what was reported', async () => {
      const { uses, noted } = remembering({ 'github/create_issue': 0, 'github/close_issue': 9 });
      const options = { searcher, uses };
      expect(await namesFound({ query: 'issue' }, { options, caller: { id: 'anna' } })).toEqual([
        'github__close_issue',
        'github__create_issue',
      ]);
      expect(noted).toEqual([['anna', 'issue', ['github__close_issue', 'github__create_issue']]]);
    });

    it('gives the last place to a tool that is called along with one above it, if the caller may see it', async () => {
      const tools = createSnapshot([...manyTools(9), createTool({ name: 'sign_in' })]);
      const companion = { tool: 'sign_in', share: 1 };
      const uses: ToolboxOptions['uses'] = {
        recall: () => new Map(tools.tools.map(({ id }) => [id, { points: 0, isAskedAlike: false, companion }])),
        note: () => undefined,
      };
      const options = { tools, uses, searcher: { ...wordSearcher(tools), engine: 'hybrid' as const } };
      const found = (caller: Caller) => namesFound({ query: 'thing' }, { options, caller });
      expect((await found({ id: 'anna' })).at(-1)).toBe('sign_in');
      const hidden = await found({ id: 'anna', allow: ({ name }) => name !== 'sign_in' });
      expect(hidden).toHaveLength(5);
      expect(hidden).not.toContain('sign_in');
    });

    it('moves nothing for another caller', async () => {
      const { uses } = remembering({ 'github/create_issue': 0, 'github/close_issue': 9 });
      expect(await namesFound({ query: 'issue' }, { options: { searcher, uses }, caller: { id: 'ben' } })).toEqual([
        'github__create_issue',
        'github__close_issue',
      ]);
    });
  });

  it.each<[unknown, number]>([
    [undefined, 5],
    [3, 3],
    ['4', 4],
    [0, 1],
    [-7, 1],
    [1_000, 20],
    ['many', 5],
    [Number.NaN, 5],
  ])('with limit %j returns %i', async (limit, count) => {
    const options = { tools: createSnapshot(manyTools(60)) };
    expect(await namesFound({ query: 'thing', limit }, { options })).toHaveLength(count);
  });

  it.each([{}, { query: '' }, { query: '  ' }, { queries: [] }, { query: 7 }])(
    'asks for a query when there is none: %j',
    async (input) => {
      expect(await handle('tool_search', input)).toMatchObject({
        isError: true,
        found: { kind: 'failure', code: 'invalid_arguments' },
        text: '{"error":"invalid_arguments","message":"tool_search needs query: what to look for"}',
      });
    },
  );

  it('finds a stub by what its cut description does not show', async () => {
    const description = `Opens an issue. ${'Needs a repository. '.repeat(20)}Never on zeppelins.`;
    const tools = sampleSnapshot([...sampleTools(), sampleTool({ name: 'open', description })]);
    const toolbox = boxWith({ tools, form: 'stub' });
    expect(toolbox.plan().definitions.at(-1)?.description).toMatch(/^Opens [^Z]* …$/i);
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'zeppelins' } };
    const step = await toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(step.kind === 'answer' && JSON.parse(step.text).matches).toMatchObject([{ name: 'open', description }]);
  });

  it('does not return what is in the list already, nor what search may not return', async () => {
    expect(await namesFound({ query: 'file' })).toEqual([]);
    const options: Partial<ToolboxOptions> = { form: 'stub', isSearchable: (tool: Tool) => tool.server !== 'slack' };
    expect(await namesFound({ query: 'message' }, { options })).toEqual([]);
  });

  it('reveals nothing when nothing fits, though the engine names what came nearest', async () => {
    const inner = wordSearcher(sampleSnapshot());
    const searcher: Searcher = {
      ...inner,
      search: async (request) => ({ ...(await inner.search(request)), verdict: 'none' }),
    };
    expect(await namesFound({ query: 'issue' }, { options: { searcher } })).toEqual([]);
  });

  it("tells of an invalid pattern, and keeps a stranger's error to itself", async () => {
    const failing = (error: Error): Partial<ToolboxOptions> => ({
      searcher: { ...wordSearcher(sampleSnapshot()), search: () => Promise.reject(error) },
    });
    const ours = new PatternError('invalid_pattern', 'Pattern "(" lacks a )');
    expect(await handle('tool_search', { query: '(' }, { options: failing(ours) })).toMatchObject({
      text: '{"error":"invalid_pattern","message":"Pattern \\"(\\" lacks a )"}',
      isError: true,
    });
    expect(await textOf('tool_search', { query: 'x' }, { options: failing(new Error('password=1234')) })).not.toContain(
      '1234',
    );
  });

  it('is not run for a model that goes round in circles', async () => {
    let searches = 0;
    const inner = wordSearcher(sampleSnapshot());
    const searcher: Searcher = {
      ...inner,
      search(request) {
        searches += 1;
        return inner.search(request);
      },
    };
    let memory = EMPTY_MEMORY;
    for (let count = 0; count < 3; count += 1)
      memory = remember(memory, { kind: 'searched', queries: ['issue'], names: ['x'] });
    expect(await textOf('tool_search', { query: 'issue' }, { options: { searcher }, memory })).toContain(
      'Do not search again',
    );
    expect(searches).toBe(0);
  });

  it('is known by its name with spaces around it', async () => {
    expect(await textOf(' tool_search ', { query: 'issue' })).toContain('github__create_issue');
  });

  it('that could not be run is remembered as one that found nothing', async () => {
    const toolbox = boxWith({
      searcher: { ...wordSearcher(sampleSnapshot()), search: () => Promise.reject(new Error('down')) },
    });
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'issue' } };
    const { memory } = await toolbox.answer({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(memory.searches).toEqual([{ query: 'issue', found: 0, movesBefore: 0 }]);
  });

  it('names near-duplicates that were folded, except those that the caller may not use', async () => {
    const snapshot = sampleSnapshot();
    const [, create, close, send] = snapshot.tools;
    if (create === undefined || close === undefined || send === undefined) throw new Error('The sample is too small');
    const hits = [{ tool: create, score: 1, also: [close, send] }];
    const searcher: Searcher = { ...wordSearcher(snapshot), search: async () => ({ hits, verdict: 'match' }) };
    const ask = { options: { tools: snapshot, searcher }, caller: { allow: (tool: Tool) => tool.server !== 'slack' } };
    const answer = JSON.parse(await textOf('tool_search', { query: 'issue' }, ask));
    expect(answer.matches[0]).toMatch(/ \(also: github__close_issue\)$/);
  });

  it('survives a catalog that changes while it runs', async () => {
    let tools = sampleSnapshot();
    const inner = wordSearcher(tools);
    const toolbox = boxWith({
      tools: () => tools,
      searcher: {
        ...inner,
        async search(request) {
          const result = await inner.search(request);
          tools = sampleSnapshot(sampleTools().filter((tool) => tool.name !== 'create_issue'));
          return result;
        },
      },
    });
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'issue' } };
    const step = await toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(step.kind === 'answer' && readTold(step.text)).toEqual(['github__close_issue']);
  });

  it('names servers that are down', async () => {
    const options = { unavailable: () => [{ server: 'jira', reason: 'timed out' }] };
    expect(await textOf('tool_search', { query: 'zzz' }, { options })).toContain(
      '{"server":"jira","reason":"timed out"}',
    );
  });

  it('names a server that came up while it was searched without it', async () => {
    let down = [{ server: 'jira', reason: 'still starting' }];
    const searcher = (snapshot: Snapshot): Searcher => {
      const inner = wordSearcher(snapshot);
      return {
        ...inner,
        search(request) {
          down = [];
          return inner.search(request);
        },
      };
    };
    const text = await textOf('tool_search', { query: 'zzz' }, { options: { searcher, unavailable: () => down } });
    expect(text).toContain('{"server":"jira","reason":"still starting"}');
  });

  it('throws the reason of an aborted signal', async () => {
    const toolbox = boxWith();
    const signal = AbortSignal.abort(new Error('enough'));
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'x' } };
    await expect(toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY, signal })).rejects.toThrow(
      'enough',
    );
  });
});
