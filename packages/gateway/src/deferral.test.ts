import { defined } from '@quartermaster/core/internal';
import { type ChatChunk, chatWhole } from '@quartermaster/wires/openai-chat';
import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, type Script, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, BM25, namesOf } from './weather-request.fixture.ts';

const REPORTS = Array.from({ length: 30 }, (_, index) => ({
  name: `report_${index}`,
  description: `Report number ${index} of a year`,
  input_schema: { type: 'object' as const, properties: { year: { type: 'integer' } } },
}));

type Settings = Readonly<Record<string, unknown>>;

/** A gateway as its settings have it, in front of a scripted model. */
async function configured(script: Script, settings: Settings, env: Readonly<Record<string, string>> = {}) {
  const upstreams = scriptedUpstreams(script);
  const { settings: read = {} } = optionsFor(settings, env);
  return { upstreams, ...(await runningGateway({ upstreams, settings: read })) };
}

/** What a chat model says in one turn: a search, or nothing more to do. */
function chatTurn(search?: object): readonly ChatChunk[] {
  const call = { name: 'tool_search', arguments: JSON.stringify(search) };
  const message =
    search === undefined ? { content: 'Ok.' } : { tool_calls: [{ id: 'call_0', type: 'function', function: call }] };
  return chatWhole.toParts({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-test' },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message },
        finish_reason: search === undefined ? 'stop' : 'tool_calls',
      },
    ],
  });
}

const TOOL_SEARCH_ON = { tools: { tool_search: { enabled: 'on' } } };

describe('a request that marks nothing', () => {
  it.each<[string, Settings, Record<string, string>, boolean]>([
    ['no settings', {}, {}, false],
    ['tools.tool_search on', TOOL_SEARCH_ON, {}, true],
    ['ENABLE_TOOL_SEARCH=true', {}, { ENABLE_TOOL_SEARCH: 'true' }, true],
    ['a share that it does not reach', { tools: { tool_search: true } }, {}, false],
    ['tools.tool_search off', { tools: { tool_search: false } }, {}, false],
    ['the variable off', TOOL_SEARCH_ON, { ENABLE_TOOL_SEARCH: 'false' }, false],
    ['deferral against the block', { ...TOOL_SEARCH_ON, deferral: 'as-requested' }, {}, false],
    ['deferral alone', { deferral: 'auto', tools: { policies: { 'report_*': 'always' } } }, {}, true],
  ])('with %s', async (_, settings, env, isDeferred) => {
    const script = { anthropic: [message([{ text: 'Ok.' }], 'end_turn')] };
    const { anthropic, upstreams } = await configured(script, settings, env);
    await anthropic.messages.create({ ...ASK, tools: REPORTS });
    expect(namesOf(upstreams.requests[0])).toEqual(isDeferred ? ['tool_search'] : REPORTS.map(({ name }) => name));
  });
});

describe('a search of marked tools', () => {
  const limits = (search_default_limit: number, max_search_limit: number): Settings => ({
    tools: { tool_search: { search_default_limit, max_search_limit } },
  });

  it.each<[string, Settings, number | undefined, number]>([
    ['no settings', {}, undefined, 5],
    ['no settings, though the model asks for more', {}, 20, 5],
    ['a default below five', limits(2, 20), undefined, 2],
    ['a maximum below five', limits(2, 3), 20, 3],
    ['more in the settings, though the API has five', limits(10, 20), 20, 5],
    ['a default above five, though the API has five', limits(10, 20), undefined, 5],
  ])('of the Messages API, with %s', async (_, settings, limit, count) => {
    const input = { query: 'report of a year', ...defined({ limit }) };
    const rounds = [
      message([{ call: BM25.name, id: 'toolu_s', input }], 'tool_use'),
      message([{ text: 'Ok.' }], 'end_turn'),
    ];
    const { anthropic } = await configured({ anthropic: rounds }, settings);
    const tools = [BM25, ...REPORTS.map((tool) => ({ ...tool, defer_loading: true }))];
    const { content } = await anthropic.messages.create({ ...ASK, tools });
    const result = content.find(({ type }) => type === 'tool_search_tool_result');
    expect(result).toMatchObject({ content: { tool_references: { length: count } } });
  });

  it.each<[string, Settings, number | undefined, number]>([
    ['no settings', {}, undefined, 5],
    ['no settings, where the model asks for more', {}, 50, 20],
    ['other limits', limits(7, 9), undefined, 7],
    ['other limits, where the model asks for more', limits(7, 9), 50, 9],
    ['limits, whatever else is off', { tools: { tool_search: { enabled: 'off', max_search_limit: 3 } } }, 50, 3],
  ])('of a chat, with %s', async (_, settings, limit, count) => {
    const input = { query: 'report of a year', ...defined({ limit }) };
    const { openai, upstreams } = await configured({ chat: [chatTurn(input), chatTurn()] }, settings);
    const tools = REPORTS.map(({ input_schema: parameters, ...tool }) => ({
      type: 'function' as const,
      function: { ...tool, parameters },
      defer_loading: true,
    }));
    await openai.chat.completions.create({ model: 'gpt-test', messages: ASK.messages, tools });
    const found = JSON.stringify(upstreams.requests[1]?.messages.at(-1)).match(/report_\d+/g);
    expect(new Set(found).size).toBe(count);
  });
});
