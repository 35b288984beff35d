import type { ChatRequest } from '@quartermaster/wires/openai-chat';
import type { ResponsesRequest } from '@quartermaster/wires/openai-responses';
import { describe, expect, it } from 'vitest';
import { writeSeal } from '../internal/seal.ts';
import type { ModelTarget } from './model-target.ts';
import { toCall as chatToCall } from './openai-chat/to-call.ts';
import { toCall as responsesToCall } from './openai-responses/to-call.ts';

const OTHER: ModelTarget = { family: 'other', provider: 'local' };
const GOOGLE: ModelTarget = { family: 'google', provider: 'google' };
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
const PNG = 'data:image/png;base64,AAAA';
const FILE = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' };

describe('a Chat request', () => {
  it('keeps an image of a tool message', () => {
    const messages = [
      { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: PNG } }] },
    ];
    expect(chatToCall({ messages }, GOOGLE).prompt[1]?.content).toMatchObject([
      { toolCallId: 'c1', output: { type: 'content', value: [FILE] } },
    ]);
  });

  it('is carried completely', () => {
    const request: ChatRequest = {
      model: 'm',
      max_completion_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      presence_penalty: 1,
      frequency_penalty: 2,
      seed: 7,
      stop: 'END',
      reasoning_effort: 'low',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
      tools: [
        { type: 'function', function: { name: 'look', description: 'Looks.', parameters: SCHEMA, strict: true } },
        { type: 'custom', custom: { name: 'patch', description: 'Patches.' } },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
            { id: 'c2', type: 'custom', custom: { name: 'patch', input: 'raw' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Seen' },
        { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'Done' }] },
        { role: 'tool', tool_call_id: 'gone', content: 'Lost' },
      ],
    };
    const custom = {
      type: 'function',
      name: 'patch',
      description: 'Patches.',
      inputSchema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
    };
    expect(chatToCall(request, OTHER)).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'See' }, FILE] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm' },
            { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { a: 1 } },
            { type: 'tool-call', toolCallId: 'c2', toolName: 'patch', input: { input: 'raw' } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'Seen' } },
            { type: 'tool-result', toolCallId: 'c2', toolName: 'patch', output: { type: 'text', value: 'Done' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'text', text: '[Earlier step, result of a call that is not in this conversation: Lost]' }],
        },
      ],
      maxOutputTokens: 50,
      temperature: 0,
      topP: 0.5,
      presencePenalty: 1,
      frequencyPenalty: 2,
      seed: 7,
      stopSequences: ['END'],
      reasoning: 'low',
      responseFormat: { type: 'json', schema: SCHEMA, name: 'n' },
      tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: SCHEMA, strict: true }, custom],
      toolChoice: { type: 'tool', toolName: 'look' },
      providerOptions: { local: { parallel_tool_calls: false } },
    });
  });

  it('keeps arguments that are not JSON under a separate key, in both dialects', () => {
    const bad = '{"city": ';
    const call = { id: 'c1', function: { name: 'look', arguments: bad } };
    const [message] = chatToCall({ messages: [{ role: 'assistant', tool_calls: [call] }] }, OTHER).prompt;
    expect(message?.content).toMatchObject([{ input: { INVALID_JSON: bad } }]);
    const item = { type: 'function_call', call_id: 'c1', name: 'look', arguments: bad };
    const [said] = responsesToCall({ input: [item] }, OTHER).prompt;
    expect(said?.content).toMatchObject([{ input: { INVALID_JSON: bad } }]);
  });

  it('gives a thought signature back to Google with its call', () => {
    const call = {
      id: 'c1',
      function: { name: 'look', arguments: '' },
      extra_content: { google: { thought_signature: 's' } },
    };
    const [message] = chatToCall({ messages: [{ role: 'assistant', tool_calls: [call] }] }, GOOGLE).prompt;
    expect(message?.content).toEqual([
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'look',
        input: {},
        providerOptions: { google: { thoughtSignature: 's' } },
      },
    ]);
  });

  it.each<[unknown, object]>([
    ['auto', { toolChoice: { type: 'auto' } }],
    ['required', { toolChoice: { type: 'required' } }],
    ['none', { toolChoice: { type: 'none' } }],
    [undefined, {}],
  ])('reads a tool_choice of %s', (choice, expected) => {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const { tools: _, prompt: __, ...rest } = chatToCall({ messages: [], tools, tool_choice: choice }, OTHER);
    expect(rest).toEqual(expected);
  });

  it('declares only the tools that are allowed', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'b' } }] };
    const call = chatToCall(
      { messages: [], tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
      OTHER,
    );
    expect(call.tools?.map(({ name }) => name)).toEqual(['b']);
    expect(call.toolChoice).toEqual({ type: 'required' });
  });

  it('offers no tool if the allowed ones are not declared', () => {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const choice = { type: 'function', function: { name: 'gone' } };
    const allowed = { mode: 'required', tools: [choice] };
    const none = chatToCall(
      { messages: [], tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
      OTHER,
    );
    expect(none).toEqual({ prompt: [] });
  });
});

describe('a Responses request', () => {
  it('is carried completely', () => {
    const request: ResponsesRequest = {
      model: 'm',
      instructions: 'Be brief.',
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } },
      tools: [
        { type: 'function', name: 'look', parameters: SCHEMA, strict: false },
        { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find', parameters: SCHEMA }] },
      ],
      tool_choice: { type: 'function', name: 'find', namespace: 'crm' },
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: PNG },
          ],
        },
        { type: 'reasoning', summary: [], encrypted_content: 'of OpenAI' },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hm' }],
          encrypted_content: writeSeal({ provider: 'local', metadata: {} }),
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me.' }] },
        { type: 'function_call', call_id: 'c1', name: 'find', namespace: 'crm', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'raw' },
        { type: 'function_call_output', call_id: 'c1', output: 'Seen' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_image', image_url: PNG }] },
      ],
    };
    expect(responsesToCall(request, OTHER)).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'See' }, FILE] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm', providerOptions: {} },
            { type: 'text', text: 'Let me.' },
            { type: 'tool-call', toolCallId: 'c1', toolName: 'crm__find', input: { a: 1 } },
            { type: 'tool-call', toolCallId: 'c2', toolName: 'patch', input: { input: 'raw' } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c1', toolName: 'crm__find', output: { type: 'text', value: 'Seen' } },
            {
              type: 'tool-result',
              toolCallId: 'c2',
              toolName: 'patch',
              output: { type: 'text', value: '[image 1: in the next message]' },
            },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: '[image 1 of the tool results]' }, FILE] },
      ],
      maxOutputTokens: 50,
      reasoning: 'low',
      responseFormat: { type: 'json', schema: SCHEMA, name: 'n' },
      tools: [
        { type: 'function', name: 'look', inputSchema: SCHEMA, strict: false },
        { type: 'function', name: 'crm__find', inputSchema: SCHEMA },
      ],
      toolChoice: { type: 'tool', toolName: 'crm__find' },
    });
    expect(responsesToCall(request, GOOGLE).prompt.at(-1)?.content).toMatchObject([
      { toolCallId: 'c1' },
      { toolCallId: 'c2', output: { type: 'content', value: [FILE] } },
    ]);
  });

  it('declares tools that an item adds in the middle, each once', () => {
    const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
    const group = (...names: string[]) => ({ type: 'namespace', name: 'crm', tools: names.map(tool) });
    const tools = [tool('extra'), tool('read'), group('find', 'merge')];
    const added = { type: 'additional_tools', role: 'developer', tools };
    const request = { input: [{ role: 'user', content: 'Hi' }, added, added], tools: [tool('read'), group('find')] };
    expect(responsesToCall(request, OTHER).tools?.map(({ name }) => name)).toEqual([
      'read',
      'crm__find',
      'extra',
      'crm__merge',
    ]);
  });

  it('forces no search that the provider does not get', () => {
    const tools = [
      { type: 'tool_search', execution: 'client' },
      { type: 'function', name: 'look' },
    ];
    const call = responsesToCall({ input: 'Hi', tools, tool_choice: { type: 'tool_search' } }, OTHER);
    expect(call).not.toHaveProperty('toolChoice');
  });

  it('accepts a text as input', () => {
    expect(responsesToCall({ input: 'Hello' }, OTHER).prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ]);
  });

  it.each(['previous_response_id', 'conversation'])('is refused with %s, whose history is elsewhere', (setting) => {
    expect(() => responsesToCall({ input: 'Hello', [setting]: 'x' }, OTHER)).toThrowError(
      expect.objectContaining({ code: 'unsupported', status: 400, isRetryable: false }),
    );
  });
});

it.each([
  [{ type: 'hologram' }, 'an item of type hologram'],
  [{ type: 'item_reference', id: 'msg_1' }, 'the item_reference msg_1'],
  [
    { role: 'user', content: [{ type: 'input_image', file_id: 'f' }] },
    'a content part of type input_image with a file',
  ],
  [{ role: 'user', content: [{ type: 'hologram' }] }, 'a content part of type hologram'],
])('a Responses request with %o is refused, and the part named', (item, name) => {
  expect(() => responsesToCall({ input: [{ role: 'user', content: 'Hi' }, item] }, OTHER)).toThrowError(
    expect.objectContaining({ status: 400, message: expect.stringContaining(`input: ${name}`) }),
  );
});

it('a Responses request with a prompt kept at OpenAI is refused', () => {
  expect(() => responsesToCall({ prompt: { id: 'pmpt_1' } }, OTHER)).toThrowError(
    expect.objectContaining({ status: 400, message: expect.stringMatching(/^prompt: /) }),
  );
});

it.each([{ type: 'file', file: { file_id: 'f' } }, { type: 'hologram' }])(
  'a Chat request with a part %o is refused, and the part named',
  (part) => {
    expect(() => chatToCall({ messages: [{ role: 'user', content: [part] }] }, OTHER)).toThrowError(
      expect.objectContaining({ status: 400, message: expect.stringContaining(`a content part of type ${part.type}`) }),
    );
  },
);

it.each([
  ['banana', "'banana' is none of auto, none, required"],
  [{ type: 'function', name: 'nosuch', function: { name: 'nosuch' } }, "the tool 'nosuch' is not in tools"],
])('a tool_choice of %o is refused', (choice, why) => {
  const refusal = expect.objectContaining({ status: 400, message: `tool_choice: ${why}` });
  const definition = { name: 'look', parameters: SCHEMA };
  const chat = { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function', function: definition }] };
  expect(() => chatToCall({ ...chat, tool_choice: choice }, OTHER)).toThrowError(refusal);
  const tools = [{ type: 'function', ...definition }];
  expect(() => responsesToCall({ input: 'Hi', tools, tool_choice: choice }, OTHER)).toThrowError(refusal);
});
