import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedAnswer, type ScriptedHost, scriptedHost } from '../internal/scripted-host.fixture.ts';
import type { AnthropicEvent, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { call, scriptMessage, text } from './message-script.fixture.ts';
import type { AnthropicToolSearchOptions } from './plan-request.ts';
import { readSearches } from './read-searches.ts';
import { bm25SearchTool, deferred, regexSearchTool } from './request-parts.ts';
import { anthropicWhole } from './whole.ts';
import { toolSearchMiddleware, withToolSearch } from './wrap-anthropic.ts';
import { writeNamedEvent } from './write-event.ts';

const ON: AnthropicToolSearchOptions = {
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
};

const weather = {
  name: 'get_weather',
  description: 'Tells the weather at a place.',
  input_schema: { type: 'object' as const, properties: { place: { type: 'string' } }, required: ['place'] },
};
const mail = {
  name: 'send_mail',
  description: 'Sends a mail.',
  input_schema: { type: 'object' as const, properties: { to: { type: 'string' } } },
};
const clock = {
  name: 'get_time',
  description: 'Tells the time.',
  input_schema: { type: 'object' as const, properties: {} },
};

const ASK = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
const COMMON = { model: 'some-model', max_tokens: 1000, messages: ASK };

const DIALECT = { whole: anthropicWhole as never, write: writeNamedEvent, end: '' };

interface Host {
  readonly url: string;
  readonly requests: readonly AnthropicRequest[];
  close(): Promise<void>;
}

let open: ScriptedHost | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(answers: readonly ScriptedAnswer<AnthropicEvent>[]): Promise<Host> {
  open = await scriptedHost(answers, DIALECT);
  return {
    url: new URL('/', open.url).href,
    requests: open.requests as readonly AnthropicRequest[],
    close: open.close,
  };
}

async function connect(answers: readonly ScriptedAnswer<AnthropicEvent>[], options: AnthropicToolSearchOptions = ON) {
  const host = await start(answers);
  const client = new Anthropic({ apiKey: 'none', baseURL: host.url, maxRetries: 0 });
  return { client: withToolSearch(client, options), host };
}

const searching = (name: string, input: object): readonly AnthropicEvent[] =>
  scriptMessage([text('Let me look.'), call('call_0', name, input)], 'tool_use');
const calling = (name: string, input: object): readonly AnthropicEvent[] =>
  scriptMessage([call('call_0', name, input)], 'tool_use');
const done = scriptMessage([text('It rains.')], 'end_turn');

describe('withToolSearch on a host without tool search', () => {
  it('runs the search tool of a request and hands over the call it leads to', async () => {
    const { client, host } = await connect(
      [searching('tool_search_tool_regex', { query: '^get_w.*r$' }), calling('get_weather', { place: 'Oslo' })],
      { ...ON, form: 'load' },
    );
    const message = await client.messages.create({
      ...COMMON,
      tools: [regexSearchTool(), clock, deferred(weather), deferred(mail)],
    });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toEqual([
      { type: 'text', text: 'Let me look.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_call_0',
        name: 'tool_search_tool_regex',
        input: { pattern: '^get_w.*r$' },
        caller: { type: 'direct' },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_call_0',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      },
      {
        type: 'tool_use',
        id: 'toolu_call_0',
        name: 'get_weather',
        input: { place: 'Oslo' },
      },
    ]);
    expect(message.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
    });
    expect(host.requests[0]).toEqual({
      ...COMMON,
      system: expect.stringContaining('tool_search_tool_regex'),
      tools: [
        {
          name: 'tool_search_tool_regex',
          description: expect.stringContaining('Search tools that are not in your list'),
          input_schema: expect.objectContaining({
            properties: expect.objectContaining({ pattern: expect.anything() }),
          }),
        },
        clock,
      ],
    });
    expect(host.requests[1]).toEqual({
      ...host.requests[0],
      max_tokens: 995,
      tools: [...(host.requests[0]?.tools ?? []), weather],
      messages: [
        ...ASK,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            {
              type: 'tool_use',
              id: 'srvtoolu_call_0',
              name: 'tool_search_tool_regex',
              input: { pattern: '^get_w.*r$' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'srvtoolu_call_0',
              content: expect.stringContaining('get_weather'),
            },
          ],
        },
      ],
    });
  });

  it('streams the same through messages.stream, events in order', async () => {
    const { client } = await connect([searching('tool_search_tool_bm25', { query: 'weather' }), done], {
      ...ON,
      form: 'load',
    });
    const stream = client.messages.stream({ ...COMMON, tools: [bm25SearchTool(), clock, deferred(weather)] });
    const events: string[] = [];
    stream.on('streamEvent', (event) => events.push('index' in event ? `${event.type} ${event.index}` : event.type));
    const message = await stream.finalMessage();
    expect(events.filter((event) => !event.includes('delta') || event === 'message_delta')).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
    expect(message.content.map((block) => block.type)).toEqual([
      'text',
      'server_tool_use',
      'tool_search_tool_result',
      'text',
    ]);
    expect(readSearches(message)).toEqual([
      {
        id: 'srvtoolu_call_0',
        name: 'tool_search_tool_bm25',
        queries: ['weather'],
        caller: 'direct',
        outcome: { kind: 'found', names: ['get_weather'] },
      },
    ]);
  });

  it('streams through messages.create with stream: true', async () => {
    const { client } = await connect([searching('tool_search', { query: 'weather' }), done]);
    const types: string[] = [];
    const stream = await client.messages.create({ ...COMMON, stream: true, tools: [clock, weather, mail] });
    for await (const event of stream) types.push(event.type);
    expect(types.filter((type) => type === 'message_start' || type === 'message_stop')).toEqual([
      'message_start',
      'message_stop',
    ]);
  });

  it('defers tools that a request leaves to the gate, and sends them in full below the threshold', async () => {
    const { client, host } = await connect([done, done], {});
    await client.messages.create({ ...COMMON, tools: [clock, weather] });
    expect(host.requests[0]).toEqual({ ...COMMON, tools: [clock, weather] });
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...weather,
      name: `tool_${index}`,
      description: 'words '.repeat(100),
    }));
    await client.messages.create({ ...COMMON, tools: many });
    expect(host.requests[1]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('runs the tool runner to the end, without losing the history', async () => {
    const { client, host } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const places: string[] = [];
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      tools: [
        betaTool({
          name: 'get_weather',
          description: 'Tells the weather at a place.',
          inputSchema: {
            type: 'object',
            properties: { place: { type: 'string' } },
            required: ['place'],
            additionalProperties: false,
          },
          run: ({ place }) => {
            places.push(place);
            return 'Rain';
          },
        }),
      ],
    });
    const message = await runner;
    expect(places).toEqual(['Oslo']);
    expect(message.content).toEqual([{ type: 'text', text: 'It rains.' }]);
    expect(host.requests.map((request) => request.thread)).toEqual([undefined, undefined, undefined]);
    expect(host.requests[2]?.messages.map((one) => one.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(host.requests[2]?.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result', content: 'Rain' }]);
  });

  it('resumes a pause through the tool runner', async () => {
    const { client, host } = await connect([searching('tool_search', { query: 'weather' }), done], {
      ...ON,
      maxRounds: 1,
    });
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      tools: [betaTool({ ...weatherTool(), run: () => 'Rain' })],
    });
    const reasons: (string | null)[] = [];
    for await (const message of runner) reasons.push(message.stop_reason);
    expect(reasons).toEqual(['pause_turn', 'end_turn']);
    expect(host.requests[1]?.messages.map((one) => one.role)).toEqual(['user', 'assistant', 'user']);
  });

  it('renders a turn that the SDK sends back with the bytes of before', async () => {
    const { client, host } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const tools = [clock, weather, mail];
    const first = await client.messages.create({ ...COMMON, tools });
    const call = first.content.at(-1);
    const id = call?.type === 'tool_use' ? call.id : '';
    await client.messages.create({
      ...COMMON,
      tools,
      messages: [
        ...ASK,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Rain' }] },
      ],
    });
    const bytes = JSON.stringify(host.requests[1]?.messages).slice(0, -1);
    expect(JSON.stringify(host.requests[2]?.messages).slice(0, bytes.length)).toBe(bytes);
    expect(host.requests[2]?.tools).toEqual(host.requests[0]?.tools);
    expect(host.requests[2]?.messages.slice(3)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'toolu_call_0',
            name: 'tool_call',
            input: { name: 'get_weather', arguments: { place: 'Oslo' } },
            caller: { type: 'direct' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_call_0', content: 'Rain' }] },
    ]);
  });

  it('streams through the tool runner', async () => {
    const { client } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      stream: true,
      tools: [betaTool({ ...weatherTool(), run: () => 'Rain' })],
    });
    const texts: string[] = [];
    for await (const stream of runner) texts.push((await stream.finalMessage()).stop_reason ?? '');
    expect(texts).toEqual(['tool_use', 'end_turn']);
  });

  it('gives a refusal of the first call back with its status, and one in the middle as an error event', async () => {
    const busy = { status: 529, body: failure('Overloaded', 'overloaded_error') };
    const first = await connect([busy]);
    const request = { ...COMMON, tools: [clock, weather, mail] };
    await expect(first.client.messages.create({ ...request, stream: true })).rejects.toMatchObject({ status: 529 });
    await first.host.close();
    const second = await connect([searching('tool_search', { query: 'weather' }), busy]);
    await expect(second.client.messages.stream(request).finalMessage()).rejects.toThrow('Overloaded');
    await second.host.close();
    const third = await connect([searching('tool_search', { query: 'weather' }), busy]);
    await expect(third.client.messages.create(request)).rejects.toMatchObject({ status: 529 });
  });

  it.each([true, false])(
    'refuses what it can’t read as the API would, and asks nobody (stream: %s)',
    async (stream) => {
      const { client, host } = await connect([]);
      const tools = [{ name: '', input_schema: { type: 'object' as const } }];
      const asked = client.messages.create({ ...COMMON, tools, stream });
      await expect(asked).rejects.toThrow(Anthropic.BadRequestError);
      await expect(asked).rejects.toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
      expect(host.requests).toEqual([]);
    },
  );

  it('answers searches of both engines over the same tools', async () => {
    const { client, host } = await connect(
      [
        searching('tool_search_tool_regex', { pattern: '^get_weather$' }),
        done,
        searching('tool_search_tool_bm25', { query: 'what is the weather like' }),
        done,
      ],
      { ...ON, form: 'load' },
    );
    const tools = [clock, deferred(weather), deferred(mail)];
    for (const search of [regexSearchTool(), bm25SearchTool()]) {
      const message = await client.messages.create({ ...COMMON, tools: [search, ...tools] });
      expect(readSearches(message)).toMatchObject([{ outcome: { kind: 'found', names: ['get_weather'] } }]);
    }
    const asked = host.requests.map((request) => JSON.stringify(request.tools?.[0]).includes('pattern'));
    expect(asked).toEqual([true, true, false, false]);
  });

  it('passes on a stream that begins with an error', async () => {
    const error = { type: 'overloaded_error', message: 'Too busy' };
    const { client } = await connect([[{ type: 'error', error }]]);
    await expect(client.messages.stream({ ...COMMON, tools: [weather] }).finalMessage()).rejects.toThrow('Too busy');
  });

  it('takes a whole message from a host that was asked for a stream', async () => {
    const whole = { status: 200, body: { ...wholeMessage(), content: [{ type: 'text', text: 'Hello' }] } };
    const { client } = await connect([whole]);
    const message = await client.messages.stream({ ...COMMON, tools: [clock, weather] }).finalMessage();
    expect(message.content).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  it('closes the connection to the host when the client stops reading', async () => {
    let isClosed = false;
    const opening = searching('tool_search', { query: 'weather' }).slice(0, 4).map(writeNamedEvent).join('');
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(opening)),
      cancel() {
        isClosed = true;
      },
    });
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const fetch = async (_: unknown, init?: RequestInit) => {
      init?.signal?.addEventListener('abort', () => {
        isClosed = true;
      });
      return answer;
    };
    const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: 'http://host.test', fetch }), ON);
    const stream = await client.messages.create({ ...COMMON, stream: true, tools: [clock, weather] });
    for await (const event of stream) if (event.type === 'content_block_delta') break;
    expect(isClosed).toBe(true);
  });

  it('counts the tokens of what would be sent', async () => {
    const { client, host } = await connect([{ status: 200, body: { input_tokens: 7 } }]);
    const counted = await client.messages.countTokens({ model: 'some-model', messages: ASK, tools: [weather, mail] });
    expect(counted.input_tokens).toBe(7);
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('takes search tools, marks and past searches out of a request of which nothing is deferred', async () => {
    const { client, host } = await connect([done], { ...ON, settings: { ...settings(), rule: { kind: 'off' } } });
    await client.messages.create({
      ...COMMON,
      tools: [regexSearchTool(), clock, deferred(weather)],
      messages: [
        ...ASK,
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: { pattern: 'w' } },
            {
              type: 'tool_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: { type: 'tool_search_tool_search_result', tool_references: [] },
            },
            { type: 'text', text: 'Nothing.' },
          ],
        },
        { role: 'user', content: 'Sure?' },
      ],
    });
    expect(host.requests[0]).toEqual({
      ...COMMON,
      tools: [clock, weather],
      messages: [
        ...ASK,
        { role: 'assistant', content: [{ type: 'text', text: 'Nothing.' }] },
        { role: 'user', content: 'Sure?' },
      ],
    });
  });

  it('finds tools of a catalog that no request declares', async () => {
    const { client } = await connect(
      [searching('tool_search', { query: 'weather' }), calling('get_weather', { place: 'Oslo' })],
      { ...ON, form: 'load', catalog: [weather, mail] },
    );
    const message = await client.messages.create({ ...COMMON, tools: [mail] });
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather', input: { place: 'Oslo' } });
  });
});

describe('a conversation whose tools are no longer deferred', () => {
  it('goes on with the refused calls that its client was not shown', async () => {
    const refused = call('toolu_0', 'tool_call', { name: 'no_such_tool', arguments: {} });
    const { client, host } = await connect(
      [scriptMessage([refused, call('toolu_1', 'get_time', {})], 'tool_use'), done],
      { ...ON, form: 'bridge' },
    );
    const first = await client.messages.create({ ...COMMON, tools: [clock, deferred(weather)] });
    expect(first.content).toMatchObject([{ type: 'tool_use', name: 'get_time' }]);
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'noon' };
    const messages = [
      ...ASK,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ];
    await client.messages.create({ ...COMMON, messages, tools: [{ ...clock, defer_loading: false }] });
    expect(host.requests[1]?.messages.slice(1)).toMatchObject([
      {
        content: [
          { name: 'tool_call', id: 'toolu_0' },
          { name: 'get_time', id: 'toolu_1' },
        ],
      },
      { content: [{ tool_use_id: 'toolu_0', is_error: true }, result] },
    ]);
  });
});

describe('withToolSearch on a host with tool search', () => {
  const native = { ...ON, transport: 'anthropic-messages' };

  it('passes a request that asks for the host’s own search untouched', async () => {
    const { client, host } = await connect([done], native);
    const tools = [regexSearchTool(), clock, deferred(weather)];
    await client.messages.create({ ...COMMON, tools });
    expect(host.requests).toEqual([{ ...COMMON, tools }]);
  });

  it('answers with references, and sends a definition only once it is referred to', async () => {
    const { client, host } = await connect([searching('tool_search', { query: 'weather' }), done], native);
    await client.messages.create({ ...COMMON, tools: [weather, mail] });
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search']);
    expect(host.requests[1]?.tools?.slice(1)).toEqual([{ ...weather, defer_loading: true }]);
    expect(host.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'srvtoolu_call_0',
          content: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      ],
    });
  });
});

describe('toolSearchMiddleware', () => {
  it('fits into the options of a client', async () => {
    const host = await start([done]);
    const middleware = [toolSearchMiddleware({ ...ON, transport: 'unknown' })];
    const client = new Anthropic({ apiKey: 'none', baseURL: host.url, middleware });
    await client.messages.create({ ...COMMON, tools: [weather] });
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('leaves other requests alone', async () => {
    const host = await start([{ status: 200, body: { id: 'some-model' } }]);
    const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: host.url }), ON);
    expect(await client.models.retrieve('some-model')).toMatchObject({ id: 'some-model' });
    expect(host.requests).toHaveLength(1);
  });
});

function failure(message: string, type: string): object {
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

function settings() {
  return { rule: { kind: 'on' } as const, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };
}

function weatherTool() {
  return {
    name: 'get_weather',
    description: 'Tells the weather at a place.',
    inputSchema: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
  } as const;
}

function wholeMessage() {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'some-model',
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

describe('message batches', () => {
  const SEARCHED = { ...COMMON, tools: [regexSearchTool(), clock, deferred(weather), deferred(mail)] };

  async function ended({ messages }: Anthropic, id: string): Promise<Anthropic.Messages.MessageBatch> {
    for (;;) {
      const batch = await messages.batches.retrieve(id);
      if (batch.processing_status === 'ended') return batch;
      await new Promise(setImmediate);
    }
  }

  it('whose requests need a search that the host does not run are processed here, each by its own loop', async () => {
    const { client, host } = await connect([
      searching('tool_search_tool_regex', { query: 'weather' }),
      calling('get_weather', { place: 'Oslo' }),
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } } },
      { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'No batches here.' } } },
    ]);
    const requests = [{ custom_id: 'one', params: SEARCHED }];
    const batch = await client.messages.batches.create({ requests });
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    expect(await ended(client, batch.id)).toMatchObject({ request_counts: { succeeded: 1, processing: 0 } });
    const results = [];
    for await (const result of await client.messages.batches.results(batch.id)) results.push(result);
    expect(results).toMatchObject([
      {
        custom_id: 'one',
        result: {
          type: 'succeeded',
          message: {
            content: [
              { type: 'text' },
              { type: 'server_tool_use' },
              { type: 'tool_search_tool_result' },
              { name: 'get_weather' },
            ],
          },
        },
      },
    ]);
    expect(host.requests.every((request) => request.stream !== true)).toBe(true);

    const failing = await client.messages.batches.create({ requests });
    expect(await ended(client, failing.id)).toMatchObject({ request_counts: { errored: 1 } });
    for await (const failed of await client.messages.batches.results(failing.id)) {
      expect(failed).toMatchObject({ result: { type: 'errored', error: { error: { message: 'No.' } } } });
    }
    const { data } = await client.messages.batches.list();
    expect(data.map(({ id }) => id)).toEqual([failing.id, batch.id]);
    expect(await client.messages.batches.delete(batch.id)).toMatchObject({ type: 'message_batch_deleted' });
  });

  it('can be cancelled: what has not begun is not asked for', async () => {
    const { client, host } = await connect([]);
    const requests = Array.from({ length: 40 }, (_, index) => ({ custom_id: `item_${index}`, params: SEARCHED }));
    const { id } = await client.messages.batches.create({ requests });
    expect(await client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
    const { request_counts: counts } = await ended(client, id);
    expect(counts.canceled).toBeGreaterThan(30);
    expect(counts.canceled + counts.errored).toBe(40);
    expect(host.requests.length).toBeLessThan(10);
  });

  it.each([
    ['as they are, where none defers anything', { ...COMMON, tools: [clock] }, {}],
    ['as they are, to a host that searches', SEARCHED, { transport: 'anthropic-messages' }],
  ])('go to the host %s', async (_, params, options) => {
    const body = { id: 'msgbatch_host', type: 'message_batch' };
    const { client, host } = await connect([{ status: 200, body }], { ...options });
    const requests = [{ custom_id: 'one', params }];
    expect(await client.messages.batches.create({ requests })).toMatchObject(body);
    expect(host.requests).toEqual([{ requests }]);
  });
});
