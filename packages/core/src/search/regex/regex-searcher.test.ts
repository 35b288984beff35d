import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Tool } from '../../catalog/index.ts';
import { PatternError, QuartermasterError } from '../../errors.ts';
import { QUERY_LIMITS } from '../query/read-request.ts';
import type { SearchRequest, SearchResult } from '../searcher.ts';
import { createRegexSearcher, type RegexSearcherOptions } from './regex-searcher.ts';

interface ToolFacts {
  readonly server?: string;
  readonly name: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

function tool({ server, name, description = '', parameters = {} }: ToolFacts): Tool {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, text]) => [key, { type: 'string', description: text }]),
  );
  return createTool({
    ...(server === undefined ? {} : { server }),
    name,
    description,
    schema: { type: 'object', properties },
  });
}

const TOOLS: readonly Tool[] = [
  tool({
    server: 'mail',
    name: 'send',
    description: 'Send a message to somebody',
    parameters: { to: 'Whom to write to' },
  }),
  tool({
    server: 'mail',
    name: 'search_messages',
    description: 'Find mail',
    parameters: { query: 'Words to look for' },
  }),
  tool({ server: 'files', name: 'read_file', description: 'Read a file', parameters: { path: 'Path of the file' } }),
  tool({
    server: 'files',
    name: 'write',
    description: 'Write a file',
    parameters: { file_path: 'Where to', body: 'What' },
  }),
  tool({ name: 'clock', description: 'Tell the time', parameters: { zone: 'Time zone of the message' } }),
];

function searcherOf(tools: readonly Tool[], options: RegexSearcherOptions = {}) {
  return createRegexSearcher(createSnapshot(tools), options);
}

async function search(request: SearchRequest, tools = TOOLS): Promise<SearchResult> {
  return searcherOf(tools).search(request);
}

async function names(request: SearchRequest, tools = TOOLS): Promise<string[]> {
  return (await search(request, tools)).hits.map((hit) => hit.tool.name);
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

describe('where a pattern is looked for', () => {
  it.each([
    ['the name that a model sees', 'mail__send', ['send']],
    ['the name that its owner wrote', '^send$', ['send']],
    ['the description', 'Tell the', ['clock']],
    ['a parameter name', '^zone$', ['clock']],
    ['a parameter description', 'Words to look', ['search_messages']],
  ])('%s', async (_, query, expected) => {
    expect(await names({ query })).toEqual(expected);
  });

  it('case counts unless the pattern says otherwise', async () => {
    expect(await names({ query: 'TELL' })).toEqual([]);
    expect(await names({ query: '(?i)TELL' })).toEqual(['clock']);
  });

  it('a character may be named, though its name is loaded first', async () => {
    const snapshot = createSnapshot([tool({ name: 'build', description: 'Build a ☃' })]);
    const { hits } = await createRegexSearcher(snapshot).search({ query: '\\N{SNOWMAN}' });
    expect(hits).toHaveLength(1);
  });

  it('a pattern never matches across two fields or two parameters', async () => {
    expect(await names({ query: '(?s)clock.+Tell' })).toEqual([]);
    expect(await names({ query: '(?s)file_path.*body' })).toEqual([]);
    expect(await names({ query: '(?s)Where to.*What' })).toEqual([]);
  });

  it('an empty pattern finds nothing', async () => {
    expect(await search({ query: '' })).toEqual({ hits: [], verdict: 'none' });
    expect(await search({ query: ['', ''] })).toEqual({ hits: [], verdict: 'none' });
    expect(await search({ query: [] })).toEqual({ hits: [], verdict: 'none' });
  });

  it('a pattern that matches the empty string finds everything, up to the limit', async () => {
    expect((await search({ query: 'x*', limit: 3 })).hits).toHaveLength(3);
  });

  it('nothing found is an answer', async () => {
    expect(await search({ query: 'kubernetes' })).toEqual({ hits: [], verdict: 'none' });
  });

  it('hostile names and lone surrogates are texts like any other', async () => {
    const tools = [
      tool({ name: 'constructor', parameters: JSON.parse('{"__proto__": "polluted"}') }),
      tool({ name: 'odd', description: 'a \ud83d b' }),
    ];
    expect(await names({ query: '^__proto__$' }, tools)).toEqual(['constructor']);
    expect(await names({ query: 'a . b' }, tools)).toEqual(['odd']);
  });
});

describe('ranking', () => {
  it('a name comes before a description, a parameter name, and a parameter description', async () => {
    const tools = [
      tool({ name: 'one', parameters: { x: 'token' } }),
      tool({ name: 'two', parameters: { token: 'x' } }),
      tool({ name: 'three', description: 'token' }),
      tool({ name: 'token' }),
    ];
    const { hits } = await search({ query: 'token' }, tools);
    expect(hits.map((hit) => hit.tool.name)).toEqual(['token', 'three', 'two', 'one']);
    expect(hits.map((hit) => hit.score)).toEqual([4.5, 3.5, 2.5, 1.5]);
  });

  it('the match that covers more of its field comes first, equals stay in catalog order', async () => {
    const tools = ['get_user_name', 'user', 'get_user', 'set_user', 'user_x'].map((name) => tool({ name }));
    expect(await names({ query: 'user' }, tools)).toEqual(['user', 'user_x', 'get_user', 'set_user', 'get_user_name']);
  });

  it('the share is that of the leftmost match, with greedy quantifiers', async () => {
    const tools = [tool({ name: 'aab' }), tool({ name: 'aaa' })];
    const { hits } = await search({ query: 'a+' }, tools);
    expect(hits.map((hit) => [hit.tool.name, hit.score])).toEqual([
      ['aaa', 4.5],
      ['aab', 4 + 2 / 3 / 2],
    ]);
  });

  it('a share counts code points', async () => {
    const { hits } = await search({ query: 'x' }, [tool({ name: 'n', description: '😀x' })]);
    expect(hits[0]?.score).toBe(3.25);
  });

  it('of a tool’s several parameters the best counts', async () => {
    const tools = [tool({ name: 'one', parameters: { user_identifier: '', user: '' } })];
    const { hits } = await search({ query: 'user' }, tools);
    expect(hits[0]?.score).toBe(2.5);
  });

  it('reads no more patterns than any other search does', async () => {
    const patterns = Array.from({ length: QUERY_LIMITS.queries }, () => 'nothing like it');
    expect(await names({ query: [...patterns, 'clock'] })).toEqual([]);
    expect(await names({ query: [...patterns.slice(1), 'clock'] })).toEqual(['clock']);
  });

  it('several patterns are served in turn, each tool once, with falling scores', async () => {
    const { hits } = await search({ query: ['_file$', 'mail', ''], limit: 4 });
    expect(hits.map((hit) => hit.tool.name)).toEqual(['read_file', 'send', 'search_messages']);
    expect(hits.map((hit) => hit.score)).toEqual([1, 1 / 2, 1 / 3]);
    expect(await names({ query: ['mail', '^mail'] })).toEqual(['send', 'search_messages']);
  });
});

describe('limits and rights', () => {
  it.each([0, 51, 1.5, -1, Number.NaN])('limit %s is refused', async (limit) => {
    const error = await errorOf(search({ query: 'a', limit }));
    expect(error).toBeInstanceOf(QuartermasterError);
    expect((error as QuartermasterError).code).toBe('invalid_limit');
  });

  it('the default limit is 5 and the greatest is 50', async () => {
    const tools = Array.from({ length: 60 }, (_, index) => tool({ name: `tool_${index}` }));
    expect((await search({ query: 'tool' }, tools)).hits).toHaveLength(5);
    expect((await search({ query: 'tool', limit: 50 }, tools)).hits).toHaveLength(50);
  });

  it('what is not allowed is not looked at', async () => {
    const read: string[] = [];
    const searcher = searcherOf(TOOLS, {
      textOf(each) {
        read.push(each.name);
        return {
          name: each.name,
          server: '',
          description: 'x',
          parameterNames: [],
          parameterDescriptions: [],
          enumValues: [],
        };
      },
    });
    const { hits } = await searcher.search({ query: 'x', allow: (each) => each.server === 'mail' });
    expect(hits.map((hit) => hit.tool.name)).toEqual(['send', 'search_messages']);
    expect(read).toEqual(['send', 'search_messages']);
  });

  it('an invalid or overlong pattern is an error with its code', async () => {
    const invalid = await errorOf(search({ query: 'a(' }));
    expect(invalid).toBeInstanceOf(PatternError);
    expect(invalid).toMatchObject({
      code: 'invalid_pattern',
      message: 'missing ), unterminated subpattern at position 1',
    });
    expect(await errorOf(search({ query: 'a'.repeat(201) }))).toMatchObject({ code: 'pattern_too_long' });
  });
});

describe('slices', () => {
  const many = Array.from({ length: 300 }, (_, index) => tool({ name: `tool_${index}`, description: 'a'.repeat(200) }));

  it('pauses between slices, and finds the same as in one go', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
    };
    const sliced = await searcherOf(many, { pause, sliceMs: 0 }).search({ query: '(?:a|aa)+$', limit: 50 });
    expect(pauses).toBeGreaterThan(many.length);
    const inOneGo = { pause, sliceMs: Number.POSITIVE_INFINITY };
    const whole = await searcherOf(many, inOneGo).search({ query: '(?:a|aa)+$', limit: 50 });
    expect(sliced).toEqual(whole);
  });

  it('also pauses while it locates a match in a long text', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
    };
    const long = tool({ name: 'long', description: `${'a'.repeat(60_000)} issue` });
    const { hits } = await searcherOf([long], { pause, sliceMs: 0 }).search({ query: '.*?issue' });
    expect(hits.map((hit) => hit.score)).toEqual([3.5]);
    expect(pauses).toBeGreaterThan(60);
  });

  it('pauses as well while it compiles a pattern of many large sets', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
    };
    const searcher = searcherOf([], { pause, sliceMs: 0 });
    const sets = Array.from({ length: 39 }, (_, index) => `[${String.fromCodePoint(0x100 + index)}-\u{10ffff}]`);
    await searcher.search({ query: `(?i)${sets.join('')}` });
    expect(pauses).toBeGreaterThan(2 * sets.length);
  });

  it('pauses as well while it asks what is allowed, and while it looks for a place far down', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
    };
    const searcher = searcherOf(many, { pause, sliceMs: 0 });
    await searcher.search({ query: 'tool', allow: () => false });
    expect(pauses).toBeGreaterThanOrEqual(many.length);
    const last = many.at(-1) as Tool;
    const [shortest] = many;
    pauses = 0;
    await searcher.explain({ query: 'tool' }, shortest as Tool);
    const near = pauses;
    pauses = 0;
    expect(await searcher.explain({ query: 'tool' }, last)).toMatchObject({ kind: 'below-limit', rank: many.length });
    expect(pauses - near).toBe(many.length - 1);
  });

  it('time decides when to pause and nothing else', async () => {
    let time = 0;
    let pauses = 0;
    const options = {
      sliceMs: 4,
      now: () => time++,
      pause: async (): Promise<void> => {
        pauses++;
      },
    };
    const slow = await searcherOf(many, options).search({ query: '(a+)\\1$', limit: 50 });
    expect(pauses).toBeGreaterThan(many.length / 4);
    pauses = 0;
    const fast = await searcherOf(many, { ...options, now: () => 0 }).search({ query: '(a+)\\1$', limit: 50 });
    expect(pauses).toBe(0);
    expect(slow).toEqual(fast);
  });

  it('other work gets its turn while a search runs', async () => {
    const order: string[] = [];
    const running = searcherOf(many, { sliceMs: 0 })
      .search({ query: 'aab' })
      .then(() => order.push('search'));
    const other = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('other');
        resolve();
      });
    });
    await Promise.all([running, other]);
    expect(order).toEqual(['other', 'search']);
  });

  it('out of budget is an error, never a part of an answer', async () => {
    const searcher = searcherOf(many, { budget: 100_000, pause: async () => undefined });
    const error = await errorOf(searcher.search({ query: '(a*)*\\1[bc]' }));
    expect(error).toBeInstanceOf(PatternError);
    expect((error as PatternError).code).toBe('out_of_budget');
  });

  it('work that is bounded at each place is answered in a catalog of any size', async () => {
    const searcher = searcherOf(many, { budget: 1_000, pause: async () => undefined });
    const { hits } = await searcher.search({ query: '(\\d)(\\d)\\1$|(.)(?!\\3)(.)\\3$', limit: 50 });
    expect(hits.slice(0, 2).map((hit) => hit.tool.name)).toEqual(['tool_101', 'tool_111']);
  });

  it('the budget is for finding tools: locating matches has a separate limit', async () => {
    const tools = Array.from({ length: 20 }, (_, index) =>
      tool({ name: `tool_${index}`, description: `${'some words '.repeat(300)}!issue` }),
    );
    const searcher = searcherOf(tools, { budget: 150_000, pause: async () => undefined });
    expect((await searcher.search({ query: '(?:\\w+\\s?)+!issue', limit: 50 })).hits).toHaveLength(20);
  });

  it('stops between slices when its signal says so', async () => {
    const controller = new AbortController();
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
      if (pauses === 3) controller.abort(new Error('enough'));
    };
    const searcher = searcherOf(many, { pause, sliceMs: 0 });
    const error = await errorOf(searcher.search({ query: 'aab', signal: controller.signal }));
    expect(error).toMatchObject({ message: 'enough' });
    expect(pauses).toBe(3);
  });

  it('does not start when its signal is aborted already', async () => {
    const error = await errorOf(search({ query: 'a', signal: AbortSignal.abort(new Error('too late')) }));
    expect(error).toMatchObject({ message: 'too late' });
  });

  it('two searches at once do not disturb each other', async () => {
    const searcher = searcherOf(many, { sliceMs: 0 });
    const [one, two] = await Promise.all([
      searcher.search({ query: 'tool_29[0-9]$', limit: 50 }),
      searcher.search({ query: '(a+)\\1$', limit: 50 }),
    ]);
    expect(one.hits.map((hit) => hit.tool.name)).toEqual(Array.from({ length: 10 }, (_, index) => `tool_29${index}`));
    expect(two.hits).toHaveLength(50);
  });
});

describe('explanations', () => {
  it('a hit explains itself when asked: which field, and how much of it', async () => {
    const { hits } = await search({ query: 'read', explain: true });
    expect(hits[0]?.explanation).toEqual({
      value: 4 + 4 / 9 / 2,
      what: 'pattern "read" in name "read_file"',
      details: [
        { value: 4, what: 'weight of a name', details: [] },
        { value: 4 / 9 / 2, what: 'half of the share covered, 4 of 9 characters', details: [] },
      ],
    });
    expect((await search({ query: 'read' })).hits[0]).not.toHaveProperty('explanation');
  });

  it('in an answer to several patterns the explanation’s value is the score', async () => {
    const { hits } = await search({ query: ['read', 'write'], explain: true });
    for (const hit of hits) expect(hit.explanation?.value).toBe(hit.score);
  });

  const [send, , readFile, write, clock] = TOOLS as [Tool, Tool, Tool, Tool, Tool];

  it('reports the rank of a tool', async () => {
    const searcher = searcherOf(TOOLS);
    expect(await searcher.explain({ query: 'file' }, readFile)).toMatchObject({ kind: 'listed', rank: 1 });
    expect(await searcher.explain({ query: 'file' }, write)).toMatchObject({ kind: 'listed', rank: 2 });
    expect(await searcher.explain({ query: 'file', limit: 1 }, write)).toMatchObject({ kind: 'below-limit', rank: 2 });
    expect(await searcher.explain({ query: 'file' }, send)).toMatchObject({ kind: 'not-matched' });
    expect(await searcher.explain({ query: '' }, send)).toEqual({ kind: 'not-matched', reason: 'The query is empty' });
    expect(await searcher.explain({ query: 'a', allow: () => false }, clock)).toEqual({ kind: 'not-allowed' });
    expect(await searcher.explain({ query: 'a' }, tool({ name: 'elsewhere' }))).toEqual({ kind: 'not-in-catalog' });
  });
});
