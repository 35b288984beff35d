import type Anthropic from '@anthropic-ai/sdk';
import { defined } from '@quartermaster/core/internal';
import { describe, expect, it } from 'vitest';
import type { GatewayUpstream } from './configured-upstreams.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { type Block, message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, FILES, REGEX, WEATHER } from './weather-request.fixture.ts';

const TIME = { name: 'get_time', input_schema: { type: 'object' as const, properties: {} } };
const TOOLS = [REGEX, TIME, WEATHER, FILES];

/**
 * A host with a prompt cache: it reads again for free what it has read before, from the first tool on, and says so in its usage. A
 * character stands for a token.
 */
function cachingHost(rounds: readonly (readonly Block[])[], form: GatewayUpstream['form']) {
  const scripted = scriptedUpstreams(
    {
      anthropic: rounds.map((blocks) =>
        message(blocks, blocks.some((block) => 'call' in block) ? 'tool_use' : 'end_turn'),
      ),
    },
    { transport: 'openai-chat', upstream: defined({ form }) },
  );
  const read: string[] = [];
  const turns: { readonly cached: number; readonly fresh: number }[] = [];
  const upstreams = {
    ...scripted,
    async resolve(model: string) {
      const upstream = await scripted.resolve(model);
      if (upstream === undefined) return undefined;
      return {
        ...upstream,
        async for(dialect: 'anthropic') {
          const exchange = await upstream.for(dialect);
          const whole: typeof exchange.whole = async (request, signal) => {
            const text = JSON.stringify([request.tools, request.system, request.messages]).slice(0, -2);
            const cached = Math.max(0, ...read.map((before) => sharedLength(before, text)));
            read.push(text);
            turns.push({ cached, fresh: text.length - cached });
            const answer = await exchange.whole(request, signal);
            const usage = { cache_read_input_tokens: cached, input_tokens: text.length - cached, output_tokens: 1 };
            return { ...answer, usage };
          };
          return { ...exchange, whole, forClient: () => ({ ...exchange, whole }) };
        },
      } as GatewayUpstream;
    },
  };
  return { upstreams, requests: scripted.requests, read, turns };
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

const called = (name: string, input: object): Block => ({ call: name, id: 'call_0', input });

/** Two turns: a search and a call, then its result and an answer. */
async function talk(form: GatewayUpstream['form'], call: Block) {
  const search = called('tool_search_tool_regex', { pattern: 'weather' });
  const host = cachingHost([[search], [call], [{ text: 'Sunny.' }]], form);
  const { anthropic } = await runningGateway({ upstreams: host.upstreams });
  const request = { ...ASK, tools: TOOLS };
  const first = await anthropic.messages.create(request);
  const use = first.content.find((block): block is Anthropic.ToolUseBlock => block.type === 'tool_use');
  const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: 'sunny' };
  const second = await anthropic.messages.create({
    ...request,
    messages: [...ASK.messages, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }],
  });
  return { ...host, first, second, use };
}

const WRAPPED = called('tool_call', { name: 'get_weather', arguments: { location: 'SF' } });
const DIRECT = called('get_weather', { location: 'SF' });

describe('on a host without references whose upstream has a form that only appends', () => {
  it.each([
    ['bridge', WRAPPED],
    ['stub', DIRECT],
  ] as const)(
    '%s: each request begins with the bytes of the one before, and the usage shows the reads',
    async (form, call) => {
      const { read, turns, first, second, use, requests } = await talk(form, call);
      expect(use).toMatchObject({ name: 'get_weather', input: { location: 'SF' } });
      const [one = '', two = '', three = ''] = read;
      expect(two.startsWith(one)).toBe(true);
      expect(three.startsWith(two)).toBe(true);
      expect(turns.map(({ cached }) => cached)).toEqual([0, one.length, two.length]);
      expect(first.usage).toMatchObject({ cache_read_input_tokens: one.length });
      expect(second.usage).toMatchObject({ cache_read_input_tokens: two.length });
      expect(new Set(requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    },
  );

  it('load, which is the default there, has the conversation read again after each find', async () => {
    const { read, turns, second } = await talk(undefined, DIRECT);
    const [one = '', two = ''] = read;
    expect(two.startsWith(one)).toBe(false);
    expect(turns[1]?.cached).toBeLessThan(one.length);
    expect(second.usage.cache_read_input_tokens).toBe(two.length);
  });
});
