import { createSnapshot, createToolbox, type Plan, parseTools, type Toolbox } from '@quartermaster/core';
import { FORMS, type Form, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { runLoop } from '@quartermaster/core/loop';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import { functionCall, message, responseRound, responseTool } from './response-script.fixture.ts';
import type { ResponsesEvent, ResponsesItem, ResponsesRequest, ResponsesResponse } from './responses-shapes-2026-11.ts';
import { responsesWhole } from './whole.ts';

const READ = responseTool('read_file', 'Reads a file.');
const CREATE = responseTool('create_issue', 'Opens an issue.');
const PATCH = { type: 'custom', name: 'apply_patch', description: 'Applies a patch.', format: { type: 'text' } };
const TOOLS: readonly object[] = [READ, CREATE, PATCH];
const USER: ResponsesItem = { role: 'user', content: 'Open an issue' };
const REASONING: ResponsesItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'secret' };

function makeToolbox(tools: readonly object[] = TOOLS): Toolbox {
  const declared = tools.filter((tool) => !('type' in tool) || tool.type !== 'tool_search');
  return createToolbox({
    tools: createSnapshot(parseTools(declared, { format: 'openai-responses', onProblem: 'throw' }).tools),
    searcher: wordSearcher,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file', 'web_search'] },
  });
}

interface Run {
  readonly events: readonly ResponsesEvent[];
  readonly requests: readonly ResponsesRequest[];
  readonly response: ResponsesResponse;
}

async function run(
  rounds: readonly (readonly ResponsesEvent[])[],
  options: {
    form?: FormName | Form;
    input?: readonly ResponsesItem[];
    tools?: readonly object[];
    request?: object;
    maxRounds?: number;
  } = {},
): Promise<Run> {
  const { form = 'bridge', input = [USER], tools = TOOLS } = options;
  const toolbox = makeToolbox(tools);
  const requests: ResponsesRequest[] = [];
  const events: ResponsesEvent[] = [];
  const loop = runLoop<ResponsesRequest, ResponsesEvent>({
    wire: openaiResponsesWire,
    toolbox,
    plan: toolbox.plan(undefined, { form: typeof form === 'string' ? FORMS[form] : form }),
    maxRounds: options.maxRounds ?? 6,
    request: { model: 'gpt-5.4', input, tools, ...options.request },
    async *upstream(request) {
      requests.push(request);
      yield* rounds[requests.length - 1] ?? [];
    },
  });
  for await (const event of loop) events.push(event);
  return { events, requests, response: responsesWhole.fromParts(events) };
}

function sent(request: ResponsesRequest | undefined): readonly ResponsesItem[] {
  return Array.isArray(request?.input) ? request.input : [];
}

function rendered(
  input: readonly ResponsesItem[],
  form: FormName,
  tools?: readonly object[],
): ResponsesRequest['input'] {
  const toolbox = makeToolbox(tools);
  const plan = toolbox.plan(undefined, { form: FORMS[form] });
  const request: ResponsesRequest = { input, tools: tools ?? TOOLS };
  const view = toolbox.view(plan, openaiResponsesWire.recall(request, plan));
  return openaiResponsesWire.render(request, view, (found, before) => toolbox.tell({ plan, found, before })).input;
}

function search(key: string, query: string, names: readonly string[] = ['create_issue']): readonly ResponsesItem[] {
  const common = { call_id: null, execution: 'server', status: 'completed' };
  return [
    { type: 'tool_search_call', id: `tsc_${key}`, ...common, arguments: { query } },
    { type: 'tool_search_output', id: `tso_${key}`, ...common, tools: names.map((name) => responseTool(name, '')) },
  ];
}

function output(call_id: string, text = 'Done'): ResponsesItem {
  return { type: 'function_call_output', call_id, output: text };
}

const SEARCH = functionCall('call_0', 'tool_search', { query: 'issue' });
const DONE = responseRound([message('Hello')]);

describe('reasoning', () => {
  it('survives with its encrypted content, before the search that it led to', async () => {
    const { requests, response } = await run([responseRound([REASONING, SEARCH]), DONE]);
    expect(sent(requests[1]).slice(1, 3)).toEqual([REASONING, SEARCH]);
    expect(response.output).toEqual([REASONING, message('Hello')]);
  });

  it('that led to a search which the client was not shown is not sent alone', async () => {
    const other = { ...REASONING, id: 'rs_2' };
    expect(rendered([USER, REASONING, other, message('Hello'), USER], 'bridge')).toEqual([
      USER,
      other,
      message('Hello'),
      USER,
    ]);
  });

  it('goes with the orphan that it led to', () => {
    expect(rendered([USER, REASONING, functionCall('a', 'read_file', {}), USER], 'load')).toEqual([USER, USER]);
  });
});

describe('pairs', () => {
  it('that compaction has cut in half are dropped', () => {
    const [call, found] = search('1', 'issue');
    const items = [output('gone'), USER, found, call, functionCall('a', 'read_file', {}), output('a')].filter(
      (item) => item !== undefined,
    );
    for (const form of ['stub', 'bridge', 'load', 'native'] as const) {
      expect(rendered(items, form)).toEqual([USER, functionCall('a', 'read_file', {}), output('a')]);
    }
  });

  it('of searches are found by their ids, whatever stands between', () => {
    const [callA] = search('a', 'lost');
    const [callB, foundB] = search('b', 'issue');
    const items = [USER, callA, callB, foundB].filter((item) => item !== undefined);
    expect(rendered(items, 'load')).toMatchObject([
      USER,
      { type: 'function_call', call_id: 'call_ts_b', name: 'tool_search', arguments: '{"query":"issue"}' },
      { type: 'function_call_output', call_id: 'call_ts_b' },
    ]);
  });

  it("of the provider's own searches, which share nothing, are taken in order", () => {
    const provider = (type: string, id: string, extra: object): ResponsesItem => ({
      type,
      id,
      call_id: null,
      execution: 'server',
      ...extra,
    });
    const items = [
      USER,
      provider('tool_search_call', 'x1', { arguments: { paths: ['crm'] } }),
      provider('tool_search_output', 'y1', { tools: [CREATE] }),
    ];
    expect(rendered(items, 'load')).toMatchObject([
      USER,
      { type: 'function_call', call_id: 'call_ts_x1' },
      { type: 'function_call_output', call_id: 'call_ts_x1' },
    ]);
  });

  it('keep a result that names a tool which left the catalog, without it', () => {
    const items = [USER, ...search('1', 'issue', ['create_issue', 'gone'])];
    const native = rendered(items, 'native') as readonly ResponsesItem[];
    expect(native.at(-1)).toMatchObject({
      type: 'tool_search_output',
      tools: [{ name: 'create_issue', defer_loading: true }],
    });
  });
});

describe('a search', () => {
  it('made beside another is answered as if alone, and both are shown before their results', async () => {
    const tools = [{ type: 'tool_search' }, ...TOOLS];
    const second = functionCall('call_1', 'tool_search', { query: 'patch' });
    const { response, requests } = await run([responseRound([SEARCH, second]), DONE], { tools, form: 'stub' });
    expect(response.output?.map((item) => item.type)).toEqual([
      'tool_search_call',
      'tool_search_call',
      'tool_search_output',
      'tool_search_output',
      'message',
    ]);
    expect(sent(requests[1]).map((item) => item.type ?? item.role)).toEqual([
      'user',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
  });

  it('is told by what was known before its round, real calls beside it left out', () => {
    const past = ['1', '2', '3'].flatMap((key) => search(key, 'issue'));
    const [call, found] = search('4', 'issue');
    const beside = [functionCall('a', 'read_file', {}), call, found, output('a')].filter((item) => item !== undefined);
    const list = rendered([USER, ...past, ...beside], 'bridge') as readonly ResponsesItem[];
    expect(list.at(-1)).toMatchObject({ call_id: 'call_ts_4', output: expect.stringContaining('Do not search again') });
  });

  it('that finds nothing is told so natively too', async () => {
    const call = {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      arguments: { query: 'zebra' },
    };
    const { requests } = await run([responseRound([call]), DONE], { form: 'native' });
    expect(sent(requests[1]).slice(2)).toMatchObject([
      { type: 'tool_search_output', tools: [] },
      { role: 'developer', content: expect.stringContaining('No tool fits "zebra"') },
    ]);
  });

  it("that can't be read is answered, and shown as one that did not run", async () => {
    const tools = [{ type: 'tool_search' }, ...TOOLS];
    const broken = { ...SEARCH, arguments: '{"nothing":1}' };
    const { response, requests } = await run([responseRound([broken]), DONE], { tools });
    expect(response.output).toMatchObject([
      { type: 'tool_search_call' },
      { type: 'tool_search_output', status: 'incomplete', tools: [] },
      message('Hello'),
    ]);
    expect(sent(requests[1]).at(-1)).toMatchObject({
      type: 'function_call_output',
      output: expect.stringContaining('needs query'),
    });
    const replayed = rendered([USER, ...(response.output ?? [])], 'bridge', tools) as readonly ResponsesItem[];
    expect(replayed[2]).toMatchObject({
      type: 'function_call_output',
      output: expect.stringContaining('could not be run'),
    });
  });

  it('is ours though the catalog has a tool of the same name', async () => {
    const clash = responseTool('tool_search', 'Searches for tools in a shop.');
    const call = {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      arguments: { query: 'issue' },
    };
    const { requests } = await run([responseRound([call]), DONE], { form: 'native', tools: [READ, CREATE, clash] });
    expect(sent(requests[1]).at(-1)).toMatchObject({
      type: 'tool_search_output',
      tools: [{ name: 'create_issue' }],
    });
  });

  it.each([0, 1, 7])('is ours though the catalog has %i tools of such names, natively', async (count) => {
    const names = Array.from({ length: count }, (_, index) =>
      index === 0 ? 'tool_search' : `tool_search_${index + 1}`,
    );
    const search = { type: 'tool_search_call', id: 'tsc_1', call_id: 'c_1', execution: 'client', status: 'completed' };
    const { response, requests } = await run(
      [
        responseRound([{ ...search, arguments: { query: 'issue' } }]),
        responseRound([functionCall('c_2', 'create_issue', { text: 'x' })]),
      ],
      { form: 'native', tools: [...TOOLS, ...names.map((name) => responseTool(name, 'Another search.'))] },
    );
    const found = { type: 'tool_search_output', tools: [{ name: 'create_issue' }] };
    expect(requests[1]?.input?.at(-1)).toMatchObject(found);
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'create_issue' }]);
  });

  it('is freed from a choice that forced it, in the next round', async () => {
    const tools = [{ type: 'tool_search' }, ...TOOLS];
    const { requests } = await run([responseRound([SEARCH]), DONE], {
      tools,
      request: { tool_choice: { type: 'tool_search' } },
    });
    expect(requests.map((request) => request.tool_choice)).toEqual([{ type: 'function', name: 'tool_search' }, 'auto']);
  });
});

describe('a refused call of ours', () => {
  it('stands in the next round with arguments that every host can read', async () => {
    const bad = '{"name": "create_issue", "arguments": {"text": ';
    const broken = { ...functionCall('c1', 'tool_call', {}), arguments: bad };
    const { requests } = await run([responseRound([broken]), responseRound([message('Hello')])]);
    const input = requests[1]?.input ?? [];
    const written = typeof input === 'string' ? undefined : input.find(({ type }) => type === 'function_call');
    expect(JSON.parse(String(written?.arguments))).toEqual({ INVALID_JSON: bad });
  });
});

describe('other gateways’ spellings', () => {
  it.each(['openrouter:tool_search', 'orq:tool_search'])('take %s for our search', async (type) => {
    const { requests } = await run([responseRound([message('Hello')])], {
      request: { tools: [{ type }, READ, CREATE] },
    });
    expect(JSON.stringify(requests[0])).not.toContain(type);
    expect(JSON.stringify(requests[0]?.tools)).toContain('"tool_search"');
    const toolbox = createToolbox({ tools: [] });
    const plan = toolbox.plan();
    const view = toolbox.view(plan, openaiResponsesWire.recall({ input: [USER] }, plan));
    expect(openaiResponsesWire.render({ input: [USER], tools: [{ type }, READ] }, view, () => '')).toEqual({
      input: [USER],
      tools: [READ],
    });
  });

  it('take deferred_tools for a wish to search, and refuse a search that the client would run', async () => {
    const deferred_tools = { protocol: 'v1', profile: 'portable', search: { type: 'bm25' }, validation: 'runtime' };
    const { requests } = await run([responseRound([message('Hello')])], { request: { deferred_tools } });
    expect(requests[0]).not.toHaveProperty('deferred_tools');
    const custom = { ...deferred_tools, search: { type: 'custom' } };
    expect(() => openaiResponsesWire.open({ input: [USER], tools: [], deferred_tools: custom })).toThrow(
      'deferred_tools.search.type is "custom"',
    );
  });
});

describe('a list of allowed tools', () => {
  const allowed = (names: readonly string[]) => ({
    type: 'allowed_tools',
    mode: 'auto',
    tools: names.map((name) => ({ type: 'function', name })),
  });

  it.each([
    ['bridge', ['tool_search', 'tool_describe', 'tool_call'].map((name) => ({ type: 'function', name }))],
    ['load', [{ type: 'function', name: 'tool_search' }]],
    ['native', [{ type: 'tool_search' }]],
  ] as const)('is cut down to those that are declared, and lets the search in, in the form %s', async (form, own) => {
    const { requests } = await run([DONE], {
      form,
      request: { tool_choice: allowed(['read_file', 'create_issue']) },
    });
    expect(requests[0]?.tool_choice).toEqual({
      ...allowed(['read_file']),
      tools: [{ type: 'function', name: 'read_file' }, ...own],
    });
  });
});

describe('calls', () => {
  it('of custom tools keep their text, wrapped or not', async () => {
    const wrapped = functionCall('a', 'tool_call', { name: 'apply_patch', arguments: { input: '*** Begin' } });
    const call = { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin' };
    const { response } = await run([responseRound([wrapped])]);
    expect(response.output).toMatchObject([call]);
    const direct = await run([responseRound([{ ...call, id: 'ctc_1' }])], { form: 'stub' });
    expect(direct.requests[0]?.tools?.at(-1)).toEqual(PATCH);
    expect(direct.response.output).toMatchObject([{ ...call, id: 'ctc_1' }]);
    const history = [USER, call, { type: 'custom_tool_call_output', call_id: 'a', output: 'Done' }];
    expect(rendered(history, 'load')).toEqual(history);
    expect(rendered(history, 'bridge')).toEqual([
      USER,
      {
        type: 'function_call',
        call_id: 'a',
        name: 'tool_call',
        arguments: JSON.stringify({ name: 'apply_patch', arguments: { input: '*** Begin' } }),
      },
      { type: 'function_call_output', call_id: 'a', output: 'Done' },
    ]);
  });

  it('several in one tool_call become calls of their own', async () => {
    const calls = ['a', 'b'].map((text) => ({ name: 'create_issue', arguments: { text } }));
    const { response } = await run([responseRound([functionCall('c', 'tool_call', { calls })])]);
    expect(response.output).toMatchObject([
      functionCall('c', 'create_issue', { text: 'a' }),
      functionCall('c_2', 'create_issue', { text: 'b' }),
    ]);
    expect(new Set(response.output?.map((item) => item.id)).size).toBe(2);
  });

  it.each(['stub', 'bridge', 'load'] as const)(
    'to a deferred tool that the client forces get its full definition, in the form %s',
    async (form) => {
      const choice = { type: 'function', name: 'create_issue' };
      const { requests, response } = await run([responseRound([functionCall('a', 'create_issue', { text: 'x' })])], {
        form,
        request: { tool_choice: choice },
      });
      expect(requests[0]?.tools?.filter((tool) => JSON.stringify(tool).includes('"create_issue"'))).toEqual([CREATE]);
      expect(requests[0]?.tool_choice).toEqual(choice);
      expect(response.output).toEqual([functionCall('a', 'create_issue', { text: 'x' })]);
    },
  );

  it('that a limit cut are told as the upstream left them', async () => {
    const cut = { ...functionCall('a', 'read_file', {}), arguments: '{"te', status: 'incomplete' };
    const { response, events } = await run([
      responseRound([cut], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    ]);
    expect(events.at(-1)?.type).toBe('response.incomplete');
    expect(response).toMatchObject({ status: 'incomplete', output: [cut] });
  });
});

describe('a response', () => {
  it('tells the client what it asked for, not what was asked upstream', async () => {
    const request = { instructions: 'Be brief.', tool_choice: 'required' };
    const { events } = await run([DONE], { request });
    for (const event of events.filter((one) => one.response !== undefined)) {
      expect(event.response).toMatchObject({ instructions: 'Be brief.', tools: TOOLS, tool_choice: 'required' });
    }
  });

  it('that failed upstream is failed, and nothing that it held is answered', async () => {
    const { events, requests } = await run([
      responseRound([SEARCH], { status: 'failed', error: { code: 'server_error', message: 'x' } }),
    ]);
    expect(requests).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', output: [], error: { code: 'server_error' } },
    });
  });

  it('is incomplete when the round limit was met', async () => {
    const { response } = await run([responseRound([SEARCH])], { maxRounds: 1 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_messages' } });
  });

  it('numbers events and places without gaps, over items of the provider too', async () => {
    const web: ResponsesItem = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const { events, response } = await run([
      responseRound([web, SEARCH, message('One')]),
      responseRound([message('Two')]),
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(response.output?.map((item) => item.id)).toEqual(['ws_1', 'msg_1', 'msg_1_2']);
    const added = events
      .filter((event) => event.type === 'response.output_item.added')
      .map((event) => event.output_index);
    expect(added).toEqual([0, 1, 2]);
  });
});

describe('tools that the provider runs', () => {
  const web = { type: 'web_search', search_context_size: 'low' };
  const mcp = { type: 'mcp', server_label: 'wiki', server_url: 'https://example.com', defer_loading: true };

  it('are sent as they came, without a mark that nobody would honour', async () => {
    const { requests } = await run([DONE], { form: 'load', tools: [READ, web, CREATE, mcp] });
    const { defer_loading: _, ...unmarked } = mcp;
    expect(requests[0]?.tools?.slice(1)).toEqual([READ, web, unmarked]);
  });

  it('keep their marks where the provider searches', async () => {
    const { requests } = await run([DONE], { form: 'hosted', tools: [READ, web, CREATE, mcp] });
    expect(requests[0]?.tools).toEqual([{ type: 'tool_search' }, READ, web, { ...CREATE, defer_loading: true }, mcp]);
  });
});

/** A turn of a conversation, as a client keeps it. */
const turn = fc.record({
  searches: fc.array(fc.constantFrom('issue', 'patch'), { maxLength: 2 }),
  calls: fc.uniqueArray(fc.constantFrom('create_issue', 'read_file', 'gone'), { maxLength: 3 }),
  isReversed: fc.boolean(),
  isKept: fc.boolean(),
  extra: fc.dictionary(fc.constantFrom('__proto__', 'future'), fc.jsonValue(), { maxKeys: 1 }),
});

const FOUND: Readonly<Record<string, string>> = { issue: 'create_issue', patch: 'apply_patch' };

type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

function conversation(turns: readonly Turn[]): readonly ResponsesItem[] {
  return turns.flatMap((one, index): readonly ResponsesItem[] => {
    const { searches, calls, isReversed, isKept, extra } = one;
    if (!isKept) return [];
    const pairs = searches.map((query, order) => search(`${index}_${order}`, query, [FOUND[query] ?? '']));
    const outputs = pairs.flatMap((pair) => pair.slice(1));
    const results = calls.map((_, order) => output(`call_${order}`, `Result ${index}`));
    return [
      { ...extra, role: 'user', content: `Turn ${index}` },
      ...pairs.flatMap((pair) => pair.slice(0, 1)),
      ...(isReversed ? outputs.reverse() : outputs),
      ...calls.map((name, order) => functionCall(`call_${order}`, name, { text: 'x' })),
      ...(isReversed ? results.reverse() : results),
      { type: 'future_item', ...extra },
      message('Done'),
    ];
  });
}

describe('recall', () => {
  const toolbox = makeToolbox();
  const plan: Plan = toolbox.plan(undefined, { form: FORMS.load });

  it('is what the items that are left have found and called, after compaction, forks and in any order of results', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), (turns) => {
        const kept = turns.filter((one) => one.isKept);
        const memory = openaiResponsesWire.recall({ input: conversation(turns) }, plan);
        expect(memory.called).toEqual([...new Set(kept.flatMap((one) => one.calls))]);
        expect([...memory.revealed].sort()).toEqual(
          [...new Set(kept.flatMap((one) => one.searches.map((query) => FOUND[query])))].sort(),
        );
        expect(memory.searches).toHaveLength(kept.flatMap((one) => one.searches).length);
        expect(memory.moves).toBe(kept.length + kept.flatMap((one) => one.calls).length);
      }),
    );
  });

  it('reads an answer of ours that a loop keeps as text', () => {
    const text = JSON.stringify({ matches: [{ name: 'create_issue' }] });
    const memory = openaiResponsesWire.recall({ input: [USER, SEARCH, output('call_0', text)] }, plan);
    expect(memory).toMatchObject({ revealed: ['create_issue'], searches: [{ query: 'issue', found: 1 }] });
  });
});

describe('render', () => {
  it.each(['stub', 'bridge', 'load', 'native'] as const)(
    'keeps items and fields that it does not know, and pairs what it sends, in the form %s',
    (form) => {
      fc.assert(
        fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
          const items = conversation(turns);
          const list = rendered(items, form) as readonly ResponsesItem[];
          for (const item of items)
            if (item.type === undefined || item.type === 'future_item') expect(list).toContain(item);
          const open = new Set<unknown>();
          for (const item of list) {
            if (/_call$/.test(item.type ?? '')) open.add(item.call_id);
            if (/_output$/.test(item.type ?? '')) expect(open.delete(item.call_id)).toBe(true);
          }
          expect(open.size).toBe(0);
        }),
      );
    },
  );

  it.each(['stub', 'bridge', 'native'] as const)(
    'gives earlier turns the same bytes when later ones are added, in the form %s',
    (form) => {
      fc.assert(
        fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
          const before = rendered(conversation(turns.slice(0, -1)), form) as readonly ResponsesItem[];
          const after = rendered(conversation(turns), form) as readonly ResponsesItem[];
          expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
        }),
      );
    },
  );
});
