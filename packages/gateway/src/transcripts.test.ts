import { createTranscriptCache, type TranscriptStore } from '@quartermaster/core/loop';
import { hashApiKey } from '@quartermaster/host/store';
import type { ChatChunk } from '@quartermaster/wires/openai-chat';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { CALLED, DEFERRED, responseRounds, SEARCHED } from './stored-responses.fixture.ts';

const TOOLS = ['get_weather', 'search_files'].map((name) => ({
  type: 'function' as const,
  defer_loading: true,
  function: {
    name,
    description: name === 'get_weather' ? 'Get the weather at a location' : 'Search through files',
    parameters: { type: 'object', properties: { location: { type: 'string' } } },
  },
}));
const USER = { role: 'user' as const, content: 'What is the weather in Paris?' };

type Call = readonly [id: string, name: string, input: object];

function chunks(text: string | undefined, ...calls: readonly Call[]): readonly ChatChunk[] {
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  const tool_calls = calls.map(([id, name, input], index) => ({
    ...{ index, id, type: 'function' },
    function: { name, arguments: JSON.stringify(input) },
  }));
  const delta = { role: 'assistant', content: text ?? null, ...(calls.length === 0 ? {} : { tool_calls }) };
  return [
    { ...frame, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...frame, choices: [{ index: 0, delta: {}, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }] },
  ];
}

const SEARCH: Call = ['call_0', 'tool_search', { query: 'weather at a location' }];
const REFUSED: Call = ['call_1', 'tool_call', { name: 'no_such_tool', arguments: {} }];
const GOOD: Call = ['call_2', 'tool_call', { name: 'get_weather', arguments: { location: 'Paris' } }];

type Messages = OpenAI.ChatCompletionMessageParam[];

async function talk(client: OpenAI): Promise<Messages> {
  const ask = { model: 'gpt-test', tools: TOOLS };
  const { choices } = await client.chat.completions.create({ ...ask, messages: [USER] });
  const [choice] = choices;
  const messages: Messages = [
    USER,
    choice?.message as OpenAI.ChatCompletionMessageParam,
    ...(choice?.message.tool_calls ?? []).map(({ id }) => ({
      ...{ role: 'tool' as const, tool_call_id: id, content: 'Sunny' },
    })),
  ];
  await client.chat.completions.create({ ...ask, messages });
  return messages;
}

/** Its methods belong to its class, and need their object. */
class OwnStore implements TranscriptStore {
  readonly #store = createTranscriptCache().storeFor('');

  keep(...given: Parameters<TranscriptStore['keep']>): Promise<void> {
    return this.#store.keep(...given);
  }

  find(...given: Parameters<TranscriptStore['find']>): ReturnType<TranscriptStore['find']> {
    return this.#store.find(...given);
  }

  forget(...given: Parameters<TranscriptStore['forget']>): Promise<void> {
    return this.#store.forget(...given);
  }

  replace(...given: Parameters<TranscriptStore['replace']>): Promise<boolean> {
    return this.#store.replace(...given);
  }
}

describe('transcripts of a gateway', () => {
  it('a refused call beside one that the client got comes back with its answer, and so does the search before', async () => {
    const upstreams = scriptedUpstreams({
      chat: [chunks(undefined, SEARCH), chunks(undefined, REFUSED, GOOD), chunks('Sunny.')],
    });
    const { openai } = await runningGateway({ upstreams });
    const messages = await talk(openai);
    expect(messages).toHaveLength(3);
    const [, second, third] = upstreams.requests as readonly { readonly messages: readonly unknown[] }[];
    expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
    expect(third?.messages.slice(second?.messages.length)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('There is no tool') },
      { role: 'tool', tool_call_id: 'call_2', content: 'Sunny' },
    ]);
  });

  it('what was hidden comes back though nothing is held back any more, and a stray search is answered', async () => {
    const upstreams = scriptedUpstreams({
      chat: [chunks(undefined, SEARCH), chunks(undefined, REFUSED, GOOD), chunks(undefined, SEARCH), chunks('Sunny.')],
    });
    const { openai } = await runningGateway({ upstreams });
    const { choices } = await openai.chat.completions.create({ model: 'gpt-test', tools: TOOLS, messages: [USER] });
    const messages = [
      ...[USER, choices[0]?.message as OpenAI.ChatCompletionMessageParam],
      { role: 'tool' as const, tool_call_id: 'call_2', content: 'Sunny' },
    ];
    const tools = TOOLS.map(({ defer_loading: _, ...tool }) => tool);
    const last = await openai.chat.completions.create({ model: 'gpt-test', tools, messages });
    expect(last.choices[0]?.message).toMatchObject({ content: 'Sunny.' });
    const [, second, third, fourth] = upstreams.requests as readonly { readonly messages: readonly unknown[] }[];
    // The first message was the note on search.
    const read = second?.messages.slice(1) ?? [];
    expect(third?.messages.slice(0, read.length)).toEqual(read);
    expect(JSON.stringify(third?.messages)).toContain('There is no tool');
    expect(fourth?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('switched off') });
  });

  it("no key is shown what another's conversation hid, though ids and messages are the same", async () => {
    const upstreams = scriptedUpstreams({
      chat: [chunks(undefined, REFUSED, GOOD), chunks('Sunny.'), chunks('Hello.')],
    });
    const names = ['one', 'two'];
    const keys = names.map((name) => ({ name, hash: hashApiKey(name), models: ['*'], catalogs: ['*'], limits: {} }));
    const { url } = await runningGateway({ upstreams, keys });
    const [one, two] = names.map((apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }));
    const messages = await talk(one as OpenAI);
    await two?.chat.completions.create({ model: 'gpt-test', tools: TOOLS, messages });
    const read = upstreams.requests.map((request) => JSON.stringify(request));
    expect(read[1]).toContain('no_such_tool');
    expect(read[2]).not.toContain('no_such_tool');
  });

  it.each(['Chat', 'Responses'])('a store may be an object of a class: %s', async (api) => {
    const upstreams = scriptedUpstreams({
      chat: [chunks(undefined, REFUSED, GOOD), chunks('Sunny.')],
      responses: responseRounds(SEARCHED, CALLED, 'You are welcome.'),
    });
    const store = new OwnStore();
    const { openai, log } = await runningGateway({ upstreams, transcripts: () => store });
    if (api === 'Chat') await talk(openai);
    else {
      const asked = { model: 'gpt-test', tools: [DEFERRED] };
      const { id } = await openai.responses.create({ ...asked, input: 'What is the weather in Paris?' });
      await openai.responses.create({ ...asked, input: 'Thanks', previous_response_id: id });
    }
    expect(log.filter(({ work }) => work === 'transcript')).toEqual([]);
    expect(JSON.stringify(upstreams.requests.at(-1))).toContain(
      api === 'Chat' ? 'no_such_tool' : 'weather at a location',
    );
  });

  it('a store that fails is reported, and the request is served from its messages', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks(undefined, REFUSED, GOOD), chunks('Sunny.')] });
    const broken: TranscriptStore = {
      keep: () => Promise.reject(new Error('database is down')),
      find: () => Promise.reject(new Error('database is down')),
      forget: () => Promise.reject(new Error('database is down')),
      replace: () => Promise.reject(new Error('database is down')),
    };
    const { openai, log } = await runningGateway({ upstreams, transcripts: () => broken });
    await talk(openai);
    expect(upstreams.requests).toHaveLength(2);
    expect(log.filter(({ work }) => work === 'transcript')).toHaveLength(2);
    expect(JSON.stringify(log)).not.toContain('Paris');
  });
});
