import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Snapshot, type Tool } from '../../catalog/index.ts';
import { runToEnd } from '../../slices.ts';
import { EMPTY_MEMORY, type Fact, type Memory, remember } from '../memory.ts';
import { FORMS, type Form } from '../plan/form.ts';
import { makeDeferPlan } from '../plan/make-plan.ts';
import type { DeferPlan } from '../plan/plan.ts';
import { manyTools, sampleSnapshot, sampleTool } from '../sample-tools.fixture.ts';
import type { Found } from './found.ts';
import { utf8Length } from './match-levels.ts';
import { ANSWER_DEFAULTS, readTold, type TellQuestion, tell } from './tell.ts';

interface Ask extends Partial<Omit<TellQuestion, 'plan' | 'found'>> {
  readonly form?: Form;
  readonly describe?: boolean;
}

function told(found: Found, ask: Ask = {}): string {
  const {
    form = FORMS.bridge,
    describe: hasDescribe,
    snapshot = sampleSnapshot(),
    before = EMPTY_MEMORY,
    ...rest
  } = ask;
  return tell({ plan: planFor(snapshot, form, hasDescribe), snapshot, found, before, ...rest });
}

function planFor(snapshot: Snapshot, form: Form, hasDescribe?: boolean): DeferPlan {
  return runToEnd(
    makeDeferPlan({
      snapshot,
      tools: snapshot.tools,
      reason: 'test',
      toolTokens: () => 1,
      countTokens: (text) => text.length,
      form,
      deferred: new Set(snapshot.tools.map((tool) => tool.id)),
      describe: hasDescribe,
    }),
  );
}

const search = (...names: string[]): Found => ({ kind: 'search', queries: ['issue'], names });
const describeNames = (...names: string[]): Found => ({ kind: 'describe', names });
const SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function searched(...queries: readonly [string, number][]): Memory {
  return queries.reduce(
    (memory, [query, found]) =>
      remember(memory, {
        kind: 'searched',
        queries: [query],
        names: Array.from({ length: found }, (_, index) => `t${index}`),
      }),
    EMPTY_MEMORY,
  );
}

describe('tell', () => {
  it.each([FORMS.stub, FORMS.bridge])('gives examples of the input with the parameters', (form) => {
    const tool = { ...sampleTool({ name: 'send_mail' }), extras: { examples: [{ text: 'Hi' }, {}] } };
    const snapshot = createSnapshot([tool]);
    const answer = told(search('send_mail'), { form, describe: false, snapshot });
    expect(JSON.parse(answer).matches).toMatchObject([{ name: 'send_mail', examples: [{ text: 'Hi' }] }]);
  });

  it('answers a bridge search with signatures', () => {
    expect(JSON.parse(told(search('github__create_issue')))).toEqual({
      matches: ['github__create_issue(text: string): Opens an issue'],
    });
  });

  it('gives fields to a name that would be cut short in a line', () => {
    const snapshot = createSnapshot(['a b', 'c(d)', 'e:f', 'g'].map((name) => sampleTool({ name, description: '' })));
    const names = snapshot.tools.map((tool) => snapshot.modelName(tool));
    for (const form of [FORMS.bridge, FORMS.load]) {
      const answer = told(search(...names), { form, snapshot });
      expect(readTold(answer)).toEqual(names);
      expect(JSON.parse(answer).matches.map((match: unknown) => typeof match)).toEqual(
        names.map((name) => (/[\s(:]/.test(name) ? 'object' : 'string')),
      );
    }
  });

  it('answers with full parameters if nothing else would provide them', () => {
    expect(JSON.parse(told(search('github__create_issue'), { form: FORMS.stub }))).toEqual({
      matches: [{ name: 'github__create_issue', parameters: SCHEMA }],
    });
    expect(JSON.parse(told(search('github__create_issue'), { describe: false }))).toEqual({
      matches: [
        { name: 'github__create_issue', description: 'Opens an issue. Needs a repository.', parameters: SCHEMA },
      ],
    });
  });

  it.each([
    ['stub', { form: FORMS.stub }],
    ['bridge without descriptions', { form: FORMS.bridge, describe: false }],
  ])('does not repeat a schema that the conversation has: %s', (_, ask) => {
    const name = 'github__create_issue';
    const fact: Fact = { kind: 'searched', queries: ['issue'], names: [name] };
    const match = (before: Memory): unknown => JSON.parse(told(search(name), { ...ask, before })).matches[0];
    expect(match(EMPTY_MEMORY)).toHaveProperty('parameters', SCHEMA);
    expect(match(remember(EMPTY_MEMORY, fact))).toBe(`${name}(text: string): Opens an issue`);
  });

  it('returns the whole description of a shortened stub, within the budget', () => {
    const long = 'Opens an issue. '.repeat(100).trimEnd();
    const snapshot = sampleSnapshot([sampleTool({ name: 'open', description: long }), sampleTool({ name: 'close' })]);
    const ask = { form: FORMS.stub, snapshot };
    expect(JSON.parse(told(search('open', 'close'), ask))).toEqual({
      matches: [
        { name: 'open', description: long, parameters: SCHEMA },
        { name: 'close', parameters: SCHEMA },
      ],
    });
    const [cut] = JSON.parse(told(search('open'), { ...ask, budget: { searchBytes: 1_300 } })).matches;
    expect(cut).toEqual({ name: 'open', description: `${long.slice(0, 999)}…`, parameters: SCHEMA });
    const [bare] = JSON.parse(told(search('open'), { ...ask, budget: { searchBytes: 300 } })).matches;
    expect(bare).toEqual({ name: 'open', parameters: SCHEMA });
  });

  it('returns the description of a tool that has no stub yet', () => {
    const planned = sampleSnapshot();
    const later = sampleSnapshot([...planned.tools, sampleTool({ name: 'list_pages', description: 'Lists pages.' })]);
    const plan = planFor(planned, FORMS.stub);
    const answer = tell({ plan, snapshot: later, found: search('list_pages'), before: EMPTY_MEMORY });
    expect(JSON.parse(answer).matches).toEqual([
      { name: 'list_pages', description: 'Lists pages.', parameters: SCHEMA },
    ]);
  });

  it('answers with names only if the definitions arrive separately', () => {
    expect(JSON.parse(told(search('github__create_issue'), { form: FORMS.load }))).toEqual({
      matches: ['github__create_issue'],
    });
  });

  it("renders a client's references as the functions that its model was promised", () => {
    expect(told(search('github__close_issue'), { form: FORMS.client })).toBe(
      `<functions>\n<function>${JSON.stringify({ description: 'Closes an issue.', name: 'github__close_issue', parameters: SCHEMA })}</function>\n</functions>`,
    );
    expect(told(search(), { form: FORMS.client })).toBe('No matching deferred tools found');
  });

  it('describes one tool, or several, and names what does not exist', () => {
    const one = { name: 'github__close_issue', description: 'Closes an issue.', parameters: SCHEMA };
    expect(JSON.parse(told(describeNames('github__close_issue')))).toEqual(one);
    expect(JSON.parse(told(describeNames('github__close_issue', 'nope')))).toEqual({ tools: [one], unknown: ['nope'] });
  });

  it('a miss names the servers of tools that a client has named mcp__server__tool', () => {
    const named = ['github', 'github', 'github', 'my_mail', 'my_mail', 'my_mail'].map((server, at) =>
      createTool({ name: `mcp__${server}__do_${at}`, description: 'Does something', schema: {} }),
    );
    const snapshot = createSnapshot(named);
    expect(told({ kind: 'search', queries: ['fly'], names: [] }, { snapshot })).toContain(
      'Nearest sources: mcp__github__* (3), mcp__my_mail__* (3).',
    );
  });

  it('a miss names the nearest sources and how to ask again', () => {
    const answer = JSON.parse(told({ kind: 'search', queries: ['github releases'], names: [] }));
    expect(answer.matches).toEqual([]);
    expect(answer.hint).toBe(
      'No tool fits "github releases". Nearest sources: github (2). Ask again with other words, one capability at a time, or with a source\'s name.',
    );
    expect(JSON.parse(told({ kind: 'search', queries: ['zzz'], names: [] })).hint).toContain(
      'Nearest sources: github (2), slack (1).',
    );
  });

  it('a miss names tools without a server by their common prefix, and no source if there is none', () => {
    const named = (names: readonly string[]): Snapshot => createSnapshot(names.map((name) => createTool({ name })));
    const missed: Found = { kind: 'search', queries: ['zeppelin'], names: [] };
    const prefixes = ['billing', 'mail', 'git'].flatMap((prefix) => [1, 2, 3].map((count) => `${prefix}_do_${count}`));
    expect(told(missed, { snapshot: named([...prefixes, 'git_do_4', 'single_tool']) })).toContain(
      "Nearest sources: git_* (4), billing_* (3), mail_* (3). Ask again with other words, one capability at a time, or with a source's name.",
    );
    expect(told({ ...missed, queries: ['mails'] }, { snapshot: named(prefixes) })).toContain('sources: mail_* (3).');
    expect(told(missed, { snapshot: named(['one', 'two']) })).toContain('one capability at a time."');
  });

  it('a miss names no source that the caller may not use', () => {
    const allow = (tool: Tool): boolean => tool.server !== 'github';
    const answer = told({ kind: 'search', queries: ['github'], names: [] }, { allow });
    expect(answer).not.toContain('github (');
    expect(answer).toContain('slack (1)');
  });

  it('names servers that are down, with the reason, and near-duplicates that were folded', () => {
    const answer = JSON.parse(
      told({
        kind: 'search',
        queries: ['issue'],
        names: ['github__create_issue'],
        also: [{ name: 'github__close_issue', of: 'github__create_issue' }],
        unavailable: [{ server: 'jira', reason: 'connection refused' }],
      }),
    );
    expect(answer.matches).toEqual(['github__create_issue(text: string): Opens an issue (also: github__close_issue)']);
    expect(answer.unavailable).toEqual([{ server: 'jira', reason: 'connection refused' }]);
  });

  it('names what is suspicious about the tools that it reports, and nothing else', () => {
    const findings = ({ name }: Tool): readonly string[] =>
      name === 'create_issue' ? ['instruction', 'instruction'] : [];
    const answer = JSON.parse(told(search('github__create_issue', 'github__close_issue'), { findings }));
    expect(answer.findings).toEqual({ github__create_issue: ['instruction'] });
    expect(answer.hint).toMatch(/^Tools with findings have suspicious definitions/);
    expect(JSON.parse(told(search('github__close_issue'), { findings }))).toEqual({ matches: [expect.any(String)] });
    expect(JSON.parse(told(describeNames('github__create_issue'), { findings }))).toMatchObject({
      tools: [{ name: 'github__create_issue', parameters: SCHEMA }],
      findings: answer.findings,
    });
  });

  it('says what is down instead of asking for other words if the caller has no tool at all', () => {
    const found = { ...search(), unavailable: [{ server: 'jira', reason: 'connection refused' }] };
    const hint = (ask: Ask): string => JSON.parse(told(found, ask)).hint;
    const nothing = /^No tool can be found now, because the servers are not available/;
    expect(hint({ snapshot: createSnapshot([]) })).toMatch(nothing);
    expect(hint({ allow: () => false })).toMatch(nothing);
    expect(hint({})).toMatch(/^No tool fits "issue"\./);
    expect(JSON.parse(told(search(), { snapshot: createSnapshot([]) })).hint).toMatch(/^No tool fits "issue"\./);
  });

  it('names the same tool at other servers even if a client has kept only names', () => {
    const send = (server: string): Tool => sampleTool({ name: 'send', server, description: 'Sends a mail.' });
    const snapshot = sampleSnapshot(['work', 'home', 'club', 'void'].map(send));
    const allow = (tool: Tool): boolean => tool.server !== 'void';
    const first = (ask: Ask): unknown =>
      JSON.parse(told(search('work__send', 'club__send'), { snapshot, allow, ...ask })).matches[0];
    expect(first({ form: FORMS.bridge })).toBe('work__send(text: string): Sends a mail (also: home__send)');
    expect(first({ form: FORMS.bridge, describe: false })).toMatchObject({ also: ['home__send'] });
    expect(first({ form: FORMS.load })).toBe('work__send (also: home__send)');
    expect(first({ form: FORMS.stub })).not.toHaveProperty('also');
  });

  it('reports a search that could not run', () => {
    expect(told({ kind: 'failure', queries: ['('], code: 'invalid_pattern', message: 'missing )' })).toBe(
      '{"error":"invalid_pattern","message":"missing )"}',
    );
  });

  it('leaves out what the catalog no longer holds', () => {
    expect(JSON.parse(told(search('gone', 'github__close_issue'))).matches).toHaveLength(1);
  });

  it('keeps within its budget, fuller first, and never gives the whole catalog', () => {
    const snapshot: Snapshot = sampleSnapshot(manyTools(400));
    const names = snapshot.tools.map((tool) => snapshot.modelName(tool));
    for (const form of [FORMS.stub, FORMS.bridge, FORMS.load]) {
      const text = told(search(...names), { form, snapshot });
      expect(utf8Length(text)).toBeLessThanOrEqual(ANSWER_DEFAULTS.searchBytes);
      expect(JSON.parse(text).more).toBeGreaterThan(0);
    }
    const huge = sampleTool({
      name: 'huge',
      description: '😀'.repeat(100_000),
      parameters: { enum: ['x'.repeat(100_000)] },
    });
    const functions = told(search(...names), { form: FORMS.client, snapshot, budget: { describeBytes: 2_000 } });
    expect(utf8Length(functions)).toBeLessThanOrEqual(2_000);
    expect(readTold(functions).length).toBeGreaterThan(5);
    const text = told(describeNames('huge'), { snapshot: sampleSnapshot([huge]) });
    expect(utf8Length(text)).toBeLessThan(ANSWER_DEFAULTS.describeBytes);
    expect(JSON.parse(text)).toEqual({ tools: [expect.stringMatching(/^huge\(text: string\): 😀+…$/u)] });
  });

  it('is read back by readTold, name for name', () => {
    const names = ['github__create_issue', 'slack__send_message'];
    for (const form of [FORMS.stub, FORMS.bridge, FORMS.load, FORMS.client]) {
      expect(readTold(told(search(...names), { form }))).toEqual(names);
    }
    expect(readTold(told(describeNames(...names)))).toEqual(names);
    expect(readTold(told(describeNames('slack__send_message')))).toEqual(['slack__send_message']);
    expect(readTold(told(search()))).toEqual([]);
  });

  it('readTold accepts any text, and reads only names from it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readTold(text).every((name) => typeof name === 'string')).toBe(true);
      }),
    );
    expect(readTold('{"matches":[{"name":1},null,"",7,"x",{"name":"a"}]}')).toEqual(['x', 'a']);
  });
});

describe('the bytes of an answer', () => {
  it('are those of its JSON, whatever the tools say and however little fits', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('}', '"', '\\', '\ud800', '],"matches":['));
    const form = fc.constantFrom(FORMS.bridge, FORMS.stub, FORMS.load);
    fc.assert(
      fc.property(text, form, fc.boolean(), fc.nat(600), (description, form, describe, searchBytes) => {
        const snapshot = sampleSnapshot([
          sampleTool({ name: 'a', description, parameters: { properties: { [description]: { const: description } } } }),
          sampleTool({ name: 'b', description: 'Does b.' }),
        ]);
        const ask = { snapshot, form, describe, budget: { searchBytes, describeBytes: searchBytes } };
        const also = [{ name: 'c', of: 'a' }];
        const unavailable = [{ server: description, reason: description }];
        for (const found of [
          { ...search('a', 'b'), also, unavailable },
          search(),
          describeNames('a', 'b', description),
        ]) {
          const answer = told(found, ask);
          expect(JSON.stringify(JSON.parse(answer))).toBe(answer);
          // What stands beside the matches is told in any case.
          const { matches: _, tools: __, ...beside } = JSON.parse(answer);
          const least = utf8Length(JSON.stringify({ matches: [], more: 2, ...beside }));
          expect(utf8Length(answer)).toBeLessThanOrEqual(Math.max(searchBytes, least));
        }
      }),
    );
  });

  it('follow the name that a tool has in each catalog', () => {
    const tool = sampleTool({ name: 'create_issue', server: 'github' });
    const snapshots = ['{server}__{tool}', 'mcp__{server}__{tool}'].map((nameTemplate) =>
      createSnapshot([tool], { nameTemplate }),
    );
    const names = [...snapshots, ...snapshots].flatMap((snapshot) =>
      readTold(told(search(snapshot.modelName(tool)), { snapshot })),
    );
    expect(names).toEqual([
      'github__create_issue',
      'mcp__github__create_issue',
      'github__create_issue',
      'mcp__github__create_issue',
    ]);
  });
});

describe('the loop guard in an answer', () => {
  it.each([
    [{ repeatStop: 1 }, /^This search was made 1 time already\./],
    [{ fruitlessStop: 1 }, /^The last search found nothing\./],
    [{ fruitlessHint: 1 }, / The last search found nothing\. 4 more and/],
    [{ idleStop: 1, fruitlessHint: 9 }, /^1 search was made without calling a tool\./],
    [{ idleHint: 1, fruitlessHint: 9, repeatHint: 9 }, / 1 search was made without calling a tool\. Call one/],
  ])('speaks of one search as one: %j', (guard, text) => {
    const before = searched(['issue', 0]);
    expect(JSON.parse(told(search(), { before, guard })).hint).toMatch(text);
  });

  const hint = (before: Memory, query = 'issue'): string | undefined =>
    JSON.parse(told({ kind: 'search', queries: [query], names: ['github__create_issue'] }, { before })).hint;

  const hintOfMiss = (before: Memory): string | undefined =>
    JSON.parse(told({ kind: 'search', queries: ['issue'], names: [] }, { before })).hint;

  it('says nothing at first', () => {
    expect(hint(EMPTY_MEMORY)).toBeUndefined();
    expect(hint(searched(['other', 2]))).toBeUndefined();
  });

  it('hints at a repeated search in any spelling, more urgently each time, and then refuses it', () => {
    expect(hint(searched(['Issue!', 2]))).toContain('You made this search before.');
    expect(hint(searched(['issue', 2], ['ISSUE', 2]))).toContain('before, 2 times: 1 more and searching ends');
    const final = told(search('github__create_issue'), { before: searched(['issue', 2], ['issue', 2], ['issue', 2]) });
    expect(JSON.parse(final)).toEqual({ matches: [], hint: expect.stringContaining('Do not search again') });
  });

  it('hints at searches that find nothing, more urgently each time, and then ends them', () => {
    const misses = (count: number): Memory =>
      searched(...Array.from({ length: count }, (_, index): [string, number] => [`q${index}`, 0]));
    expect(hintOfMiss(misses(1))).not.toContain('The last');
    expect(hintOfMiss(misses(2))).toContain('The last 2 searches found nothing. 3 more');
    expect(hintOfMiss(misses(4))).toContain('The last 4 searches found nothing. 1 more');
    expect(hintOfMiss(misses(5))).toContain('Do not search again');
  });

  it('does not mention searches without results if tools were found', () => {
    expect(hint(searched(['q0', 0], ['q1', 0], ['q2', 0]))).toBeUndefined();
  });

  it('speaks of no tools to call when a repeated search finds none', () => {
    const text = hintOfMiss(searched(['issue', 0]));
    expect(text).toContain('You made this search before. Search for something else, or do without.');
  });

  it('hints at searching on and on without calling anything', () => {
    const finds = (count: number): Memory =>
      searched(...Array.from({ length: count }, (_, index): [string, number] => [`q${index}`, 1]));
    expect(hint(finds(8))).toContain('8 searches were made without calling a tool');
    expect(hint(finds(20))).toContain('Do not search again');
  });

  it.each<Fact>([{ kind: 'called', name: 'x' }, { kind: 'asked' }])('starts afresh after %j', (fact) => {
    const before = remember(searched(['a', 0], ['b', 0], ['c', 0], ['d', 0], ['e', 0]), fact);
    expect(hint(before)).toBeUndefined();
  });

  it('ends no search of a new question, though it was made for an earlier one', () => {
    const before = remember(searched(['issue', 2], ['issue', 2], ['issue', 2]), { kind: 'asked' });
    expect(hint(before)).toContain('You made this search before.');
  });

  it('accepts other limits', () => {
    const before = searched(['a', 0]);
    const answer = told(search('github__create_issue'), { before, guard: { fruitlessStop: 1 } });
    expect(JSON.parse(answer).hint).toContain('Do not search again');
  });

  it('is the same on every replay', () => {
    const before = searched(['issue', 1], ['x', 0]);
    expect(told(search('github__create_issue'), { before })).toBe(
      told(search('github__create_issue'), { before: structuredClone(before) }),
    );
  });
});

describe('a search for what is in the list already', () => {
  it('gets the advice to call it by name, in any case and punctuation', () => {
    const snapshot = sampleSnapshot();
    const deferred = new Set(snapshot.tools.map(({ id }) => id).filter((id) => id !== 'read_file'));
    const plan = runToEnd(
      makeDeferPlan({
        ...{ snapshot, tools: snapshot.tools, reason: 'test', toolTokens: () => 1, countTokens: (text) => text.length },
        ...{ form: FORMS.load, deferred },
      }),
    );
    const hintFor = (...queries: string[]): string =>
      JSON.parse(tell({ plan, snapshot, found: { kind: 'search', queries, names: [] }, before: EMPTY_MEMORY })).hint;
    for (const query of ['read_file', 'Read File', 'select:read-file']) {
      expect(hintFor(query)).toBe('read_file is already available: it is in your list, call it.');
    }
    expect(hintFor('read_file', 'fly')).toMatch(/^read_file is already available: .* No tool fits "fly"\./);
    expect(hintFor('github__close_issue')).toMatch(/^No tool fits/);
  });

  it('is named when the query describes it', () => {
    const snapshot = createSnapshot([
      createTool({ name: 'get_weather', description: 'The current weather at a place', schema: {} }),
      createTool({ name: 'send_mail', description: 'Sends a mail', schema: {} }),
    ]);
    const plan = runToEnd(
      makeDeferPlan({
        ...{ snapshot, tools: snapshot.tools, reason: 'test', toolTokens: () => 1, countTokens: (text) => text.length },
        ...{ form: FORMS.load, deferred: new Set(['send_mail']) },
      }),
    );
    const hintFor = (query: string): string =>
      JSON.parse(tell({ plan, snapshot, found: { kind: 'search', queries: [query], names: [] }, before: EMPTY_MEMORY }))
        .hint;
    expect(hintFor('weather forecast for a city')).toMatch(
      /^No other tool fits "weather forecast for a city"\. Already available, in your list: get_weather\./,
    );
    expect(hintFor('the current climate of a place')).toMatch(/^No tool fits/);
    expect(hintFor('where the meeting takes place')).toMatch(/^No tool fits/);
    expect(hintFor('send mail')).toMatch(/^No tool fits/);
  });
});
