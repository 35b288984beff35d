import { describe, expect, it } from 'vitest';
import { createToolbox } from '../dispatch/index.ts';
import { readEnableToolSearch } from '../gate/index.ts';
import type { Message, ModelCall, ModelPart, ModelReply, ModelRequest } from './model.ts';
import { type RunToolsEvent, type RunToolsOptions, runTools } from './run-tools.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema,
  execute: ({ city }: { readonly city?: unknown }) => `Rain in ${city}`,
};
const mail = {
  name: 'send_mail',
  description: 'Sends a mail',
  inputSchema,
  execute() {
    throw new Error('The mail server is down');
  },
};
const settings = readEnableToolSearch('true');

/** A model that answers by a list, and keeps what it was asked. */
function scripted(...replies: readonly ModelReply[]): {
  readonly asked: ModelRequest[];
  readonly model: (request: ModelRequest) => Promise<ModelReply>;
} {
  const asked: ModelRequest[] = [];
  return {
    asked,
    async model(request) {
      asked.push(request);
      const reply = replies[asked.length - 1];
      if (reply === undefined) throw new Error(`No reply ${asked.length}`);
      return reply;
    },
  };
}

const call = (name: string, input: unknown, id?: string): ModelReply => {
  const made: ModelCall = { name, arguments: input, ...(id === undefined ? {} : { id }) };
  return { calls: [made] };
};
const search = call('tool_search', { query: 'weather of a city' });
const useWeather = call('tool_call', { name: 'get_weather', arguments: { city: 'Oslo' } });

describe('a run', () => {
  it('searches, executes what was found, and ends with the model’s last words', async () => {
    const { model, asked } = scripted(search, useWeather, { content: 'It rains.' });
    const result = await runTools({ model, tools: [weather, mail], messages: 'How is Oslo?', settings });
    expect(result).toMatchObject({ text: 'It rains.', ending: 'done', rounds: 3 });
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    expect(asked[0]?.messages[0]?.role).toBe('system');
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(result.messages[2]?.content).toContain('get_weather');
    expect(result.messages[3]).toMatchObject({ calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] });
    expect(result.messages[4]?.content).toBe('Rain in Oslo');
  });

  it('declares every tool while there are few', async () => {
    const { model, asked } = scripted(call('get_weather', '{"city":"Rome"}'), { content: 'Done.' });
    const { messages } = await runTools({ model, tools: [weather, mail], messages: 'How is Rome?' });
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['get_weather', 'send_mail']);
    expect(asked[0]?.messages).toEqual([{ role: 'user', content: 'How is Rome?' }]);
    expect(messages[2]).toMatchObject({ role: 'tool', content: 'Rain in Rome' });
  });

  it('reports what a tool throws, an unknown tool and unreadable arguments to the model', async () => {
    const replies = [
      call('send_mail', {}),
      call('no_such_tool', {}),
      call('get_weather', '{"city":'),
      { content: 'Sorry.' },
    ];
    const { model } = scripted(...replies);
    const { messages, text } = await runTools({ model, tools: [weather, mail], messages: 'Write to Ada' });
    const answers = messages.filter((message) => message.role === 'tool');
    expect(answers.map(({ content }) => content)).toEqual([
      expect.stringContaining('The mail server is down'),
      expect.stringContaining('no_such_tool'),
      expect.stringContaining('not a JSON object'),
    ]);
    expect(answers.every((answer) => answer.role === 'tool' && answer.isError === true)).toBe(true);
    expect(text).toBe('Sorry.');
  });

  it('continues from the messages of an earlier run, and renames repeated ids', async () => {
    const first = scripted(call('get_weather', { city: 'Oslo' }, 'call_0'), { content: 'Rain.' });
    const one = await runTools({ model: first.model, tools: [weather], messages: 'Oslo?' });
    const second = scripted(call('get_weather', { city: 'Rome' }, 'call_0'), { content: 'Rain too.' });
    const messages: Message[] = [...one.messages, { role: 'user', content: 'And Rome?' }];
    const two = await runTools({ model: second.model, tools: [weather], messages });
    const ids = two.messages.flatMap((message) => (message.role === 'tool' ? [message.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(second.asked[0]?.messages).toHaveLength(5);
  });

  it('remembers across runs what was found', async () => {
    const form = 'load';
    const first = scripted(search, { content: 'Found.' });
    const one = await runTools({ model: first.model, tools: [weather, mail], messages: 'Oslo?', settings, form });
    const second = scripted({ content: 'Done.' });
    const messages: Message[] = [...one.messages, { role: 'user', content: 'Go on' }];
    await runTools({ model: second.model, tools: [weather, mail], messages, settings, form });
    expect(second.asked[0]?.tools.map(({ name }) => name)).toContain('get_weather');
  });

  it('ends at the round limit with every call answered', async () => {
    const { model } = scripted(call('get_weather', {}), call('get_weather', {}));
    const result = await runTools({ model, tools: [weather], messages: 'Again!', maxRounds: 2 });
    expect(result).toMatchObject({ ending: 'rounds', rounds: 2 });
    expect(result.messages.at(-1)?.role).toBe('tool');
    const searching = scripted(search, search);
    const paused = await runTools({
      model: searching.model,
      tools: [weather, mail],
      messages: 'Search',
      settings,
      maxRounds: 2,
    });
    expect(paused).toMatchObject({ ending: 'rounds', rounds: 2 });
  });

  it('says when the token limit has cut the answer off', async () => {
    const { model } = scripted({ content: 'It r', isCut: true, calls: [{ name: 'get_weather', arguments: '{"ci' }] });
    const result = await runTools({ model, tools: [weather], messages: 'Oslo?' });
    expect(result).toMatchObject({ ending: 'cut', text: 'It r', rounds: 1 });
  });

  it('reports what happens as it happens, and sums the usage', async () => {
    const usage = { inputTokens: 10, outputTokens: 3 };
    const events: RunToolsEvent[] = [];
    async function* model({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
      const isFirst = messages.every((message) => message.role !== 'tool');
      if (isFirst) yield { kind: 'call', name: 'get_weather', arguments: { city: 'Oslo' } };
      else
        yield* [
          { kind: 'text' as const, text: 'It ' },
          { kind: 'text' as const, text: 'rains.' },
        ];
      yield { kind: 'end', usage };
    }
    const result = await runTools({
      model,
      tools: [weather],
      messages: 'Oslo?',
      onEvent: (event) => events.push(event),
    });
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 6 });
    expect(events).toEqual([
      { kind: 'round', round: 1 },
      { kind: 'call', id: 'call_0', name: 'get_weather', arguments: { city: 'Oslo' }, isSearch: false },
      { kind: 'result', id: 'call_0', content: 'Rain in Oslo', isError: false },
      { kind: 'round', round: 2 },
      { kind: 'text', text: 'It ' },
      { kind: 'text', text: 'rains.' },
    ]);
  });

  it('rejects with the signal’s reason while the model or a tool is still busy', async () => {
    const reason = new Error('Enough');
    const controller = new AbortController();
    const silent = (): Promise<ModelReply> => {
      controller.abort(reason);
      return new Promise(() => undefined);
    };
    await expect(
      runTools({ model: silent, tools: [weather], messages: 'Oslo?', signal: controller.signal }),
    ).rejects.toBe(reason);
    const second = new AbortController();
    const busy = {
      ...weather,
      execute() {
        second.abort(reason);
        return new Promise(() => undefined);
      },
    };
    const { model } = scripted(call('get_weather', {}));
    await expect(runTools({ model, tools: [busy], messages: 'Oslo?', signal: second.signal })).rejects.toBe(reason);
  });

  it('rejects with what the model throws', async () => {
    await expect(runTools({ model: scripted().model, tools: [weather], messages: 'Oslo?' })).rejects.toThrow(
      'No reply 1',
    );
  });

  it('sends back what the host attached to a call', async () => {
    const extra = { extra_content: { google: { thought_signature: 'abc' } } };
    const { model, asked } = scripted({ calls: [{ name: 'get_weather', extra }] }, { content: 'Done.' });
    await runTools({ model, tools: [weather], messages: 'Oslo?' });
    expect(asked[1]?.messages[1]).toMatchObject({ calls: [{ extra }] });
  });
});

describe('the tools of a run', () => {
  it('may come in a toolbox that other runs share', async () => {
    const toolbox = createToolbox({ tools: [{ name: 'ping', inputSchema }], execute: () => 'pong' });
    const { model } = scripted(call('ping', {}), { content: 'Done.' });
    const { messages } = await runTools({ model, tools: toolbox, messages: 'Ping' });
    expect(messages[2]?.content).toBe('pong');
  });

  it('may be executed by one function, which a tool’s own goes before', async () => {
    const { model } = scripted({ calls: [{ name: 'get_weather' }, { name: 'ping' }] }, { content: 'Done.' });
    const tools = [weather, { name: 'ping', inputSchema }];
    const execute: RunToolsOptions['execute'] = ({ name }) => `ran ${name}`;
    const { messages } = await runTools({ model, tools, messages: 'Both', execute });
    expect(messages.slice(2, 4).map(({ content }) => content)).toEqual(['Rain in undefined', 'ran ping']);
  });
});

describe('what can’t be run', () => {
  const { model } = scripted();
  const good: RunToolsOptions = { model, tools: [weather], messages: 'Oslo?' };
  const wrong: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['a tool that nothing executes', { tools: [{ name: 'ping', inputSchema }] }, 'No execute function for ping'],
    ['no messages', { messages: [] }, 'messages is'],
    ['an option that does not exist', { maxSteps: 3 }, 'runTools: unknown option "maxSteps"; allowed: budget, caller'],
    [
      'a field of the endpoint that does not exist',
      { model: { url: 'http://localhost:9/v1', model: 'm', key: 'secret' } },
      'model: unknown option "key"; allowed: apiKey, body, fetch, headers, model, url',
    ],
    ['no round', { maxRounds: 0 }, 'maxRounds is 0; allowed: a whole number from 1'],
    ['a form of other protocols', { form: 'native', settings }, 'bridge, stub and load'],
    ['an unknown form', { form: 'briddge' }, 'allowed: '],
    ['no model', { model: undefined }, 'neither a function nor an endpoint'],
    ['an endpoint without a model', { model: { url: 'http://localhost/v1' } }, 'neither a function nor an endpoint'],
    ['an endpoint with half an address', { model: { url: '/v1', model: 'x' } }, 'absolute URL'],
    ['a reply of another shape', { model: () => 'Hello' }, 'The model function gave "Hello"'],
    ['a call without a name', { model: () => ({ calls: [{}] }) }, 'The model function gave'],
    ['nothing at all from the model', { model: () => undefined }, 'The model function gave undefined'],
  ];

  it.each(wrong)('%s', async (_what, part, message) => {
    await expect(runTools({ ...good, ...part } as RunToolsOptions)).rejects.toThrow(message);
  });

  it('a setting that a given toolbox would not see', async () => {
    const tools = createToolbox({ tools: [weather], execute: () => '' });
    await expect(runTools({ ...good, tools, form: 'stub', hooks: {} })).rejects.toThrow(
      'pass form, hooks to createToolbox',
    );
  });
});
