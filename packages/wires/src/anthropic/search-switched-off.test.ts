import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { describe, expect, it } from 'vitest';
import { type AnthropicEvent, isToolUse } from './anthropic-shapes-2026-11.ts';
import { call, scriptMessage } from './message-script.fixture.ts';
import { bm25SearchTool, deferred } from './open.ts';
import type { AnthropicToolSearchOptions } from './plan-request.ts';
import { searched } from './rendered.fixture.ts';
import { ASK, COMMON, calling, clock, connect, done, mail, ON, searching, weather } from './wrapped-client.fixture.ts';

/** A host that copies the block of an earlier search instead of calling a tool. */
const copied: readonly AnthropicEvent[] = scriptMessage(
  [call('srvtoolu_9', 'tool_search_tool_bm25', {})],
  'end_turn',
).map((event) =>
  event.type === 'content_block_start' && isToolUse(event.content_block)
    ? { ...event, content_block: { ...event.content_block, type: 'server_tool_use' } }
    : event,
);

/** The gate defers only what is marked. */
const MARKED = {
  ...ON,
  form: 'load',
  settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'count', tools: 100 } },
} as const;

/** A search, and then a request of the same conversation that declares no search tool and marks nothing. */
async function continued(then: readonly AnthropicEvent[], options: AnthropicToolSearchOptions = {}) {
  const script = [searching('tool_search_tool_bm25', { query: 'weather' }), done, then, done];
  const { client, host } = await connect(script, { ...MARKED, ...options });
  const searchable = [bm25SearchTool(), clock, deferred(weather), deferred(mail)];
  const { content } = await client.messages.create({ ...COMMON, tools: searchable });
  const messages = [...ASK, { role: 'assistant' as const, content }, ...ASK];
  const message = await client.messages.create({ ...COMMON, messages, tools: [clock, weather, mail] });
  return { message, host };
}

describe('search that was switched off in the middle of a conversation', () => {
  it.each([
    ['tool_search_tool_bm25', calling('tool_search_tool_bm25', { query: 'mail' })],
    ['tool_search_tool_regex', calling('tool_search_tool_regex', { pattern: 'mail' })],
    ['tool_search', calling('tool_search', { query: 'mail' })],
    ['tool_search_tool_bm25', copied],
  ] as const)('%s is answered with the tools that there are', async (name, then) => {
    const { message, host } = await continued(then);
    expect(message.content).toEqual([{ type: 'text', text: 'It rains.' }]);
    expect(host.requests[3]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', name }] },
      { role: 'user', content: [{ type: 'tool_result', content: expect.stringContaining(`${name} is switched off`) }] },
    ]);
    expect(JSON.stringify(host.requests[3]?.messages.at(-1))).toContain('get_time, get_weather, send_mail');
  });

  it('a client that keeps no transcript gets the answer too', async () => {
    const { message, host } = await continued(calling('tool_search_tool_bm25', { query: 'mail' }), {
      transcript: false,
    });
    expect(message.content).toEqual([{ type: 'text', text: 'It rains.' }]);
    expect(host.requests).toHaveLength(4);
  });

  it('a call of a tool of that name goes to the client', async () => {
    const own = { ...clock, name: 'tool_search_tool_bm25' };
    const { client, host } = await connect([calling(own.name, {})], MARKED);
    const messages = [...ASK, { role: 'assistant' as const, content: [...searched('srvtoolu_1', 'x', [])] }, ...ASK];
    const { content } = await client.messages.create({ ...COMMON, messages: messages as never, tools: [own] });
    expect(content).toMatchObject([{ type: 'tool_use', name: own.name }]);
    expect(host.requests).toHaveLength(1);
  });
});
