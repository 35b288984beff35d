import { describe, expect, it } from 'vitest';
import { answered, CREATE, makeToolbox, PATCH, READ, run, SEARCH, toolCall, USER } from './chat-run.fixture.ts';
import { chatRound, chatTool, chunk } from './chat-script.fixture.ts';
import { chatWhole } from './whole.ts';

describe('a refused call of ours', () => {
  it.each([
    [
      '{"name": "create_issue", "arguments": {"text": ',
      { INVALID_JSON: '{"name": "create_issue", "arguments": {"text": ' },
    ],
    ['```json\n{"name":"nothing"}\n```', { name: 'nothing' }],
  ])('is in the next round with arguments that every host can read: %s', async (text, read) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'tool_call', arguments: text } };
    const broken = [chunk({ role: 'assistant' }), chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')];
    const { requests } = await run([broken, chatRound({ text: 'Hello' })]);
    const written = requests[1]?.messages.find(({ role }) => role === 'assistant')?.tool_calls?.[0];
    expect(JSON.parse(written?.function?.arguments ?? '')).toEqual(read);
  });

  it('keeps the bytes of arguments that are JSON', async () => {
    const text = '{ "name":"nothing" }';
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'tool_call', arguments: text } };
    const refused = [chunk({ role: 'assistant' }), chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')];
    const { requests } = await run([refused, chatRound({ text: 'Hello' })]);
    const written = requests[1]?.messages.find(({ role }) => role === 'assistant')?.tool_calls?.[0];
    expect(written?.function?.arguments).toBe(text);
  });
});

describe('writing the next round', () => {
  it('returns what a host attaches to calls and messages', async () => {
    const signature = { extra_content: { google: { thought_signature: 'abc' } } };
    const { requests, parts } = await run([
      [
        chunk({ role: 'assistant', reasoning_content: 'The user ' }),
        chunk({ reasoning_content: 'wants an issue.' }),
        chunk({ tool_calls: [{ index: 0, ...signature, ...toolCall('s', 'tool_search', { query: 'issue' }) }] }),
        chunk({}, 'tool_calls'),
      ],
      [
        chunk({
          tool_calls: [
            {
              index: 0,
              ...signature,
              ...toolCall('c', 'tool_call', { name: 'create_issue', arguments: { text: 'x' } }),
            },
          ],
        }),
        chunk({}, 'tool_calls'),
      ],
    ]);
    expect(requests[1]?.messages.at(-2)).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'The user wants an issue.',
      tool_calls: [{ ...signature, ...toolCall('s', 'tool_search', { query: 'issue' }) }],
    });
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      { ...signature, ...toolCall('c', 'create_issue') },
    ]);
  });

  it('frees a choice that forced the search, in the next round only', async () => {
    const forced = { type: 'function', function: { name: 'tool_search' } };
    const request = { tool_choice: forced };
    const { requests } = await run([chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hello' })], { request });
    expect(requests.map((one) => one.tool_choice)).toEqual([forced, 'auto']);
    const again = await run([chatRound({ text: 'Hello' })], {
      request: { ...request, messages: [USER, ...answered(toolCall('a', 'create_issue')), USER] },
    });
    expect(again.requests[0]?.tool_choice).toEqual(forced);
  });

  it('keeps "required" until a real tool is called', async () => {
    const { requests } = await run(
      [chatRound({ calls: [SEARCH] }), chatRound({ calls: [{ id: 'a', name: 'read_file', input: {} }] })],
      { request: { tool_choice: 'required' } },
    );
    expect(requests.map((one) => one.tool_choice)).toEqual(['required', 'required']);
  });

  it.each(['stub', 'bridge', 'load'] as const)(
    'shows a deferred tool in full that the client forces, in the form %s',
    async (form) => {
      const choice = { type: 'function', function: { name: 'create_issue' } };
      const { requests, parts } = await run(
        [chatRound({ calls: [{ id: 'a', name: 'create_issue', input: { text: 'x' } }] })],
        {
          form,
          request: { tool_choice: choice },
        },
      );
      expect(requests[0]?.tools?.at(-1)).toEqual(CREATE);
      expect(requests[0]?.tools?.filter((tool) => JSON.stringify(tool).includes('"create_issue"'))).toHaveLength(1);
      expect(requests[0]?.tool_choice).toEqual(choice);
      expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('a', 'create_issue')]);
    },
  );

  it('limits allowed tools to those that are declared, and adds the search', async () => {
    const named = (name: string): object => ({ type: 'function', function: { name } });
    const choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [named('read_file'), named('create_issue')] },
    };
    const { requests } = await run([chatRound({ text: 'Hello' })], { form: 'load', request: { tool_choice: choice } });
    expect(requests[0]?.tool_choice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [named('read_file'), named('tool_search')] },
    });
  });
});

describe('custom tools', () => {
  it('are found, called with their text, and stand in the history as the model wrote them', async () => {
    const { parts } = await run([
      chatRound({
        calls: [{ id: 'a', name: 'tool_call', input: { name: 'apply_patch', arguments: { input: '*** Begin' } } }],
      }),
    ]);
    const call = { id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } };
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([call]);
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      request: { messages: [USER, ...answered(call)] },
    });
    expect(requests[0]?.messages.at(-2)?.tool_calls).toEqual([
      toolCall('a', 'tool_call', { name: 'apply_patch', arguments: { input: '*** Begin' } }),
    ]);
  });

  it('keep their definition and their calls in the forms that call by name', async () => {
    const delta = { index: 0, id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } };
    const { parts, requests } = await run(
      [[chunk({ role: 'assistant', tool_calls: [delta] }), chunk({}, 'tool_calls')]],
      { form: 'stub' },
    );
    expect(requests[0]?.tools?.at(-1)).toEqual(PATCH);
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([
      { id: 'a', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } },
    ]);
  });
});

describe('names that the API would refuse', () => {
  const odd = chatTool('issues.create', 'Opens an issue.');

  it("are the client's own in calls, and the model's in the history", async () => {
    const shown = makeToolbox([READ, odd]).snapshot().tools[1];
    const name = shown === undefined ? '' : makeToolbox([READ, odd]).snapshot().modelName(shown);
    expect(name).toMatch(/^issues_create_[0-9a-f]{8}$/);
    const { parts } = await run(
      [chatRound({ calls: [SEARCH] }), chatRound({ calls: [{ id: 'b', name, input: { text: 'x' } }] })],
      {
        tools: [READ, odd],
        form: 'load',
      },
    );
    expect(chatWhole.fromParts(parts).choices[0]?.message.tool_calls).toEqual([toolCall('b', 'issues.create')]);
    const { requests } = await run([chatRound({ text: 'Hello' })], {
      tools: [READ, odd],
      form: 'load',
      request: { messages: [USER, ...answered(toolCall('b', 'issues.create'))] },
    });
    expect(requests[0]?.messages.at(-2)?.tool_calls).toEqual([toolCall('b', name)]);
    expect(requests[0]?.tools?.at(-1)).toEqual(chatTool(name, 'Opens an issue.'));
  });
});
