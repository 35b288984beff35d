import type Anthropic from '@anthropic-ai/sdk';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import type { GatewayUpstream } from '../configured-upstreams.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { type Block, message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import type { RequestRecord } from './gateway-event.ts';

const PARAMETERS = {
  type: 'object' as const,
  properties: {
    place: { type: 'string', description: 'A city, a region or a pair of coordinates, as the user has named it' },
    days: {
      type: 'integer',
      description: 'How many days to look ahead, from one to fourteen',
      minimum: 1,
      maximum: 14,
    },
  },
  required: ['place'],
};
const TOPICS = ['weather', 'rain', 'wind', 'snow', 'tides', 'pollen'];
const TOOLS = Array.from({ length: 40 }, (_, index) => {
  const topic = TOPICS[index] ?? `report_${index}`;
  return {
    name: `get_${topic}`,
    description: `Get the ${topic} of a place for the coming days. The answer has one entry for each day, with its source.`,
    input_schema: PARAMETERS,
  };
});
const SEARCH_TOOL = { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const };
const QUESTION =
  'Will the weather in Oslo allow a long walk along the fjord tomorrow, or should we rather stay at home?';

/** What the model reads of a request: a deferred definition only once something refers to it. */
function readTokens({ tools = [], ...rest }: AnthropicRequest): number {
  const text = JSON.stringify(rest);
  const read = tools.filter((tool) => tool.defer_loading !== true || text.includes(`"tool_name":"${tool.name}"`));
  return tokens(JSON.stringify(rest)) + read.map(definitionTokens).reduce((sum, one) => sum + one, 0);
}

function definitionTokens({ name, description, input_schema }: Record<string, unknown>): number {
  return tokens(JSON.stringify({ name, description, parameters: input_schema }));
}

const tokens = (text: string): number => Math.ceil(text.length / 4);

const search = (query: string): Block => ({ call: 'tool_search_tool_bm25', id: `toolu_${query}`, input: { query } });
const call = (name: string): Block => ({ call: name, id: `toolu_${name}`, input: { place: 'Oslo' } });
const wrapped = (name: string): Block => ({
  ...{ call: 'tool_call', id: `toolu_${name}`, input: { name, arguments: { place: 'Oslo' } } },
});

interface Talk {
  readonly form?: GatewayUpstream['form'];
  readonly offersTools?: boolean;
  readonly turns: readonly (readonly Block[])[];
}

/** Runs the turns, and returns what the gateway recorded of the last response, and what the model has read for it. */
async function talk({ form, offersTools = false, turns }: Talk) {
  const rounds = turns.flat().map((block) => message([block], 'text' in block ? 'end_turn' : 'tool_use'));
  const upstreams = scriptedUpstreams(
    { anthropic: rounds },
    {
      transport: form === undefined ? 'anthropic-messages' : 'openai-chat',
      upstream: { offersTools, ...(form === undefined ? {} : { form }) },
    },
  );
  const { anthropic, url } = await runningGateway({ upstreams });
  let messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
  let before = 0;
  let plain = 0;
  for (const turn of turns) {
    before = upstreams.requests.length;
    // The conversation without searches, as a client without tool search would send it.
    plain = tokens(JSON.stringify({ model: 'claude-test', max_tokens: 500, messages: withoutSearches(messages) }));
    const answer = await anthropic.messages.create({
      ...{ model: 'claude-test', max_tokens: 500, messages },
      tools: [SEARCH_TOOL, ...TOOLS.map((tool) => ({ ...tool, defer_loading: true }))] as Anthropic.ToolUnion[],
    });
    expect(upstreams.requests.length - before).toBe(turn.length);
    const results = answer.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'sunny' }] : [],
    );
    messages = [...messages, { role: 'assistant', content: answer.content as Anthropic.ContentBlockParam[] }];
    messages = [...messages, { role: 'user', content: results }];
  }
  const { data } = (await (await fetch(`${url}/v1/activity?limit=1`)).json()) as { data: readonly RequestRecord[] };
  const account = data[0]?.tokens;
  if (account === undefined) throw new Error('There is no account');
  const read = upstreams.requests.slice(before).map(readTokens);
  const inline = plain + TOOLS.map(definitionTokens).reduce((sum, one) => sum + one, 0);
  return { account, net: inline - read.reduce((sum, one) => sum + one, 0), upstreams };
}

function withoutSearches(messages: readonly Anthropic.MessageParam[]): object[] {
  return messages.map(({ role, content }) => {
    if (typeof content === 'string') return { role, content };
    return {
      role,
      content: content.filter(({ type }) => type !== 'server_tool_use' && type !== 'tool_search_tool_result'),
    };
  });
}

const ONE = [search('weather'), call('get_weather')];
const TWO = [search('weather'), search('rain'), call('get_weather')];
const NEXT = [search('wind'), call('get_wind')];

describe('the tokens of a response are what the model read, compared with everything inline', () => {
  it.each([
    ['native, one search', { turns: [ONE] }],
    ['native, two searches', { turns: [TWO] }],
    ['native, no search', { turns: [[{ text: 'It will be fine.' }]] }],
    ['native, nothing found', { turns: [[search('qwxz'), { text: 'There is no such tool.' }]] }],
    ['native, after an earlier search', { turns: [ONE, NEXT] }],
    ['native, after an earlier search, without another', { turns: [ONE, [{ text: 'It is sunny.' }]] }],
    ['native, with an offer', { offersTools: true, turns: [ONE] }],
    ['load, one search', { form: 'load', turns: [ONE] }],
    ['load, two searches', { form: 'load', turns: [TWO] }],
    ['load, after an earlier search', { form: 'load', turns: [ONE, NEXT] }],
    ['load, with an offer', { form: 'load', offersTools: true, turns: [ONE] }],
    ['stub, one search', { form: 'stub', turns: [ONE] }],
    ['stub, after an earlier search', { form: 'stub', turns: [ONE, NEXT] }],
    ['stub, with an offer', { form: 'stub', offersTools: true, turns: [ONE] }],
    ['bridge, one search', { form: 'bridge', turns: [[search('weather'), wrapped('get_weather')]] }],
    [
      'bridge, after an earlier search',
      {
        form: 'bridge',
        turns: [
          [search('weather'), wrapped('get_weather')],
          [search('wind'), wrapped('get_wind')],
        ],
      },
    ],
    ['bridge, with an offer', { form: 'bridge', offersTools: true, turns: [[wrapped('get_weather')]] }],
  ] satisfies readonly (readonly [string, Talk])[])('%s', async (_, conversation) => {
    const { account, net } = await talk(conversation);
    expect(account.added).toBe(account.ownTools + account.carried + account.answers + account.repeated);
    // Lengths are measured without escapes.
    expect(Math.abs(account.net - net)).toBeLessThan(0.05 * account.added + 30);
  });
});
