import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ON } from '../internal/openai-host.fixture.ts';
import { failure } from '../internal/scripted-host.fixture.ts';
import { functionCall, message, responseRound, responseTool, USAGE } from './response-script.fixture.ts';
import { CREATE, planned, READ, start, TOOLS, told } from './wrapped-responses.fixture.ts';

const TWICE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8 },
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 24,
};

const SEARCH_CALL = {
  type: 'tool_search_call',
  id: 'tsc_9',
  call_id: 'call_9',
  execution: 'client',
  status: 'completed',
  arguments: { query: 'issue' },
};
const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'secret' };

describe('an OpenAI client with tool search in responses', () => {
  it('searches and passes on the real call, in the bridge form', async () => {
    const { client, host } = await start([
      responseRound([REASONING, functionCall('call_0', 'tool_search', { query: 'issue' })]),
      responseRound([functionCall('call_0', 'tool_call', { name: 'create_issue', arguments: { text: 'x' } })]),
    ]);
    const body = { model: 'gpt-5.4', input: 'Open an issue', instructions: 'Be brief.', tools: TOOLS, temperature: 0 };
    const response = await client.responses.create(body);
    const { own, note } = planned('bridge');
    const first = { ...body, instructions: `Be brief.\n\n${note}`, tools: [...own, READ] };
    expect(host.requests).toEqual([
      first,
      {
        ...first,
        input: [
          { type: 'message', role: 'user', content: 'Open an issue' },
          REASONING,
          functionCall('call_0', 'tool_search', { query: 'issue' }),
          { type: 'function_call_output', call_id: 'call_0', output: told('bridge') },
        ],
      },
    ]);
    expect(response).toMatchObject({
      id: 'resp_1',
      status: 'completed',
      tools: TOOLS,
      instructions: 'Be brief.',
      output: [REASONING, functionCall('call_0_2', 'create_issue', { text: 'x' }, 'fc_call_0_2')],
      usage: TWICE,
    });
  });

  it('loads natively if the host knows searches that the client executes', async () => {
    const { client, host } = await start(
      [responseRound([REASONING, SEARCH_CALL]), responseRound([functionCall('call_1', 'create_issue', { text: 'x' })])],
      { transport: 'openai-responses' },
    );
    const body = { model: 'gpt-5.4', input: 'Open an issue', tools: TOOLS };
    const response = await client.responses.create(body);
    const { own, note } = planned('native');
    const first = { ...body, instructions: note, tools: [...own, READ] };
    expect(host.requests).toEqual([
      first,
      {
        ...first,
        input: [
          { type: 'message', role: 'user', content: 'Open an issue' },
          REASONING,
          { ...SEARCH_CALL, call_id: 'call_ts_9' },
          {
            type: 'tool_search_output',
            call_id: 'call_ts_9',
            execution: 'client',
            status: 'completed',
            tools: [{ ...CREATE, defer_loading: true }],
          },
        ],
      },
    ]);
    expect(response.output).toMatchObject([REASONING, functionCall('call_1', 'create_issue', { text: 'x' })]);
  });

  it('streams one response over all rounds, without gaps, and shows searches to a client that declares a search tool', async () => {
    const { client } = await start(
      [
        responseRound([message('Let me look.'), functionCall('call_0', 'tool_search', { query: 'issue' })]),
        responseRound([message('There is one.'), functionCall('call_0', 'create_issue', { text: 'x' })]),
      ],
      { form: 'load' },
    );
    const stream = client.responses.stream({
      model: 'gpt-5.4',
      input: 'Open an issue',
      tools: [{ type: 'tool_search' }, READ, { ...CREATE, defer_loading: true }],
    });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const response = await stream.finalResponse();
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const added = events.flatMap((event) => (event.type === 'response.output_item.added' ? [event.output_index] : []));
    expect(added).toEqual([0, 1, 2, 3, 4]);
    expect(response.output).toMatchObject([
      message('Let me look.'),
      {
        type: 'tool_search_call',
        call_id: null,
        execution: 'server',
        status: 'completed',
        arguments: { query: 'issue' },
      },
      {
        type: 'tool_search_output',
        call_id: null,
        execution: 'server',
        status: 'completed',
        tools: [{ ...CREATE, defer_loading: true }],
      },
      message('There is one.', 'msg_1_2'),
      functionCall('call_0', 'create_issue', { text: 'x' }),
    ]);
    expect(response.usage).toEqual(TWICE);
    expect(response.output_text).toBe('Let me look.There is one.');
  });

  it('hides searches from a client that has not heard of them', async () => {
    const { client } = await start([
      responseRound([functionCall('call_0', 'tool_search', { query: 'issue' })]),
      responseRound([message('There is one.')]),
    ]);
    const stream = client.responses.stream({ model: 'gpt-5.4', input: 'Open an issue', tools: TOOLS });
    const response = await stream.finalResponse();
    expect(response.output).toMatchObject([message('There is one.')]);
  });

  it('keeps namespaces for the client, and shows the model flat names', async () => {
    const { client, host } = await start(
      [
        responseRound([functionCall('call_0', 'tool_search', { query: 'customer' })]),
        responseRound([functionCall('call_1', 'crm__lookup', { text: 'x' })]),
        responseRound([message('Found.')]),
      ],
      { form: 'load' },
    );
    const namespace = {
      type: 'namespace' as const,
      name: 'crm',
      description: 'Customers',
      tools: [responseTool('lookup', 'Finds a customer.')],
    };
    const tools = [READ, namespace];
    const user = { role: 'user' as const, content: 'Who is x?' };
    const first = await client.responses.create({ model: 'gpt-5.4', input: [user], tools });
    expect(first.output).toMatchObject([
      { type: 'function_call', name: 'lookup', namespace: 'crm', call_id: 'call_1' },
    ]);
    const input = [
      user,
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output' as const, call_id: 'call_1', output: 'A customer' },
    ];
    await client.responses.create({ model: 'gpt-5.4', input, tools });
    expect(host.requests[2]).toMatchObject({
      tools: [{ name: 'tool_search' }, READ, responseTool('crm__lookup', 'Finds a customer.')],
      input: [
        user,
        { type: 'function_call', name: 'tool_search' },
        { type: 'function_call_output', output: expect.stringContaining('crm__lookup') },
        functionCall('call_1', 'crm__lookup', { text: 'x' }),
        { type: 'function_call_output', call_id: 'call_1' },
      ],
    });
  });

  it('marks tools for the provider when it is to search, and keeps namespaces', async () => {
    const { client, host } = await start([responseRound([message('Hello')])], {
      form: 'hosted',
      transport: 'openai-responses',
    });
    const lookup = responseTool('lookup', 'Finds a customer.');
    const namespace = { type: 'namespace' as const, name: 'crm', description: 'Customers', tools: [lookup] };
    await client.responses.create({ model: 'gpt-5.4', input: 'Hello', tools: [READ, CREATE, namespace] });
    expect(host.requests[0]).toMatchObject({
      tools: [
        { type: 'tool_search' },
        READ,
        { ...CREATE, defer_loading: true },
        { ...namespace, tools: [{ ...lookup, defer_loading: true }] },
      ],
    });
  });

  it('lets a client search by itself on a host that knows only functions', async () => {
    const { client, host } = await start([
      responseRound([functionCall('call_0', 'tool_search', { goal: 'weather' })]),
      responseRound([functionCall('call_1', 'get_weather', { text: 'Oslo' })]),
    ]);
    const parameters = { type: 'object', properties: { goal: { type: 'string' } } };
    const own = { type: 'tool_search' as const, execution: 'client' as const, description: 'Finds tools.', parameters };
    const weather = responseTool('get_weather', 'The weather of a place.', { defer_loading: true });
    const user = { role: 'user' as const, content: 'Weather in Oslo?' };
    const stream = client.responses.stream({ model: 'gpt-5.4', input: [user], tools: [own, READ] });
    const first = await stream.finalResponse();
    const call = { type: 'tool_search_call', call_id: 'call_0', execution: 'client', arguments: { goal: 'weather' } };
    expect(first.output).toMatchObject([call]);
    const found = {
      type: 'tool_search_output' as const,
      call_id: 'call_0',
      execution: 'client' as const,
      tools: [weather],
    };
    const input = [user, ...(first.output as OpenAI.Responses.ResponseInputItem[]), found];
    const second = await client.responses.create({ model: 'gpt-5.4', input, tools: [own, READ] });
    expect(second.output).toMatchObject([functionCall('call_1', 'get_weather', { text: 'Oslo' })]);
    const search = { type: 'function', name: 'tool_search', description: 'Finds tools.', parameters, strict: false };
    expect(host.requests).toEqual([
      { model: 'gpt-5.4', input: [user], tools: [search, READ], stream: true },
      {
        model: 'gpt-5.4',
        input: [
          user,
          { type: 'function_call', call_id: 'call_ts_0', name: 'tool_search', arguments: '{"goal":"weather"}' },
          { type: 'function_call_output', call_id: 'call_ts_0', output: expect.stringContaining('get_weather') },
        ],
        tools: [search, READ, responseTool('get_weather', 'The weather of a place.')],
      },
    ]);
  });

  it('forwards a search that the host runs byte for byte', async () => {
    const { client, host } = await start([responseRound([message('Hello')])], { transport: 'openai-responses' });
    const body = {
      model: 'gpt-5.4',
      input: 'Hello',
      tools: [{ type: 'tool_search' as const }, { ...CREATE, defer_loading: true }],
      previous_response_id: 'resp_0',
    };
    await client.responses.create(body);
    expect(host.texts).toEqual([JSON.stringify(body)]);
  });

  it('removes the traces of search if nothing is deferred and the host does not know it', async () => {
    const { client, host } = await start([responseRound([message('Hello')])], {
      settings: { ...ON, rule: { kind: 'off' } },
    });
    const body = {
      model: 'gpt-5.4',
      input: [{ role: 'user' as const, content: 'Hello' }],
      tools: [{ type: 'tool_search' as const }, { ...CREATE, defer_loading: true }],
    };
    await client.responses.create(body);
    expect(host.requests[0]).toEqual({ ...body, tools: [CREATE] });
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_0' }],
    ['conversation', { conversation: 'conv_0' }],
    ['background', { background: true }],
  ])('refuses %s with the reason, and asks no upstream', async (setting, extra) => {
    const { client, host } = await start([]);
    const asked = client.responses.create({ model: 'gpt-5.4', input: 'Hello', tools: TOOLS, ...extra });
    await expect(asked).rejects.toThrow(OpenAI.BadRequestError);
    await expect(asked).rejects.toThrow(new RegExp(`${setting} can't be used with tool search: `));
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_request', param: setting });
    expect(host.requests).toEqual([]);
  });

  it('passes previous_response_id on when the tools are few', async () => {
    const { client, host } = await start([responseRound([message('Hello')])], { settings: DEFAULT_GATE_SETTINGS });
    const body = { model: 'gpt-5.4', input: 'Hello', tools: TOOLS, previous_response_id: 'resp_0' };
    await client.responses.create(body);
    expect(host.texts).toEqual([JSON.stringify(body)]);
  });

  it.each([
    ['whole', false],
    ['streaming', true],
  ] as const)('gives a refusal of the host to the SDK as it came, %s', async (_, stream) => {
    const { client } = await start([{ status: 429, body: failure('Slow down', 'rate_limit_error') }]);
    const asked = client.responses.create({ model: 'gpt-5.4', input: 'Hello', tools: TOOLS, stream });
    await expect(asked).rejects.toThrow(OpenAI.RateLimitError);
  });

  it('ends a stream with the error when the host refuses a later round', async () => {
    const { client } = await start([
      responseRound([message('Let me look.'), functionCall('call_0', 'tool_search', { query: 'issue' })]),
      { status: 500, body: failure('Broken', 'api_error') },
    ]);
    const stream = client.responses.stream({ model: 'gpt-5.4', input: 'Hello', tools: TOOLS });
    await expect(stream.finalResponse()).rejects.toThrow('Broken');
  });

  it('reports that the token limit was reached, with the usage so far', async () => {
    const cut = { ...functionCall('call_0', 'tool_search', {}), arguments: '{"que', status: 'incomplete' };
    const { client } = await start([
      responseRound([message('Let me'), cut], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    ]);
    const response = await client.responses.create({ model: 'gpt-5.4', input: 'Hello', tools: TOOLS });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [message('Let me')],
      usage: USAGE,
    });
  });

  it('executes tools of an extra catalog inside the loop, searched for natively', async () => {
    const executed: unknown[] = [];
    const { client } = await start(
      [
        responseRound([{ ...SEARCH_CALL, arguments: { query: 'weather' } }]),
        responseRound([functionCall('call_1', 'get_weather', { text: 'Oslo' })]),
        responseRound([message('It rains.')]),
      ],
      {
        transport: 'openai-responses',
        catalog: [responseTool('get_weather', 'The weather of a place.')],
        execute: (call) => {
          executed.push([call.name, call.arguments]);
          return 'Rain';
        },
      },
    );
    const response = await client.responses.create({ model: 'gpt-5.4', input: 'Weather in Oslo?', tools: TOOLS });
    expect(response.output_text).toBe('It rains.');
    expect(executed).toEqual([['get_weather', { text: 'Oslo' }]]);
  });
});
