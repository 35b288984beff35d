import type Anthropic from '@anthropic-ai/sdk';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { type Block, message, type Script, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';
import { ASK, FILES, namesOf, REGEX, TRANSPORTS, WEATHER } from './weather-request.fixture.ts';

const TIME = { name: 'get_time', input_schema: { type: 'object' as const, properties: {} } };
const TOOLS = [REGEX, TIME, WEATHER, FILES];
const OK = message([{ text: 'Ok.' }], 'end_turn');

const search = (pattern: string, id = 'call_0'): Block => ({ call: 'tool_search_tool_regex', id, input: { pattern } });
const call = (name: string, input: unknown = {}, id = 'call_0'): Block => ({ call: name, id, input });
const calls = (...blocks: readonly Block[]) => message(blocks, 'tool_use');

async function setUp(rounds: Script['anthropic'], transport: string) {
  const upstreams = scriptedUpstreams({ anthropic: rounds ?? [] }, { transport });
  const { anthropic, post } = await runningGateway({ upstreams });
  const ask = (messages: readonly Anthropic.MessageParam[], rest: object = {}) =>
    anthropic.messages.create({ ...ASK, tools: TOOLS, ...rest, messages: [...messages] });
  return { upstreams, anthropic, ask, post };
}

/** What a client sends next: the answer as it came, and a result for each of its calls. */
function next(
  messages: readonly Anthropic.MessageParam[],
  { content }: Anthropic.Message,
): readonly Anthropic.MessageParam[] {
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'done' }] : [],
  );
  const user = { role: 'user' as const, content: results.length > 0 ? results : 'Go on' };
  return [...messages, { role: 'assistant', content }, user];
}

/** Every call that a host is sent has its result in the message after it, and every result its call. */
function expectPairs({ messages }: AnthropicRequest): void {
  const blocks = messages.map(({ content }) =>
    Array.isArray(content) ? (content as { type: string; id?: string; tool_use_id?: string }[]) : [],
  );
  blocks.forEach((own, index) => {
    const asked = own.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const answered = (blocks[index + 1] ?? []).flatMap(({ tool_use_id: id }) => id ?? []);
    expect(answered.sort()).toEqual(asked.sort());
  });
}

const kindsOf = ({ content }: Anthropic.Message) => content.map(({ type }) => type);

describe.each(TRANSPORTS)('a conversation over %s', (transport) => {
  it.each<[string, readonly Block[], readonly string[]]>([
    [
      'a real call before a search',
      [call('get_time', {}, 'call_1'), search('weather')],
      ['tool_use', 'server_tool_use', 'tool_search_tool_result'],
    ],
    [
      'a search before a real call',
      [search('weather'), call('get_time', {}, 'call_1')],
      ['server_tool_use', 'tool_use', 'tool_search_tool_result'],
    ],
  ])('with %s in one round is answered, and goes on in pairs', async (_, round, kinds) => {
    const { ask, upstreams } = await setUp([calls(...round), OK], transport);
    const first = await ask(ASK.messages);
    expect(kindsOf(first)).toEqual(kinds);
    expect(first.stop_reason).toBe('tool_use');
    await ask(next(ASK.messages, first));
    for (const request of upstreams.requests) expectPairs(request);
    expect(namesOf(upstreams.requests[1])).toContain('get_weather');
  });

  it('with two searches in one round shows both before both results, and replays as it was', async () => {
    const round = calls(search('weather', 'call_1'), search('files', 'call_2'));
    const { ask, upstreams } = await setUp([round, OK, OK], transport);
    const first = await ask(ASK.messages);
    const pair = 'server_tool_use' as const;
    const result = 'tool_search_tool_result' as const;
    expect(kindsOf(first)).toEqual([pair, pair, result, result, 'text']);
    await ask(next(ASK.messages, first));
    const [, second, third] = upstreams.requests;
    expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
    for (const request of upstreams.requests) expectPairs(request);
  });

  it('with a host that repeats its ids has a unique id for every call', async () => {
    const weather = call('get_weather', { location: 'SF' });
    const { ask, upstreams } = await setUp([calls(search('weather')), calls(weather), calls(weather), OK], transport);
    const first = await ask(ASK.messages);
    const second = await ask(next(ASK.messages, first));
    const third = next(next(ASK.messages, first), second);
    await ask(third);
    const ids = [first, second].flatMap(({ content }) => content.flatMap((block) => ('id' in block ? block.id : [])));
    expect(new Set(ids).size).toBe(3);
    for (const request of upstreams.requests) expectPairs(request);
  });

  it('keeps what it has found, and another one knows nothing of it', async () => {
    const { ask, upstreams } = await setUp([calls(search('weather')), OK, OK, OK], transport);
    const first = await ask(ASK.messages);
    await ask(ASK.messages);
    await ask(next(ASK.messages, first));
    const loaded = upstreams.requests.map((request) => namesOf(request)?.includes('get_weather'));
    expect(loaded).toEqual([false, true, false, true]);
  });

  it('is only ever read on at its end, and the prefix is the same in every turn', async () => {
    const weather = call('get_weather', { location: 'SF' });
    const { ask, upstreams } = await setUp([calls(search('weather')), calls(weather), OK], transport);
    const first = await ask(ASK.messages, { system: 'Be brief.' });
    await ask(next(ASK.messages, first), { system: 'Be brief.' });
    const [, second, third] = upstreams.requests;
    expect(JSON.stringify(third?.messages.slice(0, second?.messages.length))).toBe(JSON.stringify(second?.messages));
    expect(JSON.stringify([third?.system, third?.tools])).toBe(JSON.stringify([second?.system, second?.tools]));
  });

  it('that was cut inside a search ends with the limit, and can go on', async () => {
    const whole = message([{ text: 'Let me look.' }, search('weather')], 'max_tokens');
    const cut = whole.map((event) =>
      event.type === 'content_block_delta' && event.index === 1
        ? { ...event, delta: { type: 'input_json_delta', partial_json: '{"pattern":"wea' } }
        : event,
    );
    const { anthropic, ask } = await setUp([cut, OK], transport);
    const answer = await anthropic.messages.stream({ ...ASK, tools: TOOLS }).finalMessage();
    expect(answer).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Let me look.' }] });
    expect(answer.content).toHaveLength(1);
    expect((await ask(next(ASK.messages, answer))).content).toEqual([{ type: 'text', text: 'Ok.' }]);
  });

  it('whose compaction has left a search without its result goes on', async () => {
    const { ask, upstreams } = await setUp([calls(search('weather')), OK, OK], transport);
    const first = await ask(ASK.messages);
    const content = first.content.filter(({ type }) => type !== 'tool_search_tool_result');
    await ask(next(ASK.messages, { ...first, content }));
    const last = upstreams.requests.at(-1);
    expectPairs(last ?? { model: '', messages: [] });
    expect(namesOf(last)).not.toContain('get_weather');
  });

  it('forced to search searches once a turn, and the model is free after that', async () => {
    const { ask, upstreams } = await setUp([calls(search('weather')), OK, calls(search('files')), OK], transport);
    const forced = { tool_choice: { type: 'tool', name: 'tool_search_tool_regex' } };
    const first = await ask(ASK.messages, forced);
    await ask(next(ASK.messages, first), forced);
    const choices = upstreams.requests.map(
      ({ tool_choice: choice }) => (choice as { type?: string } | undefined)?.type,
    );
    expect(choices.map((type) => type === 'tool')).toEqual([true, false, true, false]);
  });

  it('forced to call a deferred tool has it loaded', async () => {
    const round = calls(call('get_weather', { location: 'SF' }));
    const { ask, upstreams } = await setUp([round], transport);
    const answer = await ask(ASK.messages, { tool_choice: { type: 'tool', name: 'get_weather' } });
    expect(answer.content).toMatchObject([{ type: 'tool_use', name: 'get_weather' }]);
    expect(namesOf(upstreams.requests[0])).toContain('get_weather');
  });

  it('in which a deferred tool is called unsearched gets the call through', async () => {
    const { ask } = await setUp([calls(call('get_weather', { location: 'SF' }))], transport);
    expect((await ask(ASK.messages)).content).toMatchObject([{ name: 'get_weather', input: { location: 'SF' } }]);
  });

  it('with examples and cache breakpoints on deferred tools is no reason to refuse', async () => {
    const extra = { cache_control: { type: 'ephemeral' }, input_examples: [{ location: 'SF' }], strict: true };
    const { ask, upstreams } = await setUp([calls(search('weather')), OK], transport);
    await ask(ASK.messages, { tools: [REGEX, TIME, { ...WEATHER, ...extra }] });
    const sent = upstreams.requests[1]?.tools?.find((tool) => (tool as { name: string }).name === 'get_weather');
    expect(sent).toMatchObject({ name: 'get_weather', strict: true });
    // A host that knows the mark refuses it beside either of the two.
    const hasMark = (sent as { defer_loading?: boolean }).defer_loading === true;
    expect(hasMark && JSON.stringify(sent).match(/cache_control|input_examples/)).toBeFalsy();
  });

  it('whose second round is refused fails with the host’s words, in a status or in an event', async () => {
    const failure = upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
    const { anthropic, ask } = await setUp([calls(search('a')), [failure], calls(search('a')), [failure]], transport);
    await expect(ask(ASK.messages)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
    const kinds: string[] = [];
    const stream = anthropic.messages.stream({ ...ASK, tools: TOOLS });
    stream.on('contentBlock', ({ type }) => kinds.push(type));
    await expect(stream.finalMessage()).rejects.toMatchObject({ status: undefined, type: 'overloaded_error' });
    expect(kinds).toEqual(['server_tool_use', 'tool_search_tool_result']);
  });
});
