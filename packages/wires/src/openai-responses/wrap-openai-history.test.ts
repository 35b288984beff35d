import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ScriptedHost } from '../internal/scripted-host.fixture.ts';
import { functionCall, message, responseRound } from './response-script.fixture.ts';
import { CREATE, planned, READ, start, TOOLS, told } from './wrapped-responses.fixture.ts';

describe('a conversation with a wrapped OpenAI client in responses', () => {
  it('continues from an earlier response, with found tools still loaded', async () => {
    const { client, host } = await start(
      [
        responseRound([functionCall('call_0', 'tool_search', { query: 'issue' })]),
        responseRound([functionCall('call_1', 'create_issue', { text: 'x' })]),
        responseRound([message('Opened number 7.')]),
      ],
      { form: 'load' },
    );
    const tools = [{ type: 'tool_search' as const }, READ, CREATE];
    const user = { role: 'user' as const, content: 'Open an issue' };
    const first = await client.responses.create({ model: 'gpt-5.4', input: [user], tools });
    const input = [
      user,
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output' as const, call_id: 'call_1', output: 'Number 7' },
    ];
    const second = await client.responses.create({ model: 'gpt-5.4', input, tools });
    expect(second.output_text).toBe('Opened number 7.');
    const { own } = planned('load');
    expect(host.requests[2]).toMatchObject({
      tools: [{ ...own[0], description: expect.any(String) }, READ, CREATE],
      input: [
        user,
        { type: 'function_call', call_id: 'call_ts_0', name: 'tool_search', arguments: '{"query":"issue"}' },
        { type: 'function_call_output', call_id: 'call_ts_0', output: told('load') },
        functionCall('call_1', 'create_issue', { text: 'x' }),
        { type: 'function_call_output', call_id: 'call_1', output: 'Number 7' },
      ],
    });
  });
});

describe('a response that the host never saw whole', () => {
  const ID = 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9';
  const SAID = message('Shall I?', 'msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9');
  const USER = { role: 'user' as const, content: 'Open an issue' };
  const YES = { role: 'user' as const, content: 'Yes' };
  const ASK = { model: 'gpt-5.4', tools: TOOLS };
  const rounds = [
    responseRound([functionCall('call_0', 'tool_search', { query: 'opens' })]),
    responseRound([SAID]),
    responseRound([message('Done.')]),
  ].map((round) =>
    round.map((event) =>
      event.response === undefined ? event : { ...event, response: { ...event.response, id: ID } },
    ),
  );
  const inputs = (host: ScriptedHost): readonly (readonly unknown[])[] =>
    (host.requests as readonly { readonly input?: unknown }[]).map(({ input }) =>
      Array.isArray(input) ? input : [{ ...USER, content: input }],
    );

  it('is gone on from by its id', async () => {
    const { client, host } = await start(rounds, { form: 'load' });
    const { id } = await client.responses.create({ ...ASK, input: [USER] });
    expect(id).toBe(ID);
    await client.responses.create({ ...ASK, previous_response_id: id, input: [YES] });
    const [, second = [], third = []] = inputs(host);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toMatchObject([{ id: SAID.id, role: 'assistant' }, YES]);
    expect(host.requests[2]).not.toHaveProperty('previous_response_id');
  });

  it('is referred to by the ids of its items', async () => {
    const { client, host } = await start(rounds, { form: 'load' });
    await client.responses.create({ ...ASK, input: [USER] });
    const reference = { type: 'item_reference' as const, id: String(SAID.id) };
    await client.responses.create({ ...ASK, input: [USER, reference, YES] });
    const [, second = [], third = []] = inputs(host);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toMatchObject([{ id: SAID.id, role: 'assistant' }, YES]);
  });

  it('is not known by its id when the client asked not to store it', async () => {
    const { client } = await start(rounds, { form: 'load' });
    await client.responses.create({ ...ASK, store: false, input: 'Hello' });
    await expect(client.responses.create({ ...ASK, previous_response_id: ID, input: [YES] })).rejects.toThrow(
      'previous_response_id',
    );
  });
});
