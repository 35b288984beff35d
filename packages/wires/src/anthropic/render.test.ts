import { createToolbox, EMPTY_MEMORY } from '@quartermaster/core';
import { FORMS, type Form, withoutSearch } from '@quartermaster/core/disclosure';
import { describe, expect, it } from 'vitest';
import { anthropicWire } from './anthropic-dialect.ts';
import type { AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { conversation } from './message-script.fixture.ts';
import { definition, reference, rendered, searched, toolResult, toolUse } from './rendered.fixture.ts';

const ASK = { role: 'user', content: 'Hello' };
const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const TOOLS = [definition('now'), definition('a', { deferred: true }), definition('b', { deferred: true })];
const [NOW, A, B] = [definition('now'), definition('a'), definition('b')];
const LOCAL: readonly (readonly [string, Form])[] = [
  ['stub', FORMS.stub],
  ['bridge', FORMS.bridge],
  ['load', FORMS.load],
  ['native', FORMS.native],
];

/** The tools of the rendered request that are not ours. */
function toolsOf(form: Form, request: object, messages: readonly object[] = [ASK]): readonly object[] {
  const result = rendered(conversation(messages as never, request), form);
  const own = result.plan.kind === 'defer' ? result.plan.own.length : 0;
  return (result.request.tools ?? []).slice(own);
}

describe('the tools that are sent', () => {
  const found = [ASK, { role: 'assistant', content: [...searched('srvtoolu_1', 'x', ['b', 'a'])] }];

  it('are appended in the order of their discovery in the form load', () => {
    expect(toolsOf(FORMS.load, { tools: TOOLS })).toEqual([NOW]);
    expect(toolsOf(FORMS.load, { tools: TOOLS }, found)).toEqual([NOW, B, A]);
  });

  it('are appended with a mark in the form native, once they are referred to', () => {
    expect(toolsOf(FORMS.native, { tools: TOOLS })).toEqual([NOW]);
    expect(toolsOf(FORMS.native, { tools: TOOLS }, found)).toEqual([
      NOW,
      { ...B, defer_loading: true },
      { ...A, defer_loading: true },
    ]);
  });

  it('include what was called though compaction took its search, in full in the form load, with a mark in the form native', () => {
    const called = [
      ASK,
      { role: 'assistant', content: [toolUse('t1', 'a')] },
      { role: 'user', content: [toolResult('t1')] },
    ];
    expect(toolsOf(FORMS.load, { tools: TOOLS }, called)).toEqual([NOW, A]);
    expect(toolsOf(FORMS.native, { tools: TOOLS }, called)).toEqual([NOW, { ...A, defer_loading: true }]);
  });

  it('stay unchanged in the form bridge, whatever was found', () => {
    expect(toolsOf(FORMS.bridge, { tools: TOOLS }, found)).toEqual([NOW]);
  });

  it('are stubs without anything that speaks of their parameters in the form stub', () => {
    const strict = definition('a', { deferred: true, strict: true, input_examples: [{ text: 'x' }] });
    const schema = { type: 'object', properties: {}, additionalProperties: true };
    expect(toolsOf(FORMS.stub, { tools: [NOW, strict] })).toEqual([NOW, { ...A, input_schema: schema }]);
  });

  it('have neither a cache breakpoint nor examples if they are marked', () => {
    const cached = definition('a', { deferred: true, cache_control: { type: 'ephemeral' }, input_examples: [{}] });
    const request = { tools: [SEARCH, NOW, cached] };
    const marked = { ...A, defer_loading: true };
    expect(toolsOf(FORMS.hosted, request)).toEqual([SEARCH, NOW, marked]);
    expect(toolsOf(FORMS.native, request, found)).toEqual([NOW, marked]);
    expect(toolsOf({ ...FORMS.native, hidden: 'mark' }, request)).toEqual([NOW, marked]);
    const full = { ...A, cache_control: { type: 'ephemeral' }, input_examples: [{}] };
    expect(toolsOf(FORMS.load, request, found)).toEqual([NOW, full]);
  });

  it('have their examples in the description if they are marked', () => {
    const tool = definition('a', { deferred: true, input_examples: [{ text: 'x' }] });
    const marked = { ...A, description: `${A.description}\n\nExamples of input:\n{"text":"x"}`, defer_loading: true };
    expect(toolsOf(FORMS.native, { tools: [SEARCH, NOW, tool] }, found)).toEqual([NOW, marked]);
  });

  it('keep every field that is not known here', () => {
    const odd = definition('a', { deferred: true, allowed_callers: ['direct'], some_new_field: { x: 1 } });
    const { defer_loading: _, ...plain } = odd as Record<string, unknown>;
    expect(toolsOf(FORMS.load, { tools: [NOW, odd] }, found)).toEqual([NOW, plain]);
  });

  it('include those that Anthropic defines, as they came', () => {
    const provided = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'mcp_toolset', mcp_server_name: 'crm', default_config: { defer_loading: true } },
    ];
    for (const [, form] of LOCAL) {
      expect(toolsOf(form, { tools: [...provided, ...TOOLS] }).slice(0, 2)).toEqual(provided);
    }
  });

  it('keep the mark of a tool that Anthropic defines only if the host knows marks', () => {
    const provided = { type: 'web_search_20250305', name: 'web_search', defer_loading: true };
    expect(toolsOf(FORMS.hosted, { tools: [SEARCH, provided, ...TOOLS] })).toContainEqual(provided);
    expect(toolsOf(FORMS.load, { tools: [SEARCH, provided, ...TOOLS] })).toContainEqual({
      type: 'web_search_20250305',
      name: 'web_search',
    });
  });

  it('come with a search tool in the form hosted: marks alone would lead nowhere', () => {
    const tools = (search: readonly object[]) => toolsOf(FORMS.hosted, { tools: [...search, ...TOOLS] })[0];
    expect(tools([])).toEqual(SEARCH);
    expect(tools([{ type: 'tool_search_tool_regex', defer_loading: true, cache_control: null }])).toEqual({
      type: 'tool_search_tool_regex',
      name: 'tool_search_tool_regex',
      cache_control: null,
    });
    expect(tools([{ type: 'openrouter:tool_search', parameters: {} }])).toEqual(SEARCH);
  });

  it("are sent without another gateway's search tool if nothing is deferred", () => {
    const toolbox = createToolbox({ tools: [] });
    const plan = toolbox.plan();
    const view = toolbox.view(plan, anthropicWire.recall(conversation([ASK] as never), plan));
    const given = conversation([ASK] as never, { tools: [{ type: 'orq:tool_search' }, NOW] });
    expect(anthropicWire.render(given, view, () => '').tools).toEqual([NOW]);
    const plain = conversation([ASK] as never, { tools: [NOW] });
    expect(anthropicWire.render(plain, view, () => '')).toBe(plain);
  });

  it.each([
    [SEARCH, SEARCH.name],
    [{ type: 'orq:tool_search' }, 'tool_search_tool_bm25'],
    [{ type: 'orq:tool_search' }, 'orq:tool_search'],
    [{ type: 'tool_search', name: 'find' }, 'find'],
  ])('force no search that is not sent: %j as %s', (tool, name) => {
    const choice = { type: 'tool', name, disable_parallel_tool_use: true };
    const forcing = (tools: readonly object[]) => conversation([ASK], { tools, tool_choice: choice });
    const sent = (request: AnthropicRequest, isForeign: boolean) => {
      const { toolbox, plan } = rendered(request, FORMS.load);
      const used = plan.kind === 'inline' && isForeign ? withoutSearch(plan) : plan;
      return anthropicWire.render(request, toolbox.view(used, EMPTY_MEMORY), () => '');
    };
    const free = { type: 'auto', disable_parallel_tool_use: true };
    expect(sent(forcing([tool, NOW]), true)).toMatchObject({ tools: [NOW], tool_choice: free });
    if (tool === SEARCH) return;
    expect(sent(forcing([tool, NOW]), false)).toMatchObject({ tools: [NOW], tool_choice: free });
    expect(sent(forcing([tool]), false)).toEqual(conversation([ASK]));
    expect(rendered(forcing([tool, ...TOOLS]), FORMS.hosted).request.tool_choice).toEqual({
      ...choice,
      name: SEARCH.name,
    });
  });
});

it.each(LOCAL)('writes the fixed definitions once per plan, in the form %s', (_, form) => {
  const first = conversation([ASK] as never, { tools: TOOLS });
  const { request, plan, toolbox } = rendered(first, form);
  const view = toolbox.view(plan, anthropicWire.recall(first, plan));
  const again = anthropicWire.render(first, view, () => '');
  expect(again.tools?.[0]).toBe(request.tools?.[0]);
});

describe('tool_choice', () => {
  const render = (form: Form, name: string) =>
    rendered(conversation([ASK], { tools: [SEARCH, ...TOOLS], tool_choice: { type: 'tool', name } }), form).request;

  it.each(LOCAL)('loads a deferred tool that is forced, in the form %s', (name, form) => {
    const request = render(form, 'a');
    if (name === 'bridge') expect(request.tool_choice).toEqual({ type: 'tool', name: 'tool_call' });
    else expect(request.tool_choice).toEqual({ type: 'tool', name: 'a' });
    if (name !== 'bridge') expect(request.tools?.filter((tool) => tool.name === 'a')).toEqual([A]);
  });

  it('unmarks a tool that is forced if the provider searches', () => {
    const marked = (tools: AnthropicRequest['tools']) =>
      tools?.flatMap((tool) => (tool.defer_loading === true ? [tool.name] : []));
    const { tools } = render(FORMS.hosted, 'a');
    expect(tools).toContainEqual(A);
    const found = [ASK, { role: 'assistant', content: [...searched('srvtoolu_1', 'x', ['a'])] }];
    const again = conversation(found as never, { tools: TOOLS, tool_choice: { type: 'tool', name: 'a' } });
    const listed: Form = { ...FORMS.native, hidden: 'mark' };
    expect(rendered(again, listed).request.tools?.filter((tool) => tool.name === 'a')).toEqual([A]);
    expect(marked(tools)).not.toContain('a');
    expect(marked(tools)).toEqual(marked(render(FORMS.hosted, SEARCH.name).tools)?.filter((name) => name !== 'a'));
  });

  it('stays on the search tool when that is forced', () => {
    expect(render(FORMS.load, SEARCH.name).tool_choice).toEqual({ type: 'tool', name: SEARCH.name });
  });

  it('passes other choices through', () => {
    const choice = { type: 'any', disable_parallel_tool_use: true };
    const { request } = rendered(conversation([ASK], { tools: TOOLS, tool_choice: choice }), FORMS.load);
    expect(request.tool_choice).toEqual(choice);
  });
});

describe('the note', () => {
  const system = (value: object) =>
    rendered(conversation([ASK], { tools: TOOLS, ...value }), FORMS.load).request.system;

  it('follows the client’s own instructions', () => {
    const note = system({});
    expect(note).toEqual(expect.stringContaining('tool_search'));
    expect(system({ system: 'Be brief.' })).toBe(`Be brief.\n\n${note}`);
    const blocks = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    expect(system({ system: blocks })).toEqual([...blocks, { type: 'text', text: note }]);
  });
});

describe('the tail', () => {
  const prefetched = { names: ['a'] };

  it('ends the latest user message that has text, not the one that only answers calls', () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'First' }] },
      { role: 'assistant', content: [toolUse('toolu_1', 'now')] },
      { role: 'user', content: [toolResult('toolu_1')] },
    ];
    const { request } = rendered(conversation(messages, { tools: TOOLS }), FORMS.bridge, { prefetched });
    expect(request.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'First' },
          { type: 'text', text: expect.stringContaining('- a(') },
        ],
      },
      ...messages.slice(1),
    ]);
  });

  it('joins a message that is a string', () => {
    const { request } = rendered(conversation([ASK], { tools: TOOLS }), FORMS.bridge, { prefetched });
    expect(request.messages[0]?.content).toMatch(/^Hello\n\n\[Tools that may fit/);
  });
});

describe('a client that searches by itself', () => {
  const placeholder = { ...definition('DeferredToolPlaceholder', { deferred: true }), description: 'Reserved.' };
  const tools = [definition('ToolSearch'), placeholder, ...TOOLS];
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'system', content: 'Deferred: a, b' },
    {
      role: 'assistant',
      content: [
        toolUse('toolu_1', 'ToolSearch', { query: 'select:a', max_results: 5 }),
        toolUse('toolu_2', 'ToolSearch', { query: 'select:b', max_results: 5 }),
      ],
    },
    { role: 'user', content: [toolResult('toolu_2', [reference('b')]), toolResult('toolu_1', [reference('a')])] },
  ];
  const request = conversation(messages, { tools, context_management: { edits: [] } });

  it('gets its references expanded as it promised its model, on a host that does not know them', () => {
    const line = (name: string) =>
      `<functions>\n<function>${JSON.stringify({
        description: `Does ${name}.`,
        name,
        parameters: definition(name).input_schema,
      })}</function>\n</functions>`;
    expect(rendered(request, FORMS.client).request).toEqual({
      ...request,
      tools: [definition('ToolSearch'), NOW, B, A],
      messages: [
        ...messages.slice(0, 3),
        {
          role: 'user',
          content: [
            toolResult('toolu_2', [{ type: 'text', text: line('b') }]),
            toolResult('toolu_1', [{ type: 'text', text: line('a') }]),
          ],
        },
      ],
    });
  });

  it('is passed on unchanged to a host that knows references, including placeholders', () => {
    const native: Form = { ...FORMS.client, hidden: 'mark', reveal: 'native' };
    expect(rendered(request, native).request).toEqual(request);
  });

  it('reports that nothing was found if its references are gone', () => {
    const gone = [messages[0], messages[2], { role: 'user', content: [toolResult('toolu_1', [reference('x')])] }];
    const { request: sent } = rendered(conversation(gone as never, { tools }), FORMS.client);
    expect(sent.messages.at(-1)).toEqual({
      role: 'user',
      content: [toolResult('toolu_1', [{ type: 'text', text: 'No matching deferred tools found' }])],
    });
  });

  it('loses the search blocks of another host together, never by half', () => {
    const mixed = [ASK, { role: 'assistant', content: [text('Look.'), ...searched('s1', 'x', ['a']), text('Found.')] }];
    const { request: sent } = rendered(conversation([...mixed, ASK], { tools }), FORMS.client);
    expect(sent.messages).toEqual([ASK, { role: 'assistant', content: [text('Look.'), text('Found.')] }, ASK]);
    expect(sent.tools).toContainEqual(A);
  });
});

describe('render', () => {
  it('returns the request if nothing is deferred', () => {
    const request = conversation([ASK], { tools: [NOW] });
    const { toolbox, plan } = rendered(request, FORMS.load);
    expect(plan.kind).toBe('inline');
    const view = toolbox.view(plan, anthropicWire.recall(request, plan));
    expect(anthropicWire.render(request, view, () => '')).toBe(request);
  });
});

function text(value: string) {
  return { type: 'text', text: value };
}

describe('cache breakpoints', () => {
  const mark = { type: 'ephemeral', ttl: '1h' };
  const searchTool = { ...SEARCH, cache_control: mark };
  /** Where the breakpoint stands in what is sent. */
  const places = (form: Form, tools: readonly object[]): readonly unknown[] =>
    (rendered(conversation([ASK], { tools }), form).request.tools ?? [])
      .filter((tool) => JSON.stringify(tool.cache_control) === JSON.stringify(mark))
      .map(({ name }) => name);

  it.each(LOCAL)('stay where the client set them on its search tool, in the form %s', (_, form) => {
    expect(places(form, [searchTool, ...TOOLS])).toEqual([form === FORMS.bridge ? 'tool_call' : SEARCH.name]);
    expect(places(form, [NOW, definition('later'), searchTool, ...TOOLS.slice(1)])).toEqual(['later']);
    expect(places(form, [NOW, searchTool, definition('later'), ...TOOLS.slice(1)])).toEqual(['now']);
  });

  it.each(LOCAL)('stay on the result of a search, in the form %s', (_, form) => {
    const [call, result] = searched('srvtoolu_1', 'x', ['a']);
    const messages = [ASK, { role: 'assistant', content: [call, { ...result, cache_control: mark }] }, ASK];
    const sent = rendered(conversation(messages as never, { tools: [SEARCH, ...TOOLS] }), form).request.messages;
    const blocks = sent.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    expect(blocks.filter((block) => block.cache_control !== undefined)).toMatchObject([
      { type: 'tool_result', tool_use_id: 'srvtoolu_1', cache_control: mark },
    ]);
  });

  it.each(LOCAL.filter(([name]) => name !== 'stub'))(
    'what precedes the messages is the same bytes with a tool more, in the form %s',
    (_, form) => {
      const prefix = (tools: readonly object[]): string => {
        const { messages: __, ...rest } = rendered(conversation([ASK], { tools, system: 'Be brief.' }), form).request;
        return JSON.stringify(rest);
      };
      const more = Array.from({ length: 300 }, (__, index) => definition(`more_${index}`, { deferred: true }));
      expect(prefix([SEARCH, ...TOOLS, ...more])).toBe(prefix([SEARCH, ...TOOLS]));
    },
  );
});

describe('deferred tools that Anthropic defines', () => {
  const bash = { type: 'bash_20250124', name: 'bash', defer_loading: true };

  it('are hidden, found by what they do, and then sent as they came', async () => {
    const request = { tools: [SEARCH, NOW, bash] };
    expect(toolsOf(FORMS.load, request)).toEqual([NOW]);
    const { toolbox, plan, memory } = rendered(conversation([ASK], request), FORMS.load);
    const call = { id: 'c1', name: SEARCH.name, arguments: { query: 'command shell' } };
    const step = await toolbox.handle({ plan, call, memory, caller: {}, signal: new AbortController().signal });
    expect(step).toMatchObject({ found: { kind: 'search', names: ['bash'] } });
    const found = [ASK, { role: 'assistant', content: [...searched('srvtoolu_1', 'shell', ['bash'])] }];
    expect(toolsOf(FORMS.load, request, found)).toEqual([NOW, { type: 'bash_20250124', name: 'bash' }]);
  });
});
