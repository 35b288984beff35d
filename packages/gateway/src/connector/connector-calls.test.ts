import { estimateTokens } from '@quartermaster/core/gate';
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../events/index.ts';
import { type Block, message, upstreamError } from '../scripted-upstream.fixture.ts';
import { ASK, BM25 } from '../weather-request.fixture.ts';
import {
  asking,
  CALL_THEN_TELL,
  CONTACTS,
  connected,
  methodsOf,
  SEARCH_CALL,
  serverAt,
  THIS_MACHINE,
  toolset,
  typesOf,
} from './connector.fixture.ts';

describe('a call to a server', () => {
  it('gets a token that goes nowhere else', async () => {
    const { create, crm, upstreams, log } = await connected(CALL_THEN_TELL);
    await create(asking(crm.url, { mcp_servers: [serverAt(crm.url, { authorization_token: 'tok-123' })] }));
    expect(new Set(crm.requests.map(({ headers }) => headers.get('authorization')))).toEqual(
      new Set(['Bearer tok-123']),
    );
    expect(JSON.stringify([upstreams.requests, log])).not.toContain('tok-123');
  });

  it('that fails is reported to the model', async () => {
    const rounds = [
      message([SEARCH_CALL, { call: 'crm_search_contacts', id: 'toolu_d', input: { nam: 'Ada' } }], 'tool_use'),
      message([{ text: 'Sorry.' }], 'end_turn'),
    ];
    const run = () => ({ content: [{ type: 'text', text: 'No such person' }], isError: true });
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { create, crm, upstreams } = await connected(rounds, { tools });
    const { content } = await create(asking(crm.url));
    expect(content.slice(0, 4)).toMatchObject([
      { type: 'mcp_tool_use', id: 'mcptoolu_c' },
      { type: 'mcp_tool_use', id: 'mcptoolu_d' },
      { type: 'mcp_tool_result', is_error: true, content: [{ text: 'No such person' }] },
      { type: 'mcp_tool_result', is_error: true, content: [{ text: expect.stringContaining('name') }] },
    ]);
    expect(upstreams.requests[1]?.messages.at(-1)).toMatchObject({ content: [{ is_error: true }, { is_error: true }] });
  });

  it('in a batch is made once, with all rounds in one result', async () => {
    const { anthropic, crm, url } = await connected([
      message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'search contacts' } }], 'tool_use'),
      ...CALL_THEN_TELL,
    ]);
    const { model, max_tokens, messages } = ASK;
    const tools = [BM25, toolset({ default_config: { defer_loading: true } })];
    const params = { model, max_tokens, messages, tools, mcp_servers: [serverAt(crm.url)] };
    const { id } = await anthropic.beta.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
    while ((await anthropic.beta.messages.batches.retrieve(id)).processing_status !== 'ended');
    const line = await (await fetch(`${url}/v1/messages/batches/${id}/results`)).json();
    expect(line).toMatchObject({
      result: { message: { stop_reason: 'end_turn', usage: { input_tokens: 30, output_tokens: 15 } } },
    });
    const { content } = (line as { result: { message: { content: readonly { type: string }[] } } }).result.message;
    expect(typesOf({ content })).toEqual([
      ...['server_tool_use', 'tool_search_tool_result', 'text'],
      ...['mcp_tool_use', 'mcp_tool_result', 'text'],
    ]);
    expect(methodsOf(crm).filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is in the record of its request, by the name that the model used, with calls that were not made', async () => {
    const search: Block = { call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'search contacts' } };
    const rounds = [
      message([search], 'tool_use'),
      message([SEARCH_CALL, { call: 'crm_search_contacts', id: 'toolu_d', input: { nam: 'Ada' } }], 'tool_use'),
      message([{ text: 'There she is.' }], 'end_turn'),
    ];
    const { create, crm, url } = await connected(rounds);
    const tools = [BM25, toolset({ default_config: { defer_loading: true } })];
    await create(asking(crm.url, { tools }));
    const { data } = (await (await fetch(`${url}/v1/activity`)).json()) as { data: readonly RequestRecord[] };
    expect(data).toMatchObject([
      {
        loaded: [{ name: 'crm_search_contacts' }, { name: 'crm_delete_contact' }],
        called: ['crm_search_contacts'],
        refused: [{ tool: 'crm_search_contacts', reason: 'arguments' }],
        steps: [
          { kind: 'model' },
          { kind: 'search' },
          { kind: 'model' },
          { kind: 'call', tool: 'crm_search_contacts' },
          { kind: 'model' },
        ],
      },
    ]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    // The other one is delete_contact.
    expect(metrics).toContain('quartermaster_tools_found_not_called_total{model="claude-test"} 1\n');
  });

  it('needs a round of its own, which tool search is not charged for', async () => {
    const { create, crm, url } = await connected(CALL_THEN_TELL);
    const tools = [BM25, toolset({ default_config: { defer_loading: true } })];
    await create(asking(crm.url, { tools }));
    const { data } = (await (await fetch(`${url}/v1/activity`)).json()) as { data: readonly RequestRecord[] };
    const [tokens] = data.map((record) => record.tokens);
    // Without tool search, the conversation would have been read twice as well; our own tools and the definition that is called would not.
    const { description, inputSchema: parameters } = CONTACTS.search_contacts ?? {};
    const called = estimateTokens(JSON.stringify({ name: 'crm_search_contacts', description, parameters }));
    expect(tokens).toMatchObject({ carried: 0, answers: 0, repeated: (tokens?.ownTools ?? 0) + called });
  });

  it('is counted by the pattern that allows it: names and addresses are the client’s', async () => {
    const run = (input: unknown) => ({ content: [], isError: (input as { name: string }).name === 'Bob' });
    const call = (name: string, id: string): Block => ({ call: 'crm_search_contacts', id, input: { name } });
    const rounds = [
      message([call('Ada', 'toolu_1'), call('Bob', 'toolu_2'), call('Eve', 'toolu_3')], 'tool_use'),
      message([{ text: 'Done.' }], 'end_turn'),
    ];
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { create, crm, url } = await connected(rounds, { tools });
    await create(asking(crm.url));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const labels = 'pattern="http://127.0.0.1:*"';
    expect(metrics).toContain(`quartermaster_connector_calls_total{${labels},outcome="success"} 2\n`);
    expect(metrics).toContain(`quartermaster_connector_calls_total{${labels},outcome="error"} 1\n`);
    expect(metrics).toContain(`quartermaster_connector_call_seconds_count{${labels}} 3\n`);
    expect(metrics).not.toContain('crm');
    expect(metrics).not.toContain(new URL(crm.url).port);
  });

  it('to a server that is gone is reported to the model, and the turn continues', async () => {
    let isGone = false;
    const { create, crm } = await connected([message([{ text: 'Ok.' }], 'end_turn'), ...CALL_THEN_TELL], {
      answer: () => (isGone ? new Response('gone', { status: 503 }) : undefined),
    });
    await create(asking(crm.url));
    isGone = true;
    const { content, stop_reason } = await create(asking(crm.url));
    expect(content[2]).toMatchObject({
      type: 'mcp_tool_result',
      is_error: true,
      content: [{ text: expect.stringContaining("MCP server 'crm'") }],
    });
    expect(stop_reason).toBe('end_turn');
  });

  it('has a bounded result, in text', async () => {
    const parts = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'ä'.repeat(2_000) },
    ];
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run: () => ({ content: parts }) } };
    const connector = { ...THIS_MACHINE, resultBytes: 1_024 };
    const { create, crm } = await connected(CALL_THEN_TELL, { tools, connector });
    const { content } = await create(asking(crm.url));
    const [image, text, note] = (content[2] as { content: { text: string }[] }).content;
    expect(image?.text).toContain('image/png');
    expect(Buffer.byteLength((image?.text ?? '') + (text?.text ?? ''))).toBeLessThanOrEqual(1_024);
    expect(text?.text).toMatch(/^ä+$/);
    expect(note?.text).toContain('cut off');
  });

  it('that was cut by the token limit is dropped, in a stream too', async () => {
    const cut = message([{ text: 'Look.' }, SEARCH_CALL], 'max_tokens').map((event) =>
      event.type === 'content_block_delta' && event.index === 1
        ? { ...event, delta: { type: 'input_json_delta', partial_json: '{"na' } }
        : event,
    );
    const { anthropic, create, crm } = await connected([cut, cut]);
    const streamed = await anthropic.beta.messages.stream(asking(crm.url) as never).finalMessage();
    for (const response of [await create(asking(crm.url)), streamed]) {
      expect(typesOf(response)).toEqual(['text']);
      expect(response.stop_reason).toBe('max_tokens');
    }
    expect(methodsOf(crm)).not.toContain('tools/call');
  });

  it('that was forced is forced once', async () => {
    const { create, crm, upstreams } = await connected(CALL_THEN_TELL);
    await create(asking(crm.url, { tool_choice: { type: 'tool', name: 'crm_search_contacts' } }));
    expect(upstreams.requests.map(({ tool_choice }) => tool_choice)).toEqual([
      { type: 'tool', name: 'crm_search_contacts' },
      { type: 'auto' },
    ]);
  });

  it('repeats no id, though the upstream does', async () => {
    const again = message([SEARCH_CALL], 'tool_use');
    const { create, crm } = await connected([again, ...CALL_THEN_TELL]);
    const { content } = await create(asking(crm.url));
    const ids = content.flatMap((block) => (block.type === 'mcp_tool_use' ? [block.id] : []));
    expect(ids).toEqual(['mcptoolu_c', 'mcptoolu_c_2']);
  });

  it('is called off when the client goes away', async () => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
      return new Promise<string>(() => undefined);
    };
    const tools = { search_contacts: { ...CONTACTS.search_contacts, run } };
    const { anthropic, crm, close } = await connected(CALL_THEN_TELL, { tools });
    const stream = anthropic.beta.messages.stream(asking(crm.url) as never, { signal: stop.signal });
    await expect(stream.finalMessage()).rejects.toThrow();
    // Waits for everything under way.
    await close();
  });

  it('is followed by an error in the stream where the upstream fails after it', async () => {
    const failing = [upstreamError(529, { error: { type: 'overloaded_error', message: 'Later' } })];
    const { anthropic, crm } = await connected([message([SEARCH_CALL], 'tool_use'), failing as never]);
    const seen: string[] = [];
    const stream = anthropic.beta.messages.stream(asking(crm.url) as never);
    stream.on('streamEvent', (event) => event.type === 'content_block_start' && seen.push(event.content_block.type));
    await expect(stream.finalMessage()).rejects.toThrow(/Later/);
    expect(seen).toEqual(['mcp_tool_use', 'mcp_tool_result']);
  });

  it('pauses the turn at the limit of rounds, and the same message goes on', async () => {
    const again = message([SEARCH_CALL], 'tool_use');
    const done = message([{ text: 'Done.' }], 'end_turn');
    const { create, crm, upstreams } = await connected([again, again, done], { settings: { maxRounds: 2 } });
    const request = asking(crm.url);
    const { content, stop_reason } = await create(request);
    expect(typesOf({ content })).toEqual(['mcp_tool_use', 'mcp_tool_result', 'mcp_tool_use', 'mcp_tool_result']);
    expect(stop_reason).toBe('pause_turn');
    const resumed = await create({
      ...request,
      messages: [...request.messages, { role: 'assistant', content } as never],
    });
    expect(typesOf(resumed)).toEqual(['text']);
    expect(upstreams.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });
});
