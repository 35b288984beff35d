import { createSnapshot, createToolbox } from '@quartermaster/core';
import { NAME_TEMPLATES } from '@quartermaster/core/catalog';
import { FORMS, type Form, type PlanEngine, type Unavailable } from '@quartermaster/core/disclosure';
import { runLoop } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { type AnthropicWireOptions, createAnthropicWire } from './anthropic-dialect.ts';
import type { AnthropicEvent, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { call, conversation, type ScriptedBlock, scriptMessage, text } from './message-script.fixture.ts';
import { definition, searched, toolResult, toolUse } from './rendered.fixture.ts';
import { anthropicWhole } from './whole.ts';

const REGEX = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const BM25 = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const TOOLS = [definition('now'), definition('get_weather', { deferred: true })];
const ASK = [{ role: 'user', content: 'Hello' }];

interface Options {
  readonly request?: object;
  readonly messages?: readonly object[];
  readonly form?: Form;
  readonly wire?: AnthropicWireOptions;
  readonly maxRounds?: number;
  readonly engine?: PlanEngine;
  readonly unavailable?: readonly Unavailable[];
}

/** Runs scripted rounds; gives what the client gets and what the host got. */
async function run(rounds: readonly (readonly AnthropicEvent[])[], options: Options = {}) {
  const wire = createAnthropicWire(options.wire);
  const request = conversation((options.messages ?? ASK) as never, { tools: [BM25, ...TOOLS], ...options.request });
  const opened = wire.open(request);
  const toolbox = createToolbox({
    tools: createSnapshot(opened.tools, { nameTemplate: NAME_TEMPLATES.plain }),
    searcher: wordSearcher,
    engine: options.engine ?? 'text',
    unavailable: () => options.unavailable ?? [],
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
  const searchName = opened.search?.kind === 'hosted' ? { searchName: opened.search.name } : {};
  const plan = toolbox.plan(undefined, { form: options.form ?? FORMS.load, ...searchName });
  const requests: AnthropicRequest[] = [];
  const events: AnthropicEvent[] = [];
  const loop = runLoop<AnthropicRequest, AnthropicEvent>({
    wire,
    toolbox,
    plan,
    request,
    maxRounds: options.maxRounds ?? 5,
    async *upstream(sent) {
      requests.push(sent);
      yield* rounds[requests.length - 1] ?? [];
    },
  });
  for await (const event of loop) events.push(event);
  return { events, requests, message: anthropicWhole.fromParts(events) };
}

const search = (id = 'toolu_A', input: object = { query: 'weather' }): ScriptedBlock => call(id, BM25.name, input);
const DONE = scriptMessage([text('Done.')], 'end_turn');

describe('the writer', () => {
  it('writes text, search, result, text and call in the order and shape of the API', async () => {
    const { events } = await run(
      [
        scriptMessage([text('Let me search.'), call('toolu_01A', REGEX.name, { query: 'weather' })], 'tool_use'),
        scriptMessage([text('Found it.'), call('toolu_01X', 'get_weather', { location: 'SF' })], 'tool_use', {
          input_tokens: 100,
          output_tokens: 50,
        }),
      ],
      { request: { tools: [REGEX, ...TOOLS] }, engine: 'regex' },
    );
    const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
    const start = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    expect(events).toEqual([
      { type: 'message_start', message: expect.objectContaining({ id: 'msg_01', content: [], stop_reason: null }) },
      { type: 'ping' },
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Let me search.' }),
      stop(0),
      start(1, {
        type: 'server_tool_use',
        id: 'srvtoolu_01A',
        name: 'tool_search_tool_regex',
        input: {},
        caller: { type: 'direct' },
      }),
      delta(1, { type: 'input_json_delta', partial_json: '{"pattern":"weather"}' }),
      stop(1),
      start(2, {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_01A',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      }),
      stop(2),
      { type: 'ping' },
      { type: 'ping' },
      start(3, { type: 'text', text: '' }),
      delta(3, { type: 'text_delta', text: 'Found it.' }),
      stop(3),
      start(4, { type: 'tool_use', id: 'toolu_01X', name: 'get_weather', input: {} }),
      delta(4, { type: 'input_json_delta', partial_json: '{"locati' }),
      delta(4, { type: 'input_json_delta', partial_json: 'on":"SF"}' }),
      stop(4),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: {
          input_tokens: 110,
          output_tokens: 55,
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
        },
      },
      { type: 'message_stop' },
    ]);
  });

  it('shows both searches of a round before both results, and no match as an empty result', async () => {
    const { message } = await run([
      scriptMessage([search('c1'), search('c2', { query: 'nonsense', limit: 2 })], 'tool_use'),
      DONE,
    ]);
    expect(message.content).toEqual([
      { ...searched('srvtoolu_c1', 'weather', [])[0] },
      { ...searched('srvtoolu_c2', '', [])[0], input: { query: 'nonsense', limit: 2 } },
      { ...searched('srvtoolu_c1', '', ['get_weather'])[1] },
      { ...searched('srvtoolu_c2', '', [])[1] },
      { type: 'text', text: 'Done.' },
    ]);
  });

  it.each([
    ['typed', '(', 'invalid_tool_input'],
    ['documented', '(', 'invalid_pattern'],
    ['typed', 'a'.repeat(300), 'invalid_tool_input'],
    ['documented', 'a'.repeat(300), 'pattern_too_long'],
  ] as const)('shows a failed search in band, with %s codes', async (errorCodes, pattern, code) => {
    const { message } = await run([scriptMessage([call('c1', REGEX.name, { pattern })], 'tool_use'), DONE], {
      request: { tools: [REGEX, ...TOOLS] },
      engine: 'regex',
      wire: { errorCodes },
    });
    expect(message.content[1]).toEqual({
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_c1',
      content: { type: 'tool_search_tool_result_error', error_code: code, error_message: expect.any(String) },
    });
  });

  it.each([
    ['typed', 'execution_time_exceeded'],
    ['documented', 'unavailable'],
  ] as const)('shows a search that took too long in band, with %s codes', async (errorCodes, code) => {
    const pattern = String.raw`(a+)+\1$`;
    const slow = { ...definition('slow', { deferred: true }), description: `${'a'.repeat(5000)}b` };
    const { message } = await run([scriptMessage([call('c1', REGEX.name, { pattern })], 'tool_use'), DONE], {
      request: { tools: [REGEX, ...TOOLS, slow] },
      engine: 'regex',
      wire: { errorCodes },
    });
    expect(message.content[1]).toMatchObject({
      content: { type: 'tool_search_tool_result_error', error_code: code, error_message: expect.any(String) },
    });
  });

  it.each(['model_context_window_exceeded', 'refusal'])('lets %s stand as the reason, with a call', async (reason) => {
    const { message } = await run([scriptMessage([call('c1', 'now', {})], reason)]);
    expect(message.stop_reason).toBe(reason);
  });

  it('shows a search that found nothing as an error in band when servers are down, a few of them by name', async () => {
    const unavailable = Array.from({ length: 7 }, (_, index) => ({ server: `s${index}`, reason: 'x'.repeat(1000) }));
    const { message } = await run([scriptMessage([search('c1', { query: 'nowhere' })], 'tool_use'), DONE], {
      unavailable,
    });
    expect(message.content[1]).toMatchObject({
      content: { type: 'tool_search_tool_result_error', error_code: 'unavailable' },
    });
    const told = JSON.stringify(message.content[1]);
    expect(told).toContain('s0 (xxx');
    expect(told).toContain('and 2 more');
    expect(told.length).toBeLessThan(1500);
  });

  it('shows what was found though servers are down', async () => {
    const { message } = await run([scriptMessage([search()], 'tool_use'), DONE], {
      unavailable: [{ server: 'calendar', reason: 'it is restarting' }],
    });
    expect(message.content[1]).toMatchObject({ content: { tool_references: [{ tool_name: 'get_weather' }] } });
  });

  it('shows a search without anything to search for as an error in band', async () => {
    const { message, requests } = await run([scriptMessage([search('c1', {})], 'tool_use'), DONE]);
    expect(message.content[1]).toMatchObject({ content: { error_code: 'invalid_tool_input' } });
    expect(requests[1]?.messages.at(-1)).toMatchObject({ content: [{ type: 'tool_result', is_error: true }] });
  });

  it('gives ids that are new in the conversation and of the client’s pattern', async () => {
    const messages = [
      ...ASK,
      { role: 'assistant', content: [...searched('srvtoolu_call_0', 'x', []), toolUse('toolu_call_0', 'now')] },
      { role: 'user', content: [toolResult('toolu_call_0')] },
    ];
    const { message } = await run(
      [
        scriptMessage([search('call_0')], 'tool_use'),
        scriptMessage([search('call-0')], 'tool_use'),
        scriptMessage([call('call_0', 'now', {})], 'tool_use'),
      ],
      { messages },
    );
    const ids = message.content.flatMap((block) => (typeof block.id === 'string' ? [block.id] : []));
    expect(ids).toEqual(['srvtoolu_call_0_2', 'srvtoolu_call_0_3', 'toolu_call_0_2']);
  });

  it('pauses at the round limit', async () => {
    const { message } = await run([scriptMessage([search()], 'tool_use')], { maxRounds: 1 });
    expect(message.stop_reason).toBe('pause_turn');
  });

  it('lets the token limit stand as the reason, with a search that was cut and with a call that was', async () => {
    const cut: ScriptedBlock = { kind: 'call', id: 'c1', name: BM25.name, json: '{"quer' };
    const one = await run([scriptMessage([text('Let me'), cut], 'max_tokens')]);
    expect(one.message).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Let me' }] });
    const two = await run([scriptMessage([{ ...cut, name: 'now' }], 'max_tokens')]);
    expect(two.message.stop_reason).toBe('max_tokens');
  });

  it('relaxes a forced search once it was made', async () => {
    const choice = { type: 'tool', name: BM25.name, disable_parallel_tool_use: true };
    const { requests } = await run([scriptMessage([search()], 'tool_use'), DONE], { request: { tool_choice: choice } });
    expect(requests.map((request) => request.tool_choice)).toEqual([
      choice,
      { type: 'auto', disable_parallel_tool_use: true },
    ]);
  });

  it('sends nothing before the host has', async () => {
    const wire = createAnthropicWire();
    const loop = runLoop<AnthropicRequest, AnthropicEvent>({
      wire,
      toolbox: createToolbox({ tools: [], searcher: wordSearcher }),
      plan: createToolbox({ tools: [], searcher: wordSearcher }).plan(),
      request: conversation(ASK),
      // biome-ignore lint/correctness/useYield: the host fails before its first event
      async *upstream() {
        throw new Error('429');
      },
    });
    await expect(loop.next()).rejects.toThrow('429');
  });

  it('hides answers without a block in the API from the client, and sends them to the model', async () => {
    const { message, requests } = await run(
      [scriptMessage([text(''), call('c1', 'tool_call', { name: 'nothing' })], 'tool_use'), DONE],
      { form: FORMS.bridge },
    );
    expect(message.content).toEqual([
      { type: 'text', text: '' },
      { type: 'text', text: 'Done.' },
    ]);
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: [toolUse('toolu_c1', 'tool_call', { name: 'nothing' })] },
      { role: 'user', content: [{ ...toolResult('toolu_c1', expect.any(String)), is_error: true }] },
    ]);
  });

  it.each(['{"name":', '["get_weather"]'])(
    'refuses the arguments %s, in a stream and in a whole answer',
    async (json) => {
      const streamed = scriptMessage([{ kind: 'call', id: 'c1', name: 'tool_call', json }], 'tool_use');
      for (const round of [streamed, anthropicWhole.toParts(anthropicWhole.fromParts(streamed))]) {
        const { message, requests } = await run([round, DONE], { form: FORMS.bridge });
        expect(message.content).toEqual([{ type: 'text', text: 'Done.' }]);
        const refusal = toolResult('toolu_c1', expect.stringContaining('not a JSON object'));
        expect(requests[1]?.messages.slice(1)).toEqual([
          { role: 'assistant', content: [toolUse('toolu_c1', 'tool_call', { INVALID_JSON: json })] },
          { role: 'user', content: [{ ...refusal, is_error: true }] },
        ]);
      }
    },
  );

  it('adds up usage at every depth, and keeps what only one round has', async () => {
    const usage = (input: number, extra: object) => ({ input_tokens: input, output_tokens: 1, ...extra });
    const cache = { cache_creation: { ephemeral_5m_input_tokens: 3 }, cache_read_input_tokens: 4 };
    const { message } = await run([
      scriptMessage([search()], 'tool_use', usage(10, cache)),
      scriptMessage([text('Done.')], 'end_turn', usage(20, { ...cache, service_tier: 'standard' })),
    ]);
    expect(message.usage).toEqual({
      input_tokens: 30,
      output_tokens: 2,
      cache_creation: { ephemeral_5m_input_tokens: 6 },
      cache_read_input_tokens: 8,
      service_tier: 'standard',
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
    });
  });

  it('opens and closes a message for a host that does neither', async () => {
    const { events } = await run([
      [{ type: 'content_block_start', index: 5, content_block: { type: 'text', text: 'Hi' } }],
    ]);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[1]).toMatchObject({ index: 0 });
    expect(events[3]).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 0 } });
  });

  it('keeps a reason that came before the figures', async () => {
    const events = scriptMessage([text('Hi')], 'stop_sequence').slice(0, -1);
    const figures = { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } } as const;
    const { message } = await run([[...events, figures]]);
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', usage: { input_tokens: 10, output_tokens: 7 } });
  });

  it('passes on a call to a deferred tool that was never searched for', async () => {
    const { message } = await run([scriptMessage([call('c1', 'get_weather', { text: 'Oslo' })], 'tool_use')]);
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'toolu_c1', name: 'get_weather', input: { text: 'Oslo' } }],
    });
  });

  it('keeps thoughts with their signatures in the rounds that follow', async () => {
    const thought: readonly AnthropicEvent[] = [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
      { type: 'content_block_stop', index: 0 },
    ];
    const [start, ping, ...rest] = scriptMessage([search()], 'tool_use');
    const round = [start, ping, ...thought, ...rest].filter((event) => event !== undefined);
    const { requests } = await run([round, DONE]);
    expect(requests[1]?.messages[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm', signature: 'abc' },
      { type: 'tool_use', id: 'srvtoolu_A' },
    ]);
  });

  it.each<[string, object, readonly (number | undefined)[]]>([
    ['what it has left', { max_tokens: 500 }, [500, 495, 490]],
    [
      'more than its thinking budget',
      { max_tokens: 500, thinking: { type: 'enabled', budget_tokens: 498 } },
      [500, 499, 499],
    ],
    ['one token at least', { max_tokens: 6 }, [6, 1, 1]],
  ])('asks in every round for %s of the client’s limit', async (_, request, limits) => {
    const round = scriptMessage([search()], 'tool_use');
    const { requests } = await run([round, round, DONE], { request });
    expect(requests.map(({ max_tokens }) => max_tokens)).toEqual(limits);
  });

  it.each<[string, object, unknown]>([
    ['of a request that names none', {}, 'container_1'],
    ['of a request that names another', { container: 'container_0' }, 'container_1'],
    [
      'of a request with skills',
      { container: { skills: [{ skill_id: 'pdf' }] } },
      { skills: [{ skill_id: 'pdf' }], id: 'container_1' },
    ],
  ])('goes on in the container that a round has opened, %s', async (_, request, container) => {
    const opened = { id: 'container_1', expires_at: '2026-11-20T00:00:00Z' };
    const round = scriptMessage([search()], 'tool_use').map((event) =>
      event.type === 'message_delta' ? { ...event, delta: { ...event.delta, container: opened } } : event,
    );
    const { requests } = await run([round, scriptMessage([search()], 'tool_use'), DONE], { request });
    expect(requests.slice(1).map((sent) => sent.container)).toEqual([container, container]);
  });
});

describe("a search of the host's beside a call of the client's", () => {
  const blocks = [call('toolu_1', 'now', {}), { ...call('srvtoolu_1', BM25.name, { query: 'weather' }) }];
  const beside = scriptMessage(blocks, 'tool_use').map((event) =>
    event.type === 'content_block_start' && event.content_block.name === BM25.name
      ? { ...event, content_block: { ...event.content_block, type: 'server_tool_use' } }
      : event,
  );

  it('goes to the client as it came, and is answered at the beginning of the next response', async () => {
    const one = await run([beside]);
    expect(one.requests).toHaveLength(1);
    expect(one.message.content.map(({ type }) => type)).toEqual(['tool_use', 'server_tool_use']);
    expect(one.message.stop_reason).toBe('tool_use');

    const messages = [
      ...ASK,
      { role: 'assistant', content: one.message.content },
      { role: 'user', content: [toolResult('toolu_1', 'noon')] },
    ];
    const two = await run([DONE], { messages });
    expect(two.message.content).toMatchObject([
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { tool_references: [{ tool_name: 'get_weather' }] },
      },
      { type: 'text', text: 'Done.' },
    ]);
    const [, spoken, answers, ...rest] = two.requests[0]?.messages ?? [];
    expect(spoken?.content).toMatchObject([{ id: 'toolu_1' }, { type: 'tool_use', id: 'srvtoolu_1' }]);
    expect(answers?.content).toMatchObject([{ tool_use_id: 'toolu_1' }, { tool_use_id: 'srvtoolu_1' }]);
    expect(rest).toEqual([]);

    const later = [
      ...messages,
      { role: 'assistant', content: two.message.content },
      { role: 'user', content: 'And now?' },
    ];
    const three = await run([DONE], { messages: later });
    expect(JSON.stringify(three.requests[0]?.messages.slice(0, 3))).toBe(JSON.stringify(two.requests[0]?.messages));
    expect(three.message.content.map(({ type }) => type)).toEqual(['text']);
  });
});
