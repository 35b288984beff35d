import { createToolbox, type Toolbox } from '@quartermaster/core';
import { FORMS, type Form } from '@quartermaster/core/disclosure';
import { runLoop } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName, type PartOf, type RequestOf, type ResponseOf } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { REHEARSAL_NOTICE, rehearsal } from './rehearsal-model.ts';

const TOOLS = [
  tool('get_weather', 'Tells the weather of a city.', { city: { type: 'string' } }, ['city']),
  tool(
    'create_issue',
    'Opens an issue in a repository.',
    {
      title: { type: 'string' },
      priority: { type: 'string', enum: ['low', 'high'] },
      body: { type: 'string' },
    },
    ['title', 'priority'],
  ),
  tool('send_message', 'Sends a message to a channel.', { channel: { type: 'string' } }, ['channel']),
  tool('convert_currency', 'Converts an amount of money.', { amount: { type: 'number' } }, ['amount']),
];

function tool(name: string, description: string, properties: object, required: readonly string[]): object {
  return { name, description, input_schema: { type: 'object', properties, required } };
}

function toolbox(): Toolbox {
  return createToolbox({
    tools: TOOLS,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
}

/** A conversation of one dialect, without tools of its own: the catalog is ours. */
interface Conversation<D extends DialectName> {
  ask(text: string): RequestOf<D>;
  answer(request: RequestOf<D>, response: ResponseOf<D>, results: ReadonlyMap<string, string>): RequestOf<D>;
  say(request: RequestOf<D>, text: string): RequestOf<D>;
}

const CONVERSATIONS: { readonly [D in DialectName]: Conversation<D> } = {
  anthropic: {
    ask: (text) => ({ model: 'rehearsal', max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    answer: (request, response, results) => ({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: response.content },
        ...(results.size === 0
          ? []
          : [
              {
                role: 'user',
                content: [...results].map(([id, content]) => ({ type: 'tool_result', tool_use_id: id, content })),
              },
            ]),
      ],
    }),
    say: (request, text) => ({ ...request, messages: [...request.messages, { role: 'user', content: text }] }),
  },
  'openai-chat': {
    ask: (text) => ({ model: 'rehearsal', messages: [{ role: 'user', content: text }] }),
    answer: (request, response, results) => ({
      ...request,
      messages: [
        ...request.messages,
        ...response.choices.map(({ message }) => message),
        ...[...results].map(([id, content]) => ({ role: 'tool', tool_call_id: id, content })),
      ],
    }),
    say: (request, text) => ({ ...request, messages: [...request.messages, { role: 'user', content: text }] }),
  },
  'openai-responses': {
    ask: (text) => ({ model: 'rehearsal', input: [{ type: 'message', role: 'user', content: text }] }),
    answer: (request, response, results) => ({
      ...request,
      input: [
        ...(Array.isArray(request.input) ? request.input : []),
        ...(response.output ?? []),
        ...[...results].map(([call_id, output]) => ({ type: 'function_call_output', call_id, output })),
      ],
    }),
    say: (request, text) => ({
      ...request,
      input: [...(Array.isArray(request.input) ? request.input : []), { type: 'message', role: 'user', content: text }],
    }),
  },
};

const MARKED: Form = { ...FORMS.native, hidden: 'mark' };

const CASES: readonly (readonly [DialectName, string, Form])[] = [
  ['anthropic', 'stub', FORMS.stub],
  ['anthropic', 'bridge', FORMS.bridge],
  ['anthropic', 'load', FORMS.load],
  ['anthropic', 'native', FORMS.native],
  ['anthropic', 'native with marks', MARKED],
  ['openai-chat', 'stub', FORMS.stub],
  ['openai-chat', 'bridge', FORMS.bridge],
  ['openai-chat', 'load', FORMS.load],
  ['openai-responses', 'stub', FORMS.stub],
  ['openai-responses', 'bridge', FORMS.bridge],
  ['openai-responses', 'load', FORMS.load],
  ['openai-responses', 'native', FORMS.native],
  ['openai-responses', 'native with marks', MARKED],
];

async function turn<D extends DialectName>(dialect: D, form: Form, request: RequestOf<D>): Promise<ResponseOf<D>> {
  const box = toolbox();
  const parts: PartOf<D>[] = [];
  const { wire } = SAMPLES[dialect];
  const upstream = rehearsal(dialect).stream;
  const plan = box.plan(undefined, { form });
  for await (const part of runLoop<RequestOf<D>, PartOf<D>>({ wire, toolbox: box, plan, request, upstream })) {
    parts.push(part);
  }
  return DIALECTS[dialect].whole.fromParts(parts);
}

describe.each(CASES)('a rehearsal in %s with the form %s', (dialect, _name, form) => {
  const { ask, answer, say } = CONVERSATIONS[dialect] as Conversation<DialectName>;
  const received = SAMPLES[dialect].received as (
    response: ResponseOf<DialectName>,
  ) => ReturnType<(typeof SAMPLES)['anthropic']['received']>;

  it('searches, calls what fits with filled arguments, and quotes the result, turn after turn', async () => {
    const first = ask('Open an issue "Login fails" with high priority');
    const called = await turn(dialect, form, first);
    const [call] = received(called).calls;
    expect(call).toMatchObject({ name: 'create_issue', input: { title: 'Login fails', priority: 'high' } });
    expect(received(called).ending).toBe('calls');
    expect(received(called).text).toContain(REHEARSAL_NOTICE);

    const second = answer(first, called, new Map([[call?.id ?? '', 'Issue 17 is open']]));
    const quoted = await turn(dialect, form, second);
    expect(received(quoted)).toMatchObject({ calls: [], ending: 'done' });
    expect(received(quoted).text).toContain(REHEARSAL_NOTICE);
    expect(received(quoted).text).toContain('create_issue answered "Issue 17 is open"');

    const third = say(answer(second, quoted, new Map()), 'How is the weather in Oslo today?');
    const again = await turn(dialect, form, third);
    expect(received(again).calls).toMatchObject([{ name: 'get_weather', input: { city: 'Oslo' } }]);
    expect(received(again).calls[0]?.id).not.toBe(call?.id);
  });

  it('says that it found nothing if nothing fits', async () => {
    const response = await turn(dialect, form, ask('qqqq zzzz'));
    expect(received(response)).toMatchObject({ calls: [], ending: 'done' });
    expect(received(response).text).toContain('The search found no tool for "qqqq zzzz"');
  });

  it('answers the same request the same way', async () => {
    const request = ask('Convert 12.5 euros of money');
    const [one, two] = [await turn(dialect, form, request), await turn(dialect, form, request)];
    expect(received(one)).toEqual(received(two));
    expect(received(one).calls).toMatchObject([{ name: 'convert_currency', input: { amount: 12.5 } }]);
  });
});

const NAMES = Object.keys(DIALECTS) as DialectName[];

describe.each(NAMES)('a rehearsal as an upstream of %s', (dialect) => {
  const sample = SAMPLES[dialect] as (typeof SAMPLES)[DialectName];

  it('sends parts in a valid order, with usage, and stops when aborted', async () => {
    const upstream = rehearsal(dialect);
    const parts = await collect(upstream.stream(sample.request as never, new AbortController().signal));
    sample.expectOrder(parts as never);
    const { tokens } = sample.received(DIALECTS[dialect].whole.fromParts(parts as never) as never);
    expect(Math.min(tokens.input, tokens.output)).toBeGreaterThan(0);
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(collect(upstream.stream(sample.request as never, gone))).rejects.toThrow('gone');
  });
});

describe('a rehearsal without a toolbox', () => {
  const { signal } = new AbortController();
  const request = SAMPLES.anthropic.request;

  it('calls the best declared tool when there is no search', async () => {
    const response = await rehearsal('anthropic').whole(request, signal);
    expect(SAMPLES.anthropic.received(response).calls).toMatchObject([
      { name: 'get_weather', input: { city: 'Oslo' } },
    ]);
  });

  it.each([
    ['none', { type: 'none' }, []],
    ['a tool by name', { type: 'tool', name: 'send_message' }, ['send_message']],
    ['any', { type: 'any' }, ['get_weather']],
  ])('respects a tool_choice of %s', async (_name, choice, names) => {
    const tools = [...(request.tools ?? []), TOOLS[2]] as NonNullable<typeof request.tools>;
    const response = await rehearsal('anthropic').whole({ ...request, tools, tool_choice: choice }, signal);
    expect(SAMPLES.anthropic.received(response).calls.map(({ name }) => name)).toEqual(names);
  });

  it.each(['regex', 'bm25'])("runs Anthropic's own %s search itself, in one response", async (engine) => {
    const deferred = TOOLS.map((one) => ({ ...one, defer_loading: true }));
    const search = { type: `tool_search_tool_${engine}_20251119`, name: `tool_search_tool_${engine}` };
    const tools = [search, ...deferred] as unknown as NonNullable<typeof request.tools>;
    const response = await rehearsal('anthropic').whole({ ...request, tools }, signal);
    expect(response.content.map(({ type }) => type)).toEqual([
      'text',
      'server_tool_use',
      'tool_search_tool_result',
      'text',
      'tool_use',
    ]);
    expect(response.content[2]?.content).toMatchObject({ tool_references: [{ tool_name: 'get_weather' }] });
    expect(response.content[4]).toMatchObject({ name: 'get_weather', input: { city: 'Oslo' } });
    const next = CONVERSATIONS.anthropic.answer(
      { ...request, tools },
      response,
      new Map([[String(response.content[4]?.id), 'Rain']]),
    );
    const last = await rehearsal('anthropic').whole(next, signal);
    expect(SAMPLES.anthropic.received(last).text).toContain('get_weather answered "Rain"');
  });

  it("uses a client's own search, as Claude Code's", async () => {
    const search = tool('ToolSearch', 'Finds tools.', { query: { type: 'string' }, max_results: { type: 'number' } }, [
      'query',
      'max_results',
    ]);
    const tools = [search] as NonNullable<typeof request.tools>;
    const first = await rehearsal('anthropic').whole({ ...request, tools }, signal);
    const [call] = SAMPLES.anthropic.received(first).calls;
    expect(call).toMatchObject({
      name: 'ToolSearch',
      input: { query: 'What is the weather in Oslo?', max_results: 1 },
    });
    const found = { type: 'tool_reference', tool_name: 'get_weather' };
    const second = await rehearsal('anthropic').whole(
      {
        ...request,
        tools: [...tools, { ...TOOLS[0], defer_loading: true }] as NonNullable<typeof request.tools>,
        messages: [
          ...request.messages,
          { role: 'assistant', content: first.content },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: call?.id, content: [found] },
              { type: 'text', text: 'Tool loaded.' },
            ],
          },
        ],
      },
      signal,
    );
    expect(SAMPLES.anthropic.received(second).calls).toMatchObject([{ name: 'get_weather', input: { city: 'Oslo' } }]);
  });

  it('looks at what it found, then calls it through the bridge', async () => {
    const own = ['tool_search', 'tool_describe', 'tool_call'].map((name) =>
      tool(name, '', { query: { type: 'string' } }, []),
    );
    const answers: Readonly<Record<string, object>> = {
      tool_search: { matches: ['get_weather(city: string): The weather (of today)'] },
      tool_describe: {
        name: 'get_weather',
        parameters: { properties: { city: { type: 'string' } }, required: ['city'] },
      },
    };
    let asked = { ...request, tools: own as NonNullable<typeof request.tools> };
    const calls: { readonly name: string; readonly input: unknown }[] = [];
    for (let round = 0; round < 3; round += 1) {
      const response = await rehearsal('anthropic').whole(asked, signal);
      const [call] = SAMPLES.anthropic.received(response).calls;
      if (call === undefined) throw new Error('There is no call');
      calls.push({ name: call.name, input: call.input });
      const text = JSON.stringify(answers[call.name] ?? {});
      asked = { ...asked, ...CONVERSATIONS.anthropic.answer(asked, response, new Map([[call.id, text]])) };
    }
    expect(calls).toEqual([
      { name: 'tool_search', input: { query: 'What is the weather in Oslo?' } },
      { name: 'tool_describe', input: { name: 'get_weather' } },
      { name: 'tool_call', input: { name: 'get_weather', arguments: { city: 'Oslo' } } },
    ]);
  });

  it('reports an error as such', async () => {
    const called = await rehearsal('anthropic').whole(request, signal);
    const id = SAMPLES.anthropic.received(called).calls[0]?.id;
    const result = { type: 'tool_result', tool_use_id: id, content: 'No such city', is_error: true };
    const messages = [
      ...request.messages,
      { role: 'assistant', content: called.content },
      { role: 'user', content: [result] },
    ];
    const response = await rehearsal('anthropic').whole({ ...request, messages }, signal);
    expect(SAMPLES.anthropic.received(response).text).toContain('get_weather failed with "No such city"');
  });
});
