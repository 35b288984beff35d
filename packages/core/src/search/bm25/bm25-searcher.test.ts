import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Snapshot, type Tool, type ToolParts } from '../../catalog/index.ts';
import type { Explanation, SearchRequest } from '../searcher.ts';
import { describeSearcher } from '../searcher-contract.fixture.ts';
import { createBm25Searcher } from './bm25-searcher.ts';
import { Bm25Index } from './index/bm25-index.ts';
import { buildBm25Index } from './index/build-bm25-index.ts';

describeSearcher('bm25', (snapshot) => createBm25Searcher(snapshot));

function snapshotOf(...parts: readonly (string | ToolParts)[]): Snapshot {
  return createSnapshot(parts.map((part) => createTool(typeof part === 'string' ? { name: part } : part)));
}

async function find(
  snapshot: Snapshot,
  query: SearchRequest['query'],
  rest: Partial<SearchRequest> = {},
): Promise<string[]> {
  const { hits } = await createBm25Searcher(snapshot).search({ limit: 50, ...rest, query });
  return hits.map(({ tool }) => tool.id);
}

const OFFICE = snapshotOf(
  { server: 'mail', name: 'send_email', description: 'Sends an email message to somebody.' },
  { server: 'mail', name: 'searchMessages', description: 'Searches the mailbox for messages by subject.' },
  { server: 'Google Maps', name: 'get_route', description: 'Route between two places, in kilometres.' },
  {
    server: 'calendar',
    name: 'create_event',
    description: 'Puts an appointment into the calendar.',
    schema: {
      type: 'object',
      properties: {
        attendeeList: { type: 'array', description: 'People who are invited' },
        visibility: { enum: ['confidential', 'public'] },
      },
    },
  },
  { server: 'calendar', name: 'get_data', description: 'Gets the data of a table.' },
);

describe('what is searched', () => {
  it.each([
    ['a name', 'send email', 'mail/send_email'],
    ['a word of a camelCase name', 'messages', 'mail/searchMessages'],
    ['a server', 'google', 'Google Maps/get_route'],
    ['a description', 'kilometres', 'Google Maps/get_route'],
    ['the words of a parameter name', 'attendee', 'calendar/create_event'],
    ['a whole parameter name', 'attendeelist', 'calendar/create_event'],
    ['a parameter description', 'invited', 'calendar/create_event'],
    ['an enum value', 'confidential', 'calendar/create_event'],
    ['another form of a word', 'searching the mailboxes', 'mail/searchMessages'],
    ['a misspelt word', 'calender apointment', 'calendar/create_event'],
    ['a compound taken apart', 'mail box', 'mail/searchMessages'],
    ['words that stop lists often eat', 'get table data', 'calendar/get_data'],
    ['a chatty request', 'Hi! Can you please put an appointment into my calendar?', 'calendar/create_event'],
  ])('finds by %s', async (_, query, id) => {
    expect((await find(OFFICE, query))[0]).toBe(id);
  });

  it('finds with function words when the query has no others', async () => {
    expect(await find(snapshotOf('who_is', 'ping'), 'who')).toEqual(['who_is']);
    expect(await find(OFFICE, 'into the')).toContain('calendar/create_event');
  });

  it('finds nothing for words that no tool has, and for punctuation', async () => {
    expect(await find(OFFICE, 'xylophone')).toEqual([]);
    expect(await find(OFFICE, '?!… 🚀 ---')).toEqual([]);
  });

  it('prefers the word as it is written to another form of it', async () => {
    const snapshot = snapshotOf(
      { name: 'one', description: 'general' },
      { name: 'two', description: 'generals' },
      { name: 'three', description: 'generally' },
    );
    expect((await find(snapshot, 'generals'))[0]).toBe('two');
    expect((await find(snapshot, 'general'))[0]).toBe('one');
  });

  it.each([
    ['天气', '天气预报'],
    ['预报', '天气预报'],
    ['天', '天气预报'],
    ['天气预报', '天气预报'],
    ['データ', 'データ取得'],
    ['날씨', '날씨_예보'],
    ['cafe', 'Café'],
    ['CAFÉ', 'Café'],
    ['ｃａｆｅ', 'Café'],
    ['strasse', 'Straße'],
  ])('finds %s', async (query, name) => {
    expect((await find(snapshotOf('天气预报', 'データ取得', '날씨_예보', 'Café', 'Straße', 'other'), query))[0]).toBe(
      name,
    );
  });

  it('answers a word that every tool has', async () => {
    const tools = Array.from({ length: 300 }, (_, number) => ({
      name: `github_action_${number}`,
      description: 'A github tool.',
    }));
    const hits = await find(snapshotOf(...tools), 'github', { limit: 5 });
    expect(hits).toHaveLength(5);
    const { hits: scored } = await createBm25Searcher(snapshotOf(...tools)).search({ query: 'github' });
    expect(scored.every(({ score }) => score > 0)).toBe(true);
  });

  it('finds a literal part of a name when no word is known', async () => {
    const snapshot = snapshotOf('kubernetes_pods', 'supercalifragilistic', 'list_files');
    expect(await find(snapshot, 'califrag')).toEqual(['supercalifragilistic']);
    expect(await find(snapshot, 'ernetes_po')).toEqual(['kubernetes_pods']);
  });
});

describe('names', () => {
  const CROWD = createSnapshot([
    ...Array.from({ length: 2_000 }, (_, number) =>
      createTool({
        server: 'bank',
        name: `get_accounts_${['by', 'for', 'with', 'from'][number % 4]}_${number}`,
        description: 'Get accounts. Accounts are got: get accounts of get accounts.',
      }),
    ),
    createTool({ server: 'bank', name: 'get_accounts', description: 'Everything, in pages.' }),
    createTool({ server: 'bank', name: 'list_users', description: 'Pages.' }),
    createTool({ name: 'math.factorial', description: 'Product.' }),
  ]);

  it.each([
    'get_accounts',
    'GET_ACCOUNTS',
    'GetAccounts',
    'get-accounts',
    'get accounts',
    '`get_accounts`',
    '"get_accounts"',
    "'getAccounts'.",
    'bank/get_accounts',
    'bank__get_accounts',
    'mcp__bank__get_accounts',
    'Bank.GetAccounts',
    'bank get accounts',
    'use get_accounts for the first page',
  ])('puts the tool that %j names before 2,000 longer siblings', async (query) => {
    expect((await find(CROWD, query, { limit: 5 }))[0]).toBe('bank/get_accounts');
  });

  it('puts a short name before longer ones among other words too', async () => {
    expect((await find(CROWD, 'get all accounts', { limit: 5 }))[0]).toBe('bank/get_accounts');
  });

  it.each([
    ['list_users, get_accounts', ['bank/list_users', 'bank/get_accounts']],
    ['get_accounts list_users', ['bank/get_accounts', 'bank/list_users']],
    ['list users and get accounts', ['bank/list_users', 'bank/get_accounts']],
    ['first call list_users, after that `get_accounts`', ['bank/list_users', 'bank/get_accounts']],
    ['math.factorial listUsers', ['math.factorial', 'bank/list_users']],
  ])('puts all names of %j first, in order', async (query, ids) => {
    expect((await find(CROWD, query, { limit: 5 })).slice(0, 2)).toEqual(ids);
  });

  it('knows a name that begins with its server, as clients declare it', async () => {
    const snapshot = snapshotOf('github__create_issue', 'jira__create_issue', 'mcp__gitlab__create_issue');
    expect(await find(snapshot, 'select:jira__create_issue')).toEqual(['jira__create_issue']);
    expect((await find(snapshot, 'call mcp__gitlab__create_issue'))[0]).toBe('mcp__gitlab__create_issue');
    expect(await find(snapshot, 'githu')).toEqual(['github__create_issue']);
  });

  it('knows the name that a model sees, suffix and all', async () => {
    const factorial = CROWD.get('math.factorial') as Tool;
    const modelName = CROWD.modelName(factorial);
    expect(modelName).toMatch(/^math_factorial_/);
    expect((await find(CROWD, modelName))[0]).toBe('math.factorial');
    expect((await find(CROWD, modelName.toUpperCase()))[0]).toBe('math.factorial');
  });

  it('puts the tool that is written exactly so before its look-alikes', async () => {
    const snapshot = snapshotOf('getMe', 'get_me', 'Get-Me');
    expect(await find(snapshot, 'get_me')).toEqual(['get_me', 'getMe', 'Get-Me']);
    expect((await find(snapshot, 'Get-Me'))[0]).toBe('Get-Me');
  });

  it('does not treat a plain word of a sentence as a name', async () => {
    const snapshot = snapshotOf('search', { name: 'find_flights', description: 'Search cheap flights to a city.' });
    expect((await find(snapshot, 'search for cheap flights to Rome'))[0]).toBe('find_flights');
    expect((await find(snapshot, 'search'))[0]).toBe('search');
  });

  it('finds a name without letters by itself', async () => {
    expect(await find(snapshotOf('🚀', 'launch'), '🚀')).toEqual(['🚀']);
  });

  it('is first for any name of any catalog, in any spelling', async () => {
    const anyName = fc.stringMatching(/^[a-z]{1,6}((__|--|[_.-])[a-z0-9]{1,6}){0,3}$/);
    const mangle = fc.constantFrom<(name: string) => string>(
      (name) => name,
      (name) => name.toUpperCase(),
      (name) => name.replaceAll(/[_.-]/g, '-'),
      (name) => name.replaceAll(/[_.-]/g, ' '),
      (name) => name.replaceAll(/[_.-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      (name) => `\`${name}\``,
      (name) => ` "${name}" `,
      (name) => `${name}!`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyName, { minLength: 1, maxLength: 30, selector: (name) => name.replaceAll(/[_.-]/g, '') }),
        fc.nat(),
        mangle,
        async (names, pick, change) => {
          const name = names[pick % names.length] as string;
          expect((await find(snapshotOf(...names), change(name)))[0]).toBe(name);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('operators', () => {
  it('loads exactly what select names, in its order', async () => {
    expect(await find(OFFICE, 'select:get_route,send_email')).toEqual(['Google Maps/get_route', 'mail/send_email']);
    expect(await find(OFFICE, 'select: GetRoute , nonsense')).toEqual(['Google Maps/get_route']);
    expect(await find(OFFICE, 'select:calendar/get_data')).toEqual(['calendar/get_data']);
  });

  it('treats select as words if it names nothing', async () => {
    expect(await find(OFFICE, 'select:appointment')).toEqual(['calendar/create_event']);
  });

  it('select does not load hidden tools', async () => {
    expect(await find(OFFICE, 'select:send_email', { allow: (tool) => tool.name !== 'send_email' })).not.toContain(
      'mail/send_email',
    );
  });

  it('requires a word with a plus', async () => {
    expect(await find(OFFICE, '+email message')).toEqual(['mail/send_email']);
    expect(await find(OFFICE, 'message +emails')).toEqual(['mail/send_email']);
  });

  it('treats a required word that no tool has as a plain one', async () => {
    expect(await find(OFFICE, '+xylophone message')).toContain('mail/searchMessages');
  });

  it.each(['server:calendar', 'server:CALENDAR', 'server:"calendar"'])(
    'narrows to a server with %s',
    async (operator) => {
      const found = await find(OFFICE, `${operator} message data appointment`);
      expect([...found].sort()).toEqual(['calendar/create_event', 'calendar/get_data']);
    },
  );

  it('knows servers with spaces, and lists a server when nothing else is asked', async () => {
    expect(await find(OFFICE, 'server:"google maps" message route')).toEqual(['Google Maps/get_route']);
    expect([...(await find(OFFICE, 'server:calendar'))].sort()).toEqual(['calendar/create_event', 'calendar/get_data']);
  });

  it('treats a server that does not exist as words', async () => {
    expect((await find(OFFICE, 'server:appointment'))[0]).toBe('calendar/create_event');
  });
});

describe('operators that nothing answers to', () => {
  it.each<[SearchRequest['query'], string[] | undefined]>([
    ['server:nope email', ['server:nope']],
    ['+zzzz email', ['+zzzz']],
    ['select:nope', ['select:nope']],
    ['server:mail +email', undefined],
    ['select:send_email,nope', undefined],
    ['send an email', undefined],
    [
      ['email server:nope', 'zzzz +qqqq', 'server:mail email', 'server:nope data'],
      ['server:nope', '+qqqq'],
    ],
    ['select:nope server:mail', ['select:nope']],
  ])('%j', async (query, unresolved) => {
    expect((await createBm25Searcher(OFFICE).search({ query })).unresolved).toEqual(unresolved);
  });

  it('are the same for a server that is hidden and for one that does not exist', async () => {
    const allow = (tool: Tool): boolean => tool.server !== 'mail';
    const { unresolved } = await createBm25Searcher(OFFICE).search({ query: 'server:mail data', allow });
    expect(unresolved).toEqual(['server:mail']);
  });
});

describe('explanations', () => {
  const queries = ['send email', 'mail/send_email', 'the calendar appointment', 'calender', 'xyz get data', 'ppointm'];

  it.each(queries)('take the score of %j apart without a rest', async (query) => {
    const { hits } = await createBm25Searcher(OFFICE).search({ query, explain: true });
    for (const { explanation, score } of hits) {
      expect(explanation?.value).toBe(score);
      expectParts(explanation as Explanation);
    }
  });

  it('name the fields of a term', async () => {
    const { hits } = await createBm25Searcher(OFFICE).search({ query: 'calendar appointment', explain: true });
    const text = JSON.stringify(hits[0]?.explanation);
    expect(text).toContain('term \\"appointment\\"');
    expect(text).toContain('description: 1 ×');
    expect(text).toContain('server: 1 ×');
  });

  it.each([
    ['select:send_email', 'The query selects other tools by name'],
    ['server:mail data', 'It is not a tool of the server "mail"'],
    ['+email data', 'It does not have the required word "email"'],
    ['message', 'It has no word of the query'],
    ['...', 'The query has no words'],
  ])('say for %j why a tool is missing', async (query, reason) => {
    const tool = OFFICE.get('calendar/get_data') as Tool;
    expect(await createBm25Searcher(OFFICE).explain({ query }, tool)).toEqual({ kind: 'not-matched', reason });
  });
});

describe('bounds', () => {
  it.each([
    ['as many words as there may be', 'email '.repeat(682)],
    ['one huge word', 'e'.repeat(4_096)],
    ['lone surrogates', '\ud800 email \udc00'],
    ['names of object members', '__proto__ constructor toString email'],
    ['nested quotes', `${'"`\'“'.repeat(1_000)} email`],
    ['operators without end', '+ server: select: email '.repeat(170)],
  ])('takes %s', async (_, query) => {
    const { hits } = await createBm25Searcher(OFFICE).search({ query });
    expect(hits.length).toBeLessThanOrEqual(5);
  });

  it('accepts any query and never repeats a tool', async () => {
    const searcher = createBm25Searcher(OFFICE);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), async (query) => {
        const { hits } = await searcher.search({ query, explain: true });
        expect(new Set(hits.map(({ tool }) => tool.id)).size).toBe(hits.length);
      }),
      { numRuns: 200 },
    );
  });

  it('uses an index that was built elsewhere, and refuses one of other tools', async () => {
    const index = new Bm25Index(structuredClone(buildBm25Index(OFFICE.tools).data));
    const { hits } = await createBm25Searcher(OFFICE, { index }).search({ query: 'appointment' });
    expect(hits[0]?.tool.id).toBe('calendar/create_event');
    expect(() => createBm25Searcher(snapshotOf('one'), { index })).toThrow(
      expect.objectContaining({ code: 'invalid_index' }),
    );
  });
});

/** Values that are sums or products of their details have to be that. */
function expectParts(explanation: Explanation): void {
  const [first, second, third] = explanation.details.map(({ value }) => value);
  if (explanation.what === 'terms × name + bigrams') {
    expect(explanation.value).toBeCloseTo((first ?? 0) * (second ?? 0) + (third ?? 0), 9);
  } else if (explanation.what === 'sum of the terms' || explanation.what === 'named by the query') {
    expect(explanation.value).toBeCloseTo(
      explanation.details.reduce((sum, { value }) => sum + value, 0),
      6,
    );
  } else if (explanation.what.startsWith('term "')) {
    expect(explanation.value).toBeCloseTo((first ?? 0) * (second ?? 0), 9);
  }
  for (const detail of explanation.details) {
    expectParts(detail);
  }
}

describe('a query of which no word is known', () => {
  it('finds names that contain it without reading any tool: a catalog may have a hundred thousand', async () => {
    let reads = 0;
    const tools = Array.from({ length: 500 }, (_, at) => {
      const name = `kubernetes_pods_${at}`;
      return Object.defineProperty({ ...createTool({ name }) }, 'name', {
        enumerable: true,
        get() {
          reads += 1;
          return name;
        },
      });
    });
    const searcher = createBm25Searcher(createSnapshot(tools));
    await searcher.prepare?.();
    reads = 0;
    const { hits } = await searcher.search({ query: 'bernetespo', limit: 3 });
    expect(hits).toHaveLength(3);
    expect(reads).toBe(0);
  });
});
