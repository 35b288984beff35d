import { createToolbox, EMPTY_MEMORY } from '@quartermaster/core';
import { type DeferPlan, FORMS } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { openaiChatWire } from './chat-dialect.ts';
import { answered, CREATE, makeToolbox, READ, run, toolCall, USER } from './chat-run.fixture.ts';
import { chatRound, chunk } from './chat-script.fixture.ts';
import type { ChatMessage, ChatRequest } from './chat-shapes-2026-11.ts';

describe('rendering a request', () => {
  it.each(['system', 'developer'])('puts the note at the end of a first message of role %s', async (role) => {
    const text = await run([chatRound({ text: 'Hello' })], {
      request: { messages: [{ role, content: 'Be brief.' }, USER] },
    });
    const note = (text.plan as DeferPlan).note ?? '';
    expect(text.requests[0]?.messages).toEqual([{ role, content: `Be brief.\n\n${note}` }, USER]);
    const part = { type: 'text', text: 'Be brief.' };
    const parts = await run([chatRound({ text: 'Hello' })], {
      request: { messages: [{ role, content: [part] }, USER] },
    });
    expect(parts.requests[0]?.messages[0]).toEqual({ role, content: [part, { type: 'text', text: note }] });
  });

  it('shows a stub without "strict", which its open parameters could not keep', async () => {
    const strict = { type: 'function', function: { ...CREATE.function, strict: true } };
    const { requests } = await run([chatRound({ text: 'Hello' })], { form: 'stub', tools: [READ, strict] });
    expect(requests[0]?.tools?.at(-1)).toEqual({
      type: 'function',
      function: {
        name: 'create_issue',
        description: 'Opens an issue.',
        parameters: { type: 'object', properties: {}, additionalProperties: true },
      },
    });
  });

  it('declares a found tool in place of its stub, in a form that has both', () => {
    const toolbox = makeToolbox([READ, CREATE]);
    const plan = toolbox.plan(undefined, { form: { ...FORMS.load, hidden: 'stub' } });
    const request: ChatRequest = { messages: [USER, ...answered(toolCall('a', 'create_issue'))] };
    const view = toolbox.view(plan, openaiChatWire.recall(request, plan));
    const { tools } = openaiChatWire.render(request, view, () => '');
    expect(tools?.slice(1)).toEqual([READ, CREATE]);
  });

  it('sends tools on that only the upstream knows, and functions of the older kind', async () => {
    const foreign = { type: 'builtin_function', function: { name: '$web_search' } };
    const functions = [{ name: 'old', parameters: {} }];
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      form: 'load',
      request: { tools: [READ, foreign, CREATE], functions },
    });
    expect(requests[0]?.tools?.slice(1)).toEqual([READ, foreign]);
    expect(requests[0]?.functions).toEqual(functions);
  });

  it('offers what a prefetch found at the end of the latest user message', async () => {
    const first = [USER, { role: 'assistant', content: 'Hello' }];
    const parts = [
      { type: 'image_url', image_url: { url: 'data:,' } },
      { type: 'text', text: 'Open an issue' },
    ];
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      prefetch: true,
      request: { messages: [...first, { role: 'user', content: parts }] },
    });
    const last = requests[0]?.messages.at(-1)?.content as readonly { text: string }[];
    expect(last.slice(0, 2)).toEqual(parts);
    expect(last[2]?.text).toContain('create_issue');
    expect(requests[0]?.messages.slice(1, 3)).toEqual(first);
  });

  it('keeps parallel_tool_calls and unknown fields', async () => {
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      request: { parallel_tool_calls: false, future: { a: 1 } },
    });
    expect(requests[0]).toMatchObject({ parallel_tool_calls: false, future: { a: 1 } });
  });

  it('drops halves of pairs that compaction left', async () => {
    const messages: readonly ChatMessage[] = [
      { role: 'tool', tool_call_id: 'gone', content: 'Result' },
      USER,
      { role: 'assistant', content: null, tool_calls: [toolCall('a', 'read_file'), toolCall('b', 'read_file')] },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      { role: 'assistant', content: null, tool_calls: [toolCall('c', 'read_file')] },
      USER,
    ];
    const { requests } = await run([chatRound({ text: 'Hello' })], { request: { messages } });
    expect(requests[0]?.messages.slice(1)).toEqual([
      USER,
      { role: 'assistant', content: null, tool_calls: [toolCall('b', 'read_file')] },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      USER,
    ]);
  });
});

/** A turn of a conversation, as a client keeps it. */
const turn = fc.record({
  calls: fc.uniqueArray(fc.constantFrom('create_issue', 'apply_patch', 'read_file', 'gone'), { maxLength: 3 }),
  isReversed: fc.boolean(),
  extra: fc.dictionary(fc.constantFrom('__proto__', 'name', 'future'), fc.jsonValue(), { maxKeys: 1 }),
});

function conversation(
  turns: readonly { calls: readonly string[]; isReversed: boolean; extra: object }[],
): readonly (readonly ChatMessage[])[] {
  return turns.map(({ calls, isReversed, extra }, index) => {
    const made = calls.map((name, order) => toolCall(`call_${order}`, name));
    const results = made.map(
      (call): ChatMessage => ({ role: 'tool', tool_call_id: call.id, content: `Result ${index}` }),
    );
    return [
      { ...extra, role: 'user', content: `Turn ${index}` },
      ...(made.length === 0
        ? []
        : [{ role: 'assistant', content: null, tool_calls: made }, ...(isReversed ? results.reverse() : results)]),
      { role: 'assistant', content: 'Done' },
    ];
  });
}

describe('recall', () => {
  const toolbox = makeToolbox();
  const plan = toolbox.plan(undefined, { form: FORMS.load });
  const recall = (messages: readonly ChatMessage[]): readonly string[] =>
    openaiChatWire.recall({ messages }, plan).called;

  it('is what the messages that are left have called, after compaction, forks and in any order of results', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), fc.nat(6), fc.nat(6), (turns, from, to) => {
        const kept = conversation(turns).slice(from, to);
        const called = [...new Set(turns.slice(from, to).flatMap((one) => one.calls))];
        expect(recall(kept.flat())).toEqual(called);
      }),
    );
  });

  it('is the same for a request and for what its bytes are read back to', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
        const messages = conversation(turns).flat();
        expect(recall(JSON.parse(JSON.stringify(messages)))).toEqual(recall(messages));
      }),
    );
  });

  it('is nothing for an inline plan', () => {
    const inline = createToolbox({ tools: [READ], searcher: wordSearcher }).plan();
    expect(openaiChatWire.recall({ messages: answered(toolCall('a', 'create_issue')) }, inline)).toEqual(EMPTY_MEMORY);
  });
});

describe('render', () => {
  it.each(['stub', 'bridge', 'load'] as const)(
    'leaves messages alone that hold no deferred call, and pairs what it sends, in the form %s',
    (form) => {
      const toolbox = makeToolbox();
      const plan = toolbox.plan(undefined, { form: FORMS[form] });
      fc.assert(
        fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
          const messages = conversation(turns).flat();
          const request: ChatRequest = { messages };
          const view = toolbox.view(plan, openaiChatWire.recall(request, plan));
          const rendered = openaiChatWire.render(request, view, () => '').messages.slice(1);
          expect(rendered).toHaveLength(messages.length);
          for (const [index, message] of messages.entries()) {
            if (message.tool_calls === undefined) expect(rendered[index]).toBe(message);
            else
              expect(rendered[index]?.tool_calls?.map((call) => call.id)).toEqual(
                message.tool_calls?.map((call) => call.id),
              );
          }
        }),
      );
    },
  );

  it.each(['stub', 'bridge'] as const)('keeps the prefix to the byte over all turns, in the form %s', (form) => {
    const toolbox = makeToolbox();
    const plan = toolbox.plan(undefined, { form: FORMS[form] });
    const prefixes = [0, 1, 2, 3].map((count) => {
      const turns = Array.from({ length: count }, () => ({ calls: ['create_issue'], isReversed: false, extra: {} }));
      const request: ChatRequest = {
        messages: [{ role: 'system', content: 'Be brief.' }, ...conversation(turns).flat()],
      };
      const rendered = openaiChatWire.render(
        request,
        toolbox.view(plan, openaiChatWire.recall(request, plan)),
        () => '',
      );
      return JSON.stringify([rendered.tools, rendered.messages[0]]);
    });
    expect(new Set(prefixes).size).toBe(1);
  });
});

describe('other gateways’ spellings', () => {
  const text = [chunk({ content: 'Ok' }), chunk({}, 'stop')];

  it.each([
    'openrouter:tool_search',
    'orq:tool_search',
    'tool_search',
    'tool_search_tool_bm25',
    'tool_search_tool_regex_20251119',
  ])('take %s for our search', async (type) => {
    const request = { tools: [{ type }, READ, CREATE, { type: 'web_search_preview' }] };
    const { requests } = await run([text], { tools: [READ, CREATE], request });
    expect(JSON.stringify(requests[0])).not.toContain(`"type":"${type}"`);
    expect(requests[0]?.tools).toContainEqual({ type: 'web_search_preview' });
    expect(JSON.stringify(requests[0]?.tools)).toContain('"name":"tool_search"');
    const inline = createToolbox({ tools: [] });
    const plan = inline.plan();
    const view = inline.view(plan, openaiChatWire.recall({ messages: [USER] }, plan));
    const once = openaiChatWire.render({ messages: [USER], tools: [{ type }], tool_choice: 'auto' }, view, () => '');
    expect(once).toEqual({ messages: [USER] });
    const result = { role: 'tool', tool_call_id: 'c1', content: [{ type: 'tool_reference', tool_name: 'read_file' }] };
    expect(openaiChatWire.render({ messages: [result] }, view, () => '').messages).toEqual([
      { ...result, content: [{ type: 'text', text: 'read_file' }] },
    ]);
  });

  it.each<[object, object]>([
    [{ type: 'openrouter:tool_search' }, { type: 'openrouter:tool_search' }],
    [
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { type: 'function', function: { name: 'tool_search_tool_regex' } },
    ],
  ])('force our search by %j, once', async (tool, tool_choice) => {
    const searched = [
      chunk({ tool_calls: [{ index: 0, ...toolCall('c1', 'tool_search', { query: 'x' }) }] }, 'tool_calls'),
    ];
    const { requests } = await run([searched, text], { request: { tools: [tool, READ, CREATE], tool_choice } });
    expect(requests.map((request) => request.tool_choice)).toEqual([
      { type: 'function', function: { name: 'tool_search' } },
      'auto',
    ]);
    const inline = createToolbox({ tools: [] });
    const plan = inline.plan();
    const view = inline.view(plan, openaiChatWire.recall({ messages: [USER] }, plan));
    const once = openaiChatWire.render({ messages: [USER], tools: [tool, READ], tool_choice }, view, () => '');
    expect(once).toEqual({ messages: [USER], tools: [READ] });
  });

  it.each(['tool_search_tool_regex_20991231', 'tool_search_tool_semantic'])('refuse %s, which is not known', (type) => {
    expect(() => openaiChatWire.open({ messages: [USER], tools: [{ type }, READ] })).toThrow(
      `the search tool ${type} is not known here; known: tool_search_tool_regex_20251119`,
    );
  });

  it('treat deferred_tools as a request to search', async () => {
    const deferred_tools = { protocol: 'v1', profile: 'portable', search: { type: 'regex' }, validation: 'runtime' };
    const { requests } = await run([text], { request: { deferred_tools } });
    expect(requests[0]).not.toHaveProperty('deferred_tools');
    const custom = { messages: [USER], deferred_tools: { ...deferred_tools, search: { type: 'custom' } } };
    expect(() => openaiChatWire.open(custom)).toThrow('deferred_tools.search.type is "custom"');
    const open = (control: unknown) => () => openaiChatWire.open({ messages: [USER], deferred_tools: control });
    expect(open([{ type: 'function', function: { name: 'lost' } }])).toThrow('deferred_tools is not an object');
    expect(open({ tools: ['lost'] })).toThrow('deferred_tools has "tools"; allowed: protocol, profile, search');
    expect(open(null)).not.toThrow();
  });

  it.each(['tool_name', 'name'])('take references in a tool message, by %s, as what was found', async (key) => {
    const found = toolCall('c1', 'find_tools');
    const messages: readonly ChatMessage[] = [
      USER,
      { role: 'assistant', content: null, tool_calls: [found] },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'Found one' },
          { type: 'tool_reference', [key]: 'create_issue' },
        ],
      },
    ];
    const { requests } = await run([text], { form: 'load', request: { messages } });
    expect(requests[0]?.tools?.at(-1)).toMatchObject({ function: { name: 'create_issue' } });
    expect(requests[0]?.messages.at(-1)?.content).toMatchObject([
      { type: 'text', text: 'Found one' },
      { type: 'text', text: expect.stringContaining('create_issue') },
    ]);
  });
});
