import { createToolbox } from '@quartermaster/core';
import { describe, expect, it } from 'vitest';
import {
  CREATE,
  DONE,
  output,
  PATCH,
  READ,
  rendered,
  run,
  SEARCH,
  search,
  sent,
  TOOLS,
  USER,
} from './response-run.fixture.ts';
import { functionCall, message, responseRound, responseTool } from './response-script.fixture.ts';
import { openaiResponsesWire } from './responses-dialect.ts';
import type { ResponsesItem } from './responses-shapes-2026-11.ts';

describe('a search', () => {
  it('made next to another is answered as if alone, and both are shown before their results', async () => {
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

  it('reports what was known before its round, without real calls next to it', () => {
    const past = ['1', '2', '3'].flatMap((key) => search(key, 'issue'));
    const [call, found] = search('4', 'issue');
    const beside = [functionCall('a', 'read_file', {}), call, found, output('a')].filter((item) => item !== undefined);
    const list = rendered([USER, ...past, ...beside], 'bridge') as readonly ResponsesItem[];
    expect(list.at(-1)).toMatchObject({ call_id: 'call_ts_4', output: expect.stringContaining('Do not search again') });
  });

  it('that finds nothing also says so natively', async () => {
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
  it('is in the next round with arguments that every host can read', async () => {
    const bad = '{"name": "create_issue", "arguments": {"text": ';
    const broken = { ...functionCall('c1', 'tool_call', {}), arguments: bad };
    const { requests } = await run([responseRound([broken]), responseRound([message('Hello')])]);
    const input = requests[1]?.input ?? [];
    const written = typeof input === 'string' ? undefined : input.find(({ type }) => type === 'function_call');
    expect(JSON.parse(String(written?.arguments))).toEqual({ INVALID_JSON: bad });
  });
});

describe('other gateways’ spellings', () => {
  it.each(['openrouter:tool_search', 'orq:tool_search', 'tool_search_tool_bm25_20251119', 'tool_search_tool_regex'])(
    'take %s for our search',
    async (type) => {
      const { requests } = await run([responseRound([message('Hello')])], {
        request: { tools: [{ type }, READ, CREATE] },
      });
      expect(JSON.stringify(requests[0])).not.toContain(type);
      expect(JSON.stringify(requests[0]?.tools)).toContain('"name":"tool_search"');
      const toolbox = createToolbox({ tools: [] });
      const plan = toolbox.plan();
      const view = toolbox.view(plan, openaiResponsesWire.recall({ input: [USER] }, plan));
      expect(openaiResponsesWire.render({ input: [USER], tools: [{ type }, READ] }, view, () => '')).toEqual({
        input: [USER],
        tools: [READ],
      });
    },
  );

  it.each<[object, object]>([
    [{ type: 'openrouter:tool_search' }, { type: 'openrouter:tool_search' }],
    [
      { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' },
      { type: 'function', name: 'tool_search_tool_regex' },
    ],
  ])('force our search by %j, once', async (tool, tool_choice) => {
    const request = { tools: [tool, READ, CREATE], tool_choice };
    const { requests } = await run([responseRound([SEARCH]), DONE], { request });
    expect(requests.map((sent) => sent.tool_choice)).toEqual([{ type: 'function', name: 'tool_search' }, 'auto']);
    const native = await run([DONE], { request, form: 'native' });
    expect(native.requests[0]?.tool_choice).toEqual({ type: 'tool_search' });
    const toolbox = createToolbox({ tools: [] });
    const plan = toolbox.plan();
    const view = toolbox.view(plan, openaiResponsesWire.recall({ input: [USER] }, plan));
    expect(openaiResponsesWire.render({ input: [USER], ...request, tools: [tool, READ] }, view, () => '')).toEqual({
      input: [USER],
      tools: [READ],
    });
  });

  it.each(['tool_search_tool_regex_20991231', 'tool_search_tool_semantic'])('refuse %s, which is not known', (type) => {
    expect(() => openaiResponsesWire.open({ input: [USER], tools: [{ type }, READ] })).toThrow(
      `the search tool ${type} is not known here; known: tool_search_tool_regex_20251119`,
    );
  });

  it('treat deferred_tools as a request to search, and refuse a search that the client would run', async () => {
    const deferred_tools = { protocol: 'v1', profile: 'portable', search: { type: 'bm25' }, validation: 'runtime' };
    const { requests } = await run([responseRound([message('Hello')])], { request: { deferred_tools } });
    expect(requests[0]).not.toHaveProperty('deferred_tools');
    const custom = { ...deferred_tools, search: { type: 'custom' } };
    expect(() => openaiResponsesWire.open({ input: [USER], tools: [], deferred_tools: custom })).toThrow(
      'deferred_tools.search.type is "custom"',
    );
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

  it('that a limit cut are passed on as the upstream left them', async () => {
    const cut = { ...functionCall('a', 'read_file', {}), arguments: '{"te', status: 'incomplete' };
    const { response, events } = await run([
      responseRound([cut], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    ]);
    expect(events.at(-1)?.type).toBe('response.incomplete');
    expect(response).toMatchObject({ status: 'incomplete', output: [cut] });
  });
});

describe('a response', () => {
  it('shows the client what it asked for, not what was asked upstream', async () => {
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
