import { scripted, UpstreamError } from '@quartermaster/host/upstream';
import type { AnthropicEvent } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import {
  type AgentForm,
  createMemorySessionStore,
  type HookCallback,
  type Options,
  query,
  rehearsal,
} from './index.ts';
import { type Asked, ask } from './testing/ask.fixture.ts';
import { assistantsOf, collect, initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { office } from './testing/servers.fixture.ts';

const WEATHER = 'mcp__office__get_weather';
const ALL = [WEATHER, 'mcp__office__send_mail', 'mcp__office__write_file'];
const ALLOWED = { allowedTools: ['mcp__office__*'] };

type Turns = Parameters<typeof ask>[0];

interface FormCase {
  readonly form: AgentForm;
  /** What the model writes to find the weather tool and to call it. */
  readonly turns: (input: object) => Turns;
  /** What is declared before anything is found, and after. */
  readonly first: readonly string[];
  readonly later: readonly string[];
  /** What an entry that stands for the weather tool looks like at first, where there is one. */
  readonly standIn: object | undefined;
}

const CASES: readonly FormCase[] = [
  {
    form: 'stub',
    turns: (input) => [search(), { calls: [{ name: WEATHER, input }] }],
    first: ['tool_search', ...ALL],
    later: ['tool_search', ...ALL],
    standIn: {
      description: 'Tells the weather of a city.',
      input_schema: { type: 'object', properties: {}, additionalProperties: true },
    },
  },
  {
    form: 'bridge',
    turns: (input) => [search(), { calls: [{ name: 'tool_call', input: { name: WEATHER, arguments: input } }] }],
    first: ['tool_search', 'tool_describe', 'tool_call'],
    later: ['tool_search', 'tool_describe', 'tool_call'],
    standIn: undefined,
  },
  {
    form: 'load',
    turns: (input) => [search(), { calls: [{ name: WEATHER, input }] }],
    first: ['tool_search'],
    later: ['tool_search', WEATHER],
    standIn: undefined,
  },
  {
    form: 'native',
    turns: (input) => [search(), { calls: [{ name: WEATHER, input }] }],
    first: ['tool_search'],
    later: ['tool_search', WEATHER],
    standIn: undefined,
  },
  {
    form: 'hosted',
    turns: (input) => [{ parts: hostedAnswer(input) }],
    first: ['tool_search_tool_bm25', ...ALL],
    later: ['tool_search_tool_bm25', ...ALL],
    standIn: { defer_loading: true, input_schema: { properties: { text: { type: 'string' } } } },
  },
];

describe('tool_describe in the form bridge', () => {
  it('tells the parameters of a tool, and the call after it is made', async () => {
    const describe = { calls: [{ name: 'tool_describe', input: { name: WEATHER } }] };
    const call = { calls: [{ name: 'tool_call', input: { name: WEATHER, arguments: { text: 'Oslo' } } }] };
    const { messages, upstream } = await ask([search(), describe, call, { text: 'Done.' }], {
      ...ALLOWED,
      form: 'bridge',
    });
    const after = upstream.requests[2]?.messages.at(-1);
    expect(JSON.stringify(after)).toContain('"text":{"type":"string"}'.replaceAll('"', '\\"'));
    expect(resultsIn(messages)).toEqual([{ text: 'get_weather: Oslo', isError: false }]);
    expect(resultOf(messages).subtype).toBe('success');
    // What was described stays in the conversation for the rounds that follow.
    expect(JSON.stringify(upstream.requests[3]?.messages)).toContain('tool_describe');
  });
});

describe.each(CASES)('the form $form', ({ form, turns, first, later, standIn }) => {
  it('finds a tool and calls it; hooks see the real one', async () => {
    const seen: string[] = [];
    const note: HookCallback = async (input) => {
      seen.push(`${input.hook_event_name} ${'tool_name' in input ? input.tool_name : ''}`);
      return {};
    };
    const hooks = { PreToolUse: [{ hooks: [note] }], PostToolUse: [{ hooks: [note] }] };
    const asked = await ask([...turns({ text: 'Oslo' }), { text: 'It rains.' }], { form, hooks, ...ALLOWED });
    expect(declared(asked, 0)).toEqual(first);
    expect(declared(asked, -1)).toEqual(later);
    const entry = asked.upstream.requests[0]?.tools?.find(({ name }) => name === WEATHER);
    if (standIn === undefined) expect(entry).toBeUndefined();
    else expect(entry).toMatchObject(standIn);
    expect(blocksOf(asked)).toEqual(['server_tool_use', 'tool_search_tool_result', 'tool_use', 'text']);
    expect(resultsIn(asked.messages)).toEqual([{ text: 'get_weather: Oslo', isError: false }]);
    expect(resultOf(asked.messages)).toMatchObject({ subtype: 'success', result: 'It rains.' });
    expect(seen).toEqual([`PreToolUse ${WEATHER}`, `PostToolUse ${WEATHER}`]);
  });

  it('asks about the real tool, and tells the model when it is denied', async () => {
    const asked = await ask([...turns({ text: 'Oslo' }), { text: 'Sorry.' }], {
      form,
      canUseTool: async (name) => ({ behavior: 'deny', message: `Not ${name}.` }),
    });
    expect(resultsIn(asked.messages)).toEqual([{ text: `Not ${WEATHER}.`, isError: true }]);
    expect(resultOf(asked.messages).permission_denials).toMatchObject([
      { tool_name: WEATHER, tool_input: { text: 'Oslo' } },
    ]);
  });

  it('hides what is disallowed', async () => {
    const options = { form, ...ALLOWED, disallowedTools: ['mcp__office__send_mail'] };
    const asked = await ask([...turns({ text: 'Oslo' }), { text: 'It rains.' }], options);
    expect(JSON.stringify(asked.upstream.requests)).not.toContain('send_mail');
  });

  it('answers arguments that do not fit', async () => {
    const asked = await ask([...turns({ text: { no: 'string' } }), { text: 'Sorry.' }], { form, ...ALLOWED });
    expect(JSON.stringify(asked.upstream.requests.at(-1)?.messages)).toContain('invalid_arguments');
    expect(resultOf(asked.messages)).toMatchObject({ subtype: 'success', result: 'Sorry.' });
  });

  it('is resumed, in itself and in every other form, with what was found', async () => {
    const sessions = createMemorySessionStore();
    const kept = { sessions, persistSession: true, ...ALLOWED };
    const begun = await ask([...turns({ text: 'Oslo' }), { text: 'It rains.' }], { form, ...kept });
    const resume = initOf(begun.messages).session_id;
    for (const other of CASES) {
      const asked = await ask([{ text: 'Again.' }], { form: other.form, ...kept, resume, forkSession: true });
      expect(declared(asked, 0)).toEqual(other.later);
      const text = JSON.stringify(asked.upstream.requests[0]?.messages);
      expect(text).toContain('get_weather: Oslo');
      expect(text.includes('"name":"tool_call"')).toBe(other.form === 'bridge');
      expect(text.includes('tool_reference')).toBe(other.form === 'native' || other.form === 'hosted');
    }
  });

  it('is compacted, and searched again', async () => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum';
    const sessions = createMemorySessionStore();
    const kept = { form, sessions, persistSession: true, ...ALLOWED };
    // Longer than what is kept of a window of that size.
    const rain = { text: 'It rains. '.repeat(200) };
    const begun = await ask([...turns({ text: 'Oslo' }), rain], kept);
    const asked = await ask(
      [
        { fails: new UpstreamError({ code: 'refused', message, status: 400 }) },
        { text: 'They asked for the weather.' },
        ...turns({ text: 'Rome' }),
        { text: 'Fine.' },
      ],
      { ...kept, contextTokens: 2_000, resume: initOf(begun.messages).session_id },
    );
    expect(asked.messages.some((one) => one.type === 'system' && one.subtype === 'compact_boundary')).toBe(true);
    expect(declared(asked, 0)).toEqual(later);
    expect(declared(asked, 2)).toEqual(first);
    const text = JSON.stringify(asked.upstream.requests[2]?.messages);
    expect(text).toContain('They asked for the weather.');
    expect(text).not.toContain('Oslo');
    expect(resultsIn(asked.messages)).toEqual([{ text: 'get_weather: Rome', isError: false }]);
  });
});

describe.each(['stub', 'bridge', 'load', 'native', 'hosted'] as const)('a rehearsal of the form %s', (form) => {
  it('finds what the prompt is about', async () => {
    const options = { upstream: rehearsal(), form, mcpServers: { office: office(20) }, persistSession: false };
    const messages = await collect(query({ prompt: 'Send an email to "Ada"', options: { ...options, ...ALLOWED } }));
    expect(resultOf(messages)).toMatchObject({ result: expect.stringContaining('mcp__office__send_mail answered') });
  });
});

describe('the choice of a form', () => {
  const ownTools = async (form: Options['form'], transport: string): Promise<readonly string[]> => {
    const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'Hello.' }] });
    const options: Options = { upstream: { ...upstream, transport }, persistSession: false };
    const given = form === undefined ? options : { ...options, form };
    await collect(query({ prompt: 'Hi', options: { ...given, mcpServers: { office: office() } } }));
    return upstream.requests[0]?.tools?.map(({ name }) => String(name)) ?? [];
  };
  const BRIDGE = ['tool_search', 'tool_describe', 'tool_call'];

  it.each<[NonNullable<Options['form']>, string, readonly string[]]>([
    ['auto', 'anthropic-messages', ['tool_search']],
    ['auto', 'ai-sdk', ['tool_search']],
    ['stub', 'ai-sdk', ['tool_search', ...ALL]],
    ['load', 'ai-sdk', ['tool_search']],
    ['load', 'mcp-stateless', BRIDGE],
    ['native', 'ai-sdk', BRIDGE],
    ['hosted', 'ai-sdk', BRIDGE],
    // What OpenAI searches for can't be said in the Messages API.
    ['native', 'openai-responses', BRIDGE],
    ['hosted', 'openai-responses', BRIDGE],
  ])('%s over %s becomes what the transport can carry', async (form, transport, expected) => {
    expect(await ownTools(form, transport)).toEqual(expected);
  });

  it.each(['client', 'sub', ''])('refuses %j, before a server is started', async (form) => {
    let made = 0;
    const create = (): never => {
      made += 1;
      throw new Error('It is not to be made');
    };
    const options = { form: form as AgentForm, mcpServers: { one: { type: 'in-process', create } } } as const;
    await expect(ask([], options)).rejects.toThrow(
      `form is ${JSON.stringify(form)}; allowed: auto, stub, bridge, load, native, hosted`,
    );
    expect(made).toBe(0);
  });

  it('is stub where capabilities decide, unless another one is chosen', async () => {
    const many = { capabilities: ['tool_search'], mcpServers: { office: office(20) } };
    const tools = async (options: Options): Promise<number> =>
      declared(await ask([{ text: 'Hello.' }], options), 0).length;
    expect(await tools(many)).toBe(24);
    expect(await tools({ ...many, form: 'auto' })).toBe(24);
    expect(await tools({ ...many, form: 'native' })).toBe(1);
    expect(await tools({ ...many, env: { ENABLE_TOOL_SEARCH: 'true' } })).toBe(1);
  });
});

function search(): Turns[number] {
  return { calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] };
}

function declared({ upstream }: Asked, index: number): readonly unknown[] {
  return upstream.requests.at(index)?.tools?.map(({ name }) => name) ?? [];
}

function blocksOf({ messages }: Asked): readonly string[] {
  return assistantsOf(messages).flatMap(({ message }) => message.content.map(({ type }) => type));
}

/** A provider that searches by itself: the search, what it found, and the call, in one message. */
function hostedAnswer(input: object): readonly AnthropicEvent[] {
  const content = {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: WEATHER }],
  };
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'weather' } },
    { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content },
    { type: 'tool_use', id: 'toolu_1', name: WEATHER, input },
  ];
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage } },
    ...blocks.flatMap((block, index): readonly AnthropicEvent[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  ];
}
