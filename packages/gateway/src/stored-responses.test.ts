import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { hashApiKey, openStore } from '@quartermaster/host/store';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { scriptedHost, type Turn } from './scripted-host.fixture.ts';
import { type ScriptedUpstreams, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { CALLED, DEFERRED, numberedRounds, responseRounds, SEARCHED } from './stored-responses.fixture.ts';

const ASK = { model: 'gpt-test', tools: [DEFERRED] };
const QUESTION = { role: 'user' as const, content: 'What is the weather in Paris?' };

function inputs({ requests }: ScriptedUpstreams): readonly (readonly unknown[])[] {
  return requests.map(({ input }) => (Array.isArray(input) ? input : [input]));
}

/** Stores on the same file, each as a process that starts later would open it. */
async function storeFile() {
  const folder = await mkdtemp(join(tmpdir(), 'stored-responses-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const encryptionKeys = [randomBytes(32)];
  return async () => {
    const store = await openStore({ path: join(folder, 'store.db'), encryptionKeys });
    onTestFinished(() => store.close());
    return store;
  };
}

describe('responses that go on from stored ones, on a host that stores none', () => {
  it.each(['in one process', 'after a restart'])('by previous_response_id, %s', async (when) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, CALLED, 'Sunny.', 'You are welcome.') });
    const open = await storeFile();
    const first = await runningGateway({ upstreams, store: await open() });
    const asked = await first.openai.responses.create({ ...ASK, input: [QUESTION] });
    const [call] = asked.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'get_weather' });
    if (when === 'after a restart') await first.stop();
    const next = when === 'after a restart' ? await runningGateway({ upstreams, store: await open() }) : first;
    const output = {
      ...{ type: 'function_call_output' as const, output: 'Sunny' },
      call_id: call?.type === 'function_call' ? call.call_id : '',
    };
    const answered = await next.openai.responses.create({ ...ASK, input: [output], previous_response_id: asked.id });
    expect(answered.output_text).toBe('Sunny.');
    await next.openai.responses.create({ ...ASK, input: 'Thanks', previous_response_id: answered.id });
    const [, second = [], third = [], fourth = []] = inputs(upstreams);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toMatchObject([{ type: 'function_call' }, output]);
    expect(fourth.slice(0, third.length)).toEqual(third);
    expect(fourth.slice(third.length)).toMatchObject([{ role: 'assistant' }, { role: 'user', content: 'Thanks' }]);
    expect(upstreams.requests.every((request) => request.previous_response_id === undefined)).toBe(true);
  });

  it.each(['in one process', 'after a restart'])('by item_reference, %s', async (when) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, 'Sunny.', 'You are welcome.') });
    const open = await storeFile();
    const first = await runningGateway({ upstreams, store: await open() });
    const asked = await first.openai.responses.create({ ...ASK, input: [QUESTION] });
    if (when === 'after a restart') await first.stop();
    const next = when === 'after a restart' ? await runningGateway({ upstreams, store: await open() }) : first;
    const references = asked.output.map(({ id }) => ({ type: 'item_reference' as const, id: String(id) }));
    const thanks = { role: 'user' as const, content: 'Thanks' };
    await next.openai.responses.create({ ...ASK, input: [QUESTION, ...references, thanks] });
    const [, second = [], third = []] = inputs(upstreams);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toMatchObject([{ role: 'assistant' }, thanks]);
  });

  it('by the references of the AI SDK, whose search is the provider’s', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, CALLED, 'Sunny.') });
    const { url } = await runningGateway({ upstreams });
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    const { text } = await generateText({
      model: openai.responses('gpt-test'),
      prompt: QUESTION.content,
      tools: {
        tool_search: openai.tools.toolSearch(),
        get_weather: tool({
          description: DEFERRED.description,
          inputSchema: jsonSchema<{ location: string }>(DEFERRED.parameters as object),
          providerOptions: { openai: { deferLoading: true } },
          execute: async () => 'Sunny',
        }),
      },
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe('Sunny.');
    const [, second = [], third = []] = inputs(upstreams);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(JSON.stringify(third)).not.toContain('item_reference');
  });

  it('by the references of the AI SDK, on a host that numbers its calls', async () => {
    const host = await scriptedHost('openai-chat', ({ turn }) => SCRIPT[turn] ?? { text: 'Sunny.' });
    const settings = { models: ['*'], provider: 'openai-compatible', baseUrl: `${host.url}/v1`, apiKey: 'none' };
    const { url } = await runningGateway(optionsFor({ upstreams: [settings] }));
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    const { text } = await generateText({
      model: openai.responses('any'),
      prompt: QUESTION.content,
      tools: {
        tool_search: openai.tools.toolSearch(),
        get_weather: tool({
          description: DEFERRED.description,
          inputSchema: jsonSchema<{ location: string }>(DEFERRED.parameters as object),
          providerOptions: { openai: { deferLoading: true } },
          execute: async () => 'Sunny',
        }),
      },
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe('Sunny.');
    const [, second, third] = host.requests.map(({ body }) => body.messages);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });
});

describe('responses of a host whose ids are too short to be unique', () => {
  it.each(['previous_response_id', 'conversation'])('are continued by %s', async (by) => {
    const upstreams = scriptedUpstreams({ responses: numberedRounds(SEARCHED, 'Sunny.', 'You are welcome.') });
    const { openai } = await runningGateway({ upstreams });
    const conversation = by === 'conversation' ? (await openai.conversations.create({})).id : undefined;
    const own = conversation === undefined ? {} : { conversation };
    const asked = await openai.responses.create({ ...ASK, input: [QUESTION], ...own });
    expect(asked.output_text).toBe('Sunny.');
    const thanks = { role: 'user' as const, content: 'Thanks' };
    await openai.responses.create({
      ...ASK,
      input: [thanks],
      ...(by === 'previous_response_id' ? { previous_response_id: asked.id } : own),
    });
    const [, second = [], third = []] = inputs(upstreams);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toMatchObject([{ role: 'assistant' }, thanks]);
  });

  it.each(['whole', 'streamed'])('have one id in every event, and are read by it: %s', async (how) => {
    const upstreams = scriptedUpstreams({ responses: numberedRounds(SEARCHED, 'Sunny.') });
    const { openai } = await runningGateway({ upstreams });
    const request = { ...ASK, input: [QUESTION] };
    const ids = new Set<string>();
    if (how === 'whole') ids.add((await openai.responses.create(request)).id);
    else
      for await (const event of await openai.responses.create({ ...request, stream: true }))
        if ('response' in event) ids.add(event.response.id);
    const [id = ''] = ids;
    expect(ids.size).toBe(1);
    expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'completed' });
  });
});

const SCRIPT: readonly Turn[] = [
  { call: 'tool_search', input: { query: 'weather' } },
  { call: 'get_weather', input: { location: 'Paris' } },
];

describe('stored responses', () => {
  it.each(['whole', 'streamed'])('are read as they were sent, with their input: %s', async (how) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, 'Sunny.') });
    const { openai } = await runningGateway({ upstreams });
    const request = { ...ASK, input: [QUESTION, { role: 'user' as const, content: 'Now?' }] };
    const sent =
      how === 'whole' ? await openai.responses.create(request) : await openai.responses.stream(request).finalResponse();
    const read = await openai.responses.retrieve(sent.id);
    expect(read).toMatchObject({ id: sent.id, object: 'response', status: 'completed', tools: [DEFERRED] });
    expect(read.output).toMatchObject([{ type: 'message', content: [{ text: 'Sunny.' }] }]);
    expect(read.usage).toEqual(sent.usage);
    const items = [];
    for await (const item of openai.responses.inputItems.list(sent.id, { limit: 1, order: 'asc' })) items.push(item);
    expect(items).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION.content }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Now?' }] },
    ]);
    const latest = await openai.responses.inputItems.list(sent.id);
    expect(latest.data.map(({ id }) => id)).toEqual(items.map(({ id }) => id).reverse());
  });

  it.each(['in one process', 'after a restart'])('are gone when deleted, %s', async (when) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, 'Sunny.', 'Again.') });
    const open = await storeFile();
    const first = await runningGateway({ upstreams, store: await open() });
    const { id } = await first.openai.responses.create({ ...ASK, input: [QUESTION] });
    const other = when === 'after a restart' ? await runningGateway({ upstreams, store: await open() }) : first;
    await other.openai.responses.delete(id);
    for (const { openai } of [first, other]) {
      await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
      await expect(openai.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
      await expect(openai.responses.delete(id)).rejects.toMatchObject({ status: 404 });
      await expect(openai.responses.create({ ...ASK, input: 'Go on', previous_response_id: id })).rejects.toMatchObject(
        { status: 400, param: 'previous_response_id' },
      );
    }
    expect(upstreams.requests).toHaveLength(2);
  });

  it('take the items that others may refer to with them when they are deleted', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, 'Sunny.', 'Again.') });
    const { openai } = await runningGateway({ upstreams });
    const { id, output } = await openai.responses.create({ ...ASK, input: [QUESTION] });
    const reference = { type: 'item_reference' as const, id: String(output[0]?.id) };
    await openai.responses.delete(id);
    await openai.responses.create({ ...ASK, input: [QUESTION, reference] });
    expect(inputs(upstreams).at(-1)).toContainEqual(reference);
  });

  it('belong to the key that asked for them', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') });
    const names = ['one', 'two'];
    const keys = names.map((name) => ({ name, hash: hashApiKey(name), models: ['*'], catalogs: ['*'], limits: {} }));
    const { url } = await runningGateway({ upstreams, keys });
    const [one, two] = names.map((apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }));
    const sent = await one?.responses.create({ ...ASK, input: [QUESTION] });
    const id = String(sent?.id);
    await expect(two?.responses.retrieve(id)).rejects.toMatchObject({ status: 404, param: 'response_id' });
    await expect(two?.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
    await expect(two?.responses.delete(id)).rejects.toMatchObject({ status: 404 });
    expect(await one?.responses.retrieve(id)).toMatchObject({ id, output_text: 'Hello.' });
  });

  it('are none where the client or the settings ask for none', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.', 'Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.responses.create({ ...ASK, store: false, input: [QUESTION] });
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    const off = await runningGateway({ upstreams, transcripts: { keep: 'off', retentionHours: 1, maxBytes: 1 } });
    await expect(off.openai.responses.retrieve(id)).rejects.toThrow('transcripts.keep is off');
  });
});

describe('a conversation in which nothing is held back any more', () => {
  const { defer_loading: _, ...INLINE } = DEFERRED;
  const NOW = { model: 'gpt-test', tools: [INLINE] };

  it.each(['its items', 'its id'])(
    'shows the model what it has read, and answers a stray search: by %s',
    async (by) => {
      const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, 'Which day?', SEARCHED, 'Sunny.') });
      const { openai } = await runningGateway({ upstreams });
      const asked = await openai.responses.create({ ...ASK, input: [QUESTION] });
      const today = { role: 'user' as const, content: 'Today' };
      const answered = await openai.responses.create(
        by === 'its id'
          ? { ...NOW, previous_response_id: asked.id, input: [today] }
          : { ...NOW, input: [QUESTION, ...(asked.output as OpenAI.Responses.ResponseInputItem[]), today] },
      );
      expect(answered.output).toMatchObject([{ type: 'message', content: [{ text: 'Sunny.' }] }]);
      const [, second = [], third = [], fourth = []] = inputs(upstreams);
      expect(third.slice(0, second.length)).toEqual(second);
      expect(fourth.slice(0, third.length)).toEqual(third);
      expect(fourth.slice(third.length)).toMatchObject([
        { type: 'function_call', name: 'tool_search' },
        { type: 'function_call_output', output: expect.stringContaining('switched off') },
      ]);
      expect(upstreams.requests[2]?.tools).toMatchObject([{ name: 'get_weather' }]);
    },
  );

  it('began so, and goes on by the id of its response', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Which day?', 'Sunny.') });
    const { openai } = await runningGateway({ upstreams });
    const asked = await openai.responses.create({ ...NOW, input: [QUESTION] });
    await openai.responses.create({ ...NOW, previous_response_id: asked.id, input: 'Today' });
    expect(await openai.responses.retrieve(asked.id)).toMatchObject({ output_text: 'Which day?' });
    const [first = [], second = []] = inputs(upstreams);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.slice(first.length)).toMatchObject([{ role: 'assistant' }, { role: 'user', content: 'Today' }]);
  });
});

it('a client that searches by itself gets the calls to its search, and goes on from the response', async () => {
  const upstreams = scriptedUpstreams({
    responses: responseRounds({ name: 'tool_search', input: { goal: 'weather' } }, 'Sunny.'),
  });
  const { openai } = await runningGateway({ upstreams });
  const parameters = { type: 'object', properties: { goal: { type: 'string' } } };
  const own = { type: 'tool_search' as const, execution: 'client' as const, description: 'Finds tools.', parameters };
  const asked = await openai.responses.create({ model: 'gpt-test', tools: [own], input: [QUESTION] });
  expect(asked.output).toMatchObject([
    { type: 'tool_search_call', execution: 'client', arguments: { goal: 'weather' } },
  ]);
  const [call] = asked.output;
  const found = {
    ...{ type: 'tool_search_output' as const, execution: 'client' as const, tools: [DEFERRED] },
    call_id: call?.type === 'tool_search_call' ? call.call_id : null,
  };
  const request = { model: 'gpt-test', tools: [own], previous_response_id: asked.id, input: [found] };
  expect((await openai.responses.create(request)).output_text).toBe('Sunny.');
  expect(JSON.stringify(upstreams.requests[1]?.tools)).toContain('get_weather');
});

describe('a conversation that is kept elsewhere', () => {
  const { defer_loading: _, ...INLINE } = DEFERRED;

  it.each([
    ['by its id, where we search', { tools: [DEFERRED], conversation: 'conv_1' }],
    ['as an object, where nothing is held back', { tools: [INLINE], conversation: { id: 'conv_1' } }],
    ['without tools, not to be stored', { store: false, conversation: 'conv_1' }],
  ])('is refused with what to use instead, %s', async (_, extra) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const asked = openai.responses.create({ model: 'gpt-test', input: [QUESTION], ...extra });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'conversation' });
    await expect(asked).rejects.toThrow('previous_response_id');
    expect(upstreams.requests).toEqual([]);
  });

  it('is left to a host that has conversations', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') }, { transport: 'openai-responses' });
    const { openai } = await runningGateway({ upstreams });
    await openai.responses.create({ model: 'gpt-test', input: [QUESTION], tools: [INLINE], conversation: 'conv_1' });
    expect(upstreams.requests).toMatchObject([{ conversation: 'conv_1' }]);
  });
});

describe('long histories', () => {
  const TURNS = 6;
  const question = (turn: number): string => `Question ${turn}: ${'x'.repeat(90_000)}`;
  const named = (request: readonly unknown[]): readonly unknown[] =>
    request.map((item) => /Question \d|Answer \d/.exec(JSON.stringify(item))?.[0]);
  const expected = Array.from({ length: TURNS }, (_, turn) => [`Question ${turn}`, `Answer ${turn}`]).flat();

  it.each(['previous_response_id', 'conversation'])('go on after a restart, by %s', async (by) => {
    const answers = Array.from({ length: TURNS }, (_, turn) => `Answer ${turn}`);
    const upstreams = scriptedUpstreams({ responses: responseRounds(...answers, 'Bye.') });
    const open = await storeFile();
    const first = await runningGateway({ upstreams, store: await open() });
    const { id: conversation } = await first.openai.conversations.create({});
    let previous: string | undefined;
    const reference = () => (by === 'conversation' ? { conversation } : { previous_response_id: previous ?? null });
    for (let turn = 0; turn < TURNS; turn += 1) {
      const response = await first.openai.responses.create({ ...ASK, input: question(turn), ...reference() });
      previous = response.id;
    }
    await first.stop();
    const next = await runningGateway({ upstreams, store: await open() });
    await next.openai.responses.create({ ...ASK, input: 'Thanks', ...reference() });
    const last = inputs(upstreams).at(-1) ?? [];
    expect(named(last)).toEqual([...expected, undefined]);
    expect(JSON.stringify(last).length).toBeGreaterThan(500_000);
  });
});

describe('conversations', () => {
  const asked = { type: 'message' as const, role: 'user' as const, content: 'What is the weather in Paris?' };

  it.each(['in one process', 'after a restart'])('are gone on with by their ids, %s', async (when) => {
    const upstreams = scriptedUpstreams({ responses: responseRounds(SEARCHED, CALLED, 'Sunny.', 'You are welcome.') });
    const open = await storeFile();
    const first = await runningGateway({ upstreams, store: await open() });
    const { id, object } = await first.openai.conversations.create({ items: [asked], metadata: { topic: 'weather' } });
    expect(object).toBe('conversation');
    const called = await first.openai.responses.create({ ...ASK, input: 'Please', conversation: id });
    const [call] = called.output;
    if (when === 'after a restart') await first.stop();
    const next = when === 'after a restart' ? await runningGateway({ upstreams, store: await open() }) : first;
    const output = {
      ...{ type: 'function_call_output' as const, output: 'Sunny' },
      call_id: call?.type === 'function_call' ? call.call_id : '',
    };
    const answered = await next.openai.responses.create({ ...ASK, input: [output], conversation: { id } });
    expect(answered.output_text).toBe('Sunny.');
    await next.openai.responses.create({ ...ASK, input: 'Thanks', conversation: id });
    const [one = [], second = [], third = [], fourth = []] = inputs(upstreams);
    expect(JSON.stringify(one)).toMatch(/What is the weather in Paris\?.*Please/);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(fourth.slice(0, third.length)).toEqual(third);
    expect(upstreams.requests.every((request) => request.conversation === undefined)).toBe(true);

    const items = await next.openai.conversations.items.list(id, { order: 'asc' });
    expect(items.data.map(({ type }) => type)).toEqual([
      ...['message', 'message', 'function_call', 'function_call_output', 'message', 'message', 'message'],
    ]);
    expect(await next.openai.conversations.retrieve(id)).toMatchObject({ id, metadata: { topic: 'weather' } });
  });

  it.each(['memory', 'store'] as const)('keep every one of several responses at the same time: in %s', async (keep) => {
    const words = ['One.', 'Two.', 'Three.', 'Four.'];
    const upstreams = scriptedUpstreams({ responses: responseRounds(...words, 'Last.') });
    const open = await storeFile();
    const transcripts = { keep, retentionHours: 1, maxBytes: 1e9 };
    const [first, second] = await Promise.all(
      (keep === 'store' ? [1, 2] : [1]).map(async () =>
        runningGateway({ upstreams, store: await open(), transcripts }),
      ),
    );
    if (first === undefined) throw new Error('There is no gateway');
    const other = second ?? first;
    const { id } = await first.openai.conversations.create({ items: [asked] });
    await Promise.all([
      ...words.map((input, index) =>
        (index % 2 === 0 ? first : other).openai.responses.create({ ...ASK, input, conversation: id }),
      ),
      other.openai.conversations.items.create(id, { items: [{ ...asked, content: 'Added' }] }),
      other.openai.conversations.update(id, { metadata: { topic: 'weather' } }),
    ]);
    expect((await first.openai.conversations.items.list(id)).data).toHaveLength(2 + 2 * words.length);
    expect(await first.openai.conversations.retrieve(id)).toMatchObject({ metadata: { topic: 'weather' } });
    await first.openai.responses.create({ ...ASK, input: 'End', conversation: id });
    expect(inputs(upstreams).at(-1)).toHaveLength(3 + 2 * words.length);
  });

  it.each(['local', 'upstream'] as const)('grow wherever the search runs: %s', async (toolSearch) => {
    const upstreams = scriptedUpstreams(
      { responses: responseRounds('Hello.', 'Again.') },
      { transport: 'openai-responses', upstream: { toolSearch } },
    );
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.conversations.create({ items: [asked] });
    const request = { ...ASK, tools: [{ type: 'tool_search' as const }, DEFERRED], conversation: id };
    await openai.responses.create({ ...request, input: 'Hi' });
    await openai.responses.create({ ...request, input: 'Ho' });
    const [first = [], second = []] = inputs(upstreams);
    expect(first).toHaveLength(2);
    expect(second.slice(0, 2)).toEqual(first);
    expect(second).toHaveLength(4);
    expect((await openai.conversations.items.list(id)).data).toHaveLength(5);
  });

  it('are named in their responses, and so is the response before', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.', 'Hello.', SEARCHED, 'Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.conversations.create({});
    const first = await openai.responses.create({ model: 'gpt-test', input: 'Hi', conversation: { id } });
    expect(first).toMatchObject({ conversation: { id } });
    expect(await openai.responses.retrieve(first.id)).toMatchObject({ conversation: { id } });
    const next = { input: 'Hi', previous_response_id: first.id };
    const second = await openai.responses.create({ model: 'gpt-test', ...next });
    expect(second).toMatchObject({ previous_response_id: first.id });
    const events: unknown[] = [];
    for await (const event of await openai.responses.create({ ...ASK, ...next, stream: true })) events.push(event);
    expect(events[0]).toMatchObject({ response: { previous_response_id: first.id } });
    expect(events.at(-1)).toMatchObject({ response: { previous_response_id: first.id } });
  });

  it('have items whose ids can be asked for: others are refused, and a host’s are replaced', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Sunny.') });
    const { openai, url } = await runningGateway({ upstreams });
    const asked = { type: 'message' as const, role: 'user' as const, content: 'Hello' };
    const { id } = await openai.conversations.create({});
    const add = (items: readonly object[]) =>
      fetch(`${url}/v1/conversations/${id}/items`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ items }),
      });
    for (const wrong of ['.', '..', '', ' ', 'a b', 'é', '\ud800', '\u0000', 'a'.repeat(1_025), 5, {}]) {
      const refused = await add([asked, { ...asked, id: wrong }]);
      const { error } = (await refused.json()) as { error: { param: string } };
      expect([wrong, refused.status, error.param]).toEqual([wrong, 400, 'items[1].id']);
    }
    for (const odd of ['...', 'a/b', 'a%2Fb', 'a?b#c', '__proto__', 'a'.repeat(1_024)]) {
      expect((await add([{ ...asked, id: odd }])).status).toBe(200);
      const got = await openai.conversations.items.retrieve(odd, { conversation_id: id });
      expect(got.id).toBe(odd);
    }
    const named = (await (await add([{ type: 'constructor' }])).json()) as { data: { id: string }[] };
    expect(named.data[0]?.id).toMatch(/^item_[0-9a-f]{32}$/);
    const input = [{ ...asked, id: '..' } as typeof asked];
    await openai.responses.create({ model: 'gpt-test', conversation: id, input });
    const { data } = await openai.conversations.items.list(id, { limit: 100 });
    expect(data.map((item) => item.id)).not.toContain('..');
  });

  it('are changed item by item, and deleted', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.conversations.create({});
    const added = await openai.conversations.items.create(id, { items: [asked, { ...asked, content: 'Forget it' }] });
    const [kept, dropped] = added.data.map((item) => String(item.id));
    expect(await openai.conversations.items.retrieve(String(kept), { conversation_id: id })).toMatchObject(
      added.data[0] ?? {},
    );
    await openai.conversations.items.delete(String(dropped), { conversation_id: id });
    expect(await openai.conversations.update(id, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } });
    await openai.responses.create({ ...ASK, input: 'Hi', conversation: id });
    expect(JSON.stringify(upstreams.requests[0]?.input)).not.toContain('Forget it');
    expect(await openai.conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true });
    await expect(openai.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(openai.responses.create({ ...ASK, input: 'Hi', conversation: id })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('distinguish items with the same text or id', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.conversations.create({});
    const items = ['Yes', 'No', 'Yes'].map((content) => ({ ...asked, content, id: 'msg_1' }));
    const { data } = await openai.conversations.items.create(id, { items });
    expect(new Set(data.map((item) => item.id)).size).toBe(3);
    const listed: unknown[] = [];
    for await (const item of openai.conversations.items.list(id, { limit: 2 })) listed.push(item);
    expect(listed).toHaveLength(3);
    await openai.conversations.items.delete(String(data[2]?.id), { conversation_id: id });
    await openai.responses.create({ ...ASK, input: 'Hi', conversation: id });
    expect(JSON.stringify(upstreams.requests[0]?.input).match(/Yes|No|Hi/g)).toEqual(['Yes', 'No', 'Hi']);
  });

  it('refuse what contradicts them, and what is too long to keep', async () => {
    const upstreams = scriptedUpstreams({ responses: responseRounds('Hello.') });
    const { openai } = await runningGateway({ upstreams });
    const { id } = await openai.conversations.create({});
    const ask = { ...ASK, input: 'Hi', conversation: id };
    await expect(openai.responses.create({ ...ask, store: false })).rejects.toThrow('store: false contradicts it');
    const previous_response_id = `resp_${'0a1b2c3d'.repeat(4)}`;
    await expect(openai.responses.create({ ...ask, previous_response_id })).rejects.toThrow("can't be used together");
    const long = { ...asked, content: 'x'.repeat(600_000) };
    const other = await openai.conversations.create({});
    await openai.conversations.items.create(other.id, { items: [long] });
    await expect(openai.conversations.items.create(other.id, { items: [long] })).rejects.toThrow(
      'longer than this gateway keeps',
    );
    await openai.responses.create({ ...ask, input: 'x'.repeat(1_200_000) });
    await expect(openai.responses.create(ask)).rejects.toThrow('Start another');
    expect(upstreams.requests).toHaveLength(1);
  });
});
