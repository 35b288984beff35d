import { createSnapshot, createToolbox, EMPTY_MEMORY, type Plan, parseTools, type Toolbox } from '@quartermaster/core';
import { type DeferPlan, FORMS, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { runLoop } from '@quartermaster/core/loop';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { chatRound, chatTool, chunk, USAGE } from './chat-script.fixture.ts';
import type { ChatChunk, ChatMessage, ChatRequest, ChatToolCall } from './chat-shapes-2026-11.ts';
import { openaiChatWire } from './openai-chat-wire.ts';
import { chatWhole } from './whole.ts';

const READ = chatTool('read_file', 'Reads a file.');
const CREATE = chatTool('create_issue', 'Opens an issue.');
const PATCH = {
  type: 'custom',
  custom: { name: 'apply_patch', description: 'Applies a patch.', format: { type: 'text' } },
};
const USER: ChatMessage = { role: 'user', content: 'Open an issue' };

function makeToolbox(tools: readonly unknown[] = [READ, CREATE, PATCH]): Toolbox {
  return createToolbox({
    tools: createSnapshot(parseTools(tools, { format: 'openai-chat', onProblem: 'throw' }).tools),
    searcher: wordSearcher,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file'] },
  });
}

interface Run {
  readonly parts: readonly ChatChunk[];
  readonly requests: readonly ChatRequest[];
  readonly plan: Plan;
}

async function run(
  rounds: readonly (readonly ChatChunk[])[],
  options: { form?: FormName; request?: Partial<ChatRequest>; tools?: readonly unknown[]; prefetch?: boolean } = {},
): Promise<Run> {
  const tools = options.tools ?? [READ, CREATE, PATCH];
  const toolbox = makeToolbox(tools);
  const plan = toolbox.plan(undefined, { form: FORMS[options.form ?? 'bridge'] });
  const requests: ChatRequest[] = [];
  const parts: ChatChunk[] = [];
  const loop = runLoop<ChatRequest, ChatChunk>({
    wire: openaiChatWire,
    toolbox,
    plan,
    prefetch: options.prefetch ?? false,
    request: { model: 'gpt-5.4', messages: [USER], tools, ...options.request },
    async *upstream(request) {
      requests.push(request);
      yield* rounds[requests.length - 1] ?? [];
    },
  });
  for await (const part of loop) parts.push(part);
  return { parts, requests, plan };
}

function answered(call: ChatToolCall, text = 'Done'): readonly ChatMessage[] {
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: text },
  ];
}

function toolCall(id: string, name: string, input: unknown = { text: 'x' }): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

const SEARCH = { id: 'call_0', name: 'tool_search', input: { query: 'issue' } };

describe('a refused call of ours', () => {
  it.each([
    [
      '{"name": "create_issue", "arguments": {"text": ',
      { INVALID_JSON: '{"name": "create_issue", "arguments": {"text": ' },
    ],
    ['```json\n{"name":"nothing"}\n```', { name: 'nothing' }],
  ])('stands in the next round with arguments that every host can read: %s', async (text, read) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'tool_call', arguments: text } };
    const broken = [chunk({ role: 'assistant' }), chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')];
    const { requests } = await run([broken, chatRound({ text: 'Hello' })]);
    const written = requests[1]?.messages.find(({ role }) => role === 'assistant')?.tool_calls?.[0];
    expect(JSON.parse(written?.function?.arguments ?? '')).toEqual(read);
  });

  it('keeps the bytes of arguments that are JSON', async () => {
    const text = '{ "name":"nothing" }';
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'tool_call', arguments: text } };
    const refused = [chunk({ role: 'assistant' }), chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')];
    const { requests } = await run([refused, chatRound({ text: 'Hello' })]);
    const written = requests[1]?.messages.find(({ role }) => role === 'assistant')?.tool_calls?.[0];
    expect(written?.function?.arguments).toBe(text);
  });
});

describe('reading a stream', () => {
  it('waits for the usage that follows the reason', async () => {
    const { parts } = await run([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })], {
      request: { stream_options: { include_usage: true } },
    });
    expect(parts.at(-2)?.choices?.[0]?.finish_reason).toBe('stop');
    expect(parts.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    });
  });

  it('goes by the calls that it saw, not by the reason: "stop" can come with calls', async () => {
    const { parts, requests } = await run([
      chatRound({ calls: [SEARCH], reason: 'stop' }),
      chatRound({ calls: [{ id: 'a', name: 'read_file', input: {} }], reason: 'stop' }),
    ]);
    expect(requests).toHaveLength(2);
    expect(chatWhole.fromParts(parts).choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'a', function: { name: 'read_file' } }] },
      finish_reason: 'tool_calls',
    });
  });

  it('takes the last usage of a round that counts up in every chunk', async () => {
    const counted = chatRound({ text: 'Hello' }).map((part, index) => ({ ...part, usage: { total_tokens: index } }));
    const { parts } = await run([counted]);
    expect(chatWhole.fromParts(parts).usage).toEqual({ total_tokens: counted.length - 1 });
  });

  it('puts interleaved calls one after the other', async () => {
    const piece = (index: number, text: string): ChatChunk =>
      chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    const begin = (index: number): ChatChunk =>
      chunk({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'read_file', arguments: '' } }],
      });
    const { parts } = await run([
      [
        chunk({ role: 'assistant' }),
        begin(0),
        begin(1),
        piece(1, '{"text":'),
        piece(0, '{"text":'),
        piece(1, '"b"}'),
        piece(0, '"a"}'),
        chunk({}, 'tool_calls'),
      ],
    ]);
    const indexes = parts.flatMap((part) => part.choices?.[0]?.delta.tool_calls?.map((call) => call.index) ?? []);
    expect(indexes).toEqual([...indexes].sort());
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      toolCall('call_0', 'read_file', { text: 'a' }),
      toolCall('call_1', 'read_file', { text: 'b' }),
    ]);
  });

  it('tells calls apart that come with one index, or with none', async () => {
    const call = (id: string, index: object): ChatChunk =>
      chunk({
        tool_calls: [
          { ...index, id, type: 'function', function: { name: 'read_file', arguments: `{"text":"${id}"}` } },
        ],
      });
    for (const index of [{ index: 0 }, {}]) {
      const { parts } = await run([
        [chunk({ role: 'assistant' }), call('a', index), call('b', index), chunk({}, 'tool_calls')],
      ]);
      expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
        toolCall('a', 'read_file', { text: 'a' }),
        toolCall('b', 'read_file', { text: 'b' }),
      ]);
    }
  });

  it('reads id and name once from a host that repeats them in every piece', async () => {
    const piece = (text: string): ChatChunk =>
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: text } }],
      });
    const { parts } = await run([
      [chunk({ role: 'assistant' }), piece('{"text"'), piece(':"x"}'), chunk({}, 'tool_calls')],
    ]);
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('a', 'read_file')]);
  });

  it('reads a chunk that says nothing, and a piece of a call without a function', async () => {
    const { parts } = await run([
      [
        chunk({ role: 'assistant', content: 'Hi' }),
        { choices: [{ index: 0, delta: null as never, finish_reason: null }] },
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 0, function: null as never }] }),
        chunk({}, 'tool_calls'),
      ],
    ]);
    const message = { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: '{}' } }] };
    expect(chatWhole.fromParts(parts).choices).toMatchObject([{ message }]);
    const silent = { choices: [{ index: 0, delta: null as never }] };
    expect(chatWhole.fromParts([silent]).choices).toMatchObject([{ message: { content: null } }]);
  });

  it('passes on what has no choices', async () => {
    const report: ChatChunk = { id: 'x', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const { parts } = await run([[report, ...chatRound({ text: 'Hello' })]]);
    expect(parts[0]).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  });

  it('passes on calls of the older kind', async () => {
    const { parts } = await run([
      [
        chunk({ role: 'assistant' }),
        chunk({ function_call: { name: 'old', arguments: '{}' } }),
        chunk({}, 'function_call'),
      ],
    ]);
    expect(chatWhole.fromParts(parts).choices[0]).toMatchObject({
      message: { function_call: { name: 'old', arguments: '{}' } },
      finish_reason: 'function_call',
    });
  });

  it('tells of a real call that the limit cut', async () => {
    const cut = chunk({
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"te' } }],
    });
    const { parts } = await run([[chunk({ role: 'assistant' }), cut, chunk({}, 'length')]]);
    expect(chatWhole.fromParts(parts).choices[0]?.finish_reason).toBe('length');
  });
});

describe('writing the next round', () => {
  it('gives back what a host attaches to calls and messages', async () => {
    const signature = { extra_content: { google: { thought_signature: 'abc' } } };
    const { requests, parts } = await run([
      [
        chunk({ role: 'assistant', reasoning_content: 'The user ' }),
        chunk({ reasoning_content: 'wants an issue.' }),
        chunk({ tool_calls: [{ index: 0, ...signature, ...toolCall('s', 'tool_search', { query: 'issue' }) }] }),
        chunk({}, 'tool_calls'),
      ],
      [
        chunk({
          tool_calls: [
            {
              index: 0,
              ...signature,
              ...toolCall('c', 'tool_call', { name: 'create_issue', arguments: { text: 'x' } }),
            },
          ],
        }),
        chunk({}, 'tool_calls'),
      ],
    ]);
    expect(requests[1]?.messages.at(-2)).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'The user wants an issue.',
      tool_calls: [{ ...signature, ...toolCall('s', 'tool_search', { query: 'issue' }) }],
    });
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      { ...signature, ...toolCall('c', 'create_issue') },
    ]);
  });

  it('frees a choice that forced the search, in the next round only', async () => {
    const forced = { type: 'function', function: { name: 'tool_search' } };
    const request = { tool_choice: forced };
    const { requests } = await run([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })], { request });
    expect(requests.map((one) => one.tool_choice)).toEqual([forced, 'auto']);
    const again = await run([chatRound({ text: 'Hello' })], {
      request: { ...request, messages: [USER, ...answered(toolCall('a', 'create_issue')), USER] },
    });
    expect(again.requests[0]?.tool_choice).toEqual(forced);
  });

  it('keeps "required" until a real tool is called', async () => {
    const { requests } = await run(
      [chatRound({ calls: [SEARCH] }), chatRound({ calls: [{ id: 'a', name: 'read_file', input: {} }] })],
      { request: { tool_choice: 'required' } },
    );
    expect(requests.map((one) => one.tool_choice)).toEqual(['required', 'required']);
  });

  it.each(['stub', 'bridge', 'load'] as const)(
    'shows a deferred tool in full that the client forces, in the form %s',
    async (form) => {
      const choice = { type: 'function', function: { name: 'create_issue' } };
      const { requests, parts } = await run(
        [chatRound({ calls: [{ id: 'a', name: 'create_issue', input: { text: 'x' } }] })],
        {
          form,
          request: { tool_choice: choice },
        },
      );
      expect(requests[0]?.tools?.at(-1)).toEqual(CREATE);
      expect(requests[0]?.tools?.filter((tool) => JSON.stringify(tool).includes('"create_issue"'))).toHaveLength(1);
      expect(requests[0]?.tool_choice).toEqual(choice);
      expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('a', 'create_issue')]);
    },
  );

  it('cuts a list of allowed tools down to those that are declared, and lets the search in', async () => {
    const named = (name: string): object => ({ type: 'function', function: { name } });
    const choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [named('read_file'), named('create_issue')] },
    };
    const { requests } = await run([chatRound({ text: 'Hello' })], { form: 'load', request: { tool_choice: choice } });
    expect(requests[0]?.tool_choice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [named('read_file'), named('tool_search')] },
    });
  });
});

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

  it('keeps parallel_tool_calls and fields that nobody knows', async () => {
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

describe('custom tools', () => {
  it('are found, called with their text, and stand in the history as the model wrote them', async () => {
    const { parts } = await run([
      chatRound({
        calls: [{ id: 'a', name: 'tool_call', input: { name: 'apply_patch', arguments: { input: '*** Begin' } } }],
      }),
    ]);
    const call = { id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } };
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([call]);
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      request: { messages: [USER, ...answered(call)] },
    });
    expect(requests[0]?.messages.at(-2)?.tool_calls).toEqual([
      toolCall('a', 'tool_call', { name: 'apply_patch', arguments: { input: '*** Begin' } }),
    ]);
  });

  it('keep their definition and their calls in the forms that call by name', async () => {
    const delta = { index: 0, id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } };
    const { parts, requests } = await run(
      [[chunk({ role: 'assistant', tool_calls: [delta] }), chunk({}, 'tool_calls')]],
      { form: 'stub' },
    );
    expect(requests[0]?.tools?.at(-1)).toEqual(PATCH);
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      { id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } },
    ]);
  });
});

describe('names that the API would refuse', () => {
  const odd = chatTool('issues.create', 'Opens an issue.');

  it("are the client's own in calls, and the model's in the history", async () => {
    const shown = makeToolbox([READ, odd]).snapshot().tools[1];
    const name = shown === undefined ? '' : makeToolbox([READ, odd]).snapshot().modelName(shown);
    expect(name).toMatch(/^issues_create_[0-9a-f]{8}$/);
    const { parts } = await run(
      [chatRound({ calls: [SEARCH] }), chatRound({ calls: [{ id: 'b', name, input: { text: 'x' } }] })],
      {
        tools: [READ, odd],
        form: 'load',
      },
    );
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('b', 'issues.create')]);
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      tools: [READ, odd],
      form: 'load',
      request: { messages: [USER, ...answered(toolCall('b', 'issues.create'))] },
    });
    expect(requests[0]?.messages.at(-2)?.tool_calls).toEqual([toolCall('b', name)]);
    expect(requests[0]?.tools?.at(-1)).toEqual(chatTool(name, 'Opens an issue.'));
  });
});

describe('a whole completion', () => {
  it('comes back as it was, several choices and unknown fields too', () => {
    const choice = (index: number): object => ({
      index,
      message: {
        role: 'assistant',
        content: `Answer ${index}`,
        refusal: null,
        annotations: [{ type: 'url_citation' }],
      },
      logprobs: { content: [{ token: 'A', logprob: -1 }], refusal: null },
      finish_reason: 'stop',
    });
    const completion = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [choice(0), choice(1)] as never,
      usage: USAGE,
      system_fingerprint: 'fp',
    };
    expect(chatWhole.fromParts(chatWhole.toParts(completion))).toEqual(completion);
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

  it.each(['openrouter:tool_search', 'orq:tool_search'])('take %s for our search', async (type) => {
    const request = { tools: [{ type }, READ, CREATE, { type: 'web_search_preview' }] };
    const { requests } = await run([text], { tools: [READ, CREATE], request });
    expect(JSON.stringify(requests[0])).not.toContain(type);
    expect(requests[0]?.tools).toContainEqual({ type: 'web_search_preview' });
    expect(JSON.stringify(requests[0]?.tools)).toContain('"tool_search"');
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

  it('take deferred_tools for a wish to search', async () => {
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
