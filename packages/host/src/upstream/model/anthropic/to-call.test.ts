import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { writeSeal } from '../../internal/seal.ts';
import type { ModelTarget } from '../model-target.ts';
import { toCall } from './to-call.ts';

const OTHER: ModelTarget = { family: 'other', provider: 'local' };
const OPENAI: ModelTarget = { family: 'openai', provider: 'openai' };
const ANTHROPIC: ModelTarget = { family: 'anthropic', provider: 'anthropic' };

function promptOf(
  messages: AnthropicRequest['messages'],
  target: ModelTarget = OTHER,
): LanguageModelV4CallOptions['prompt'] {
  return toCall({ messages }, target).prompt;
}

const CALLED = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } }] };

function resultOf(content: unknown, extra: object = {}, target: ModelTarget = OTHER): unknown {
  const result = { type: 'tool_result', tool_use_id: 'c1', content, ...extra };
  const message = promptOf([CALLED, { role: 'user', content: [result] }], target).at(-1);
  return message?.role === 'tool' && message.content[0]?.type === 'tool-result' ? message.content[0].output : message;
}

it('carries a whole request', () => {
  const request: AnthropicRequest = {
    model: 'm',
    max_tokens: 100,
    temperature: 0,
    top_p: 0.5,
    top_k: 3,
    stop_sequences: ['END'],
    stream: true,
    system: [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.', cache_control: { type: 'ephemeral' } },
    ],
    tools: [
      {
        name: 'look',
        description: 'Looks.',
        input_schema: { type: 'object', properties: { a: { type: 'number' } } },
        strict: true,
        input_examples: [{ a: 1 }],
        cache_control: { type: 'ephemeral' },
        defer_loading: false,
      },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
    thinking: { type: 'adaptive' },
    metadata: { user_id: 'u' },
    messages: [{ role: 'user', content: 'Hello' }],
  };
  expect(toCall(request, OPENAI)).toEqual({
    prompt: [
      { role: 'system', content: 'One.\n\nTwo.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    maxOutputTokens: 100,
    temperature: 0,
    topP: 0.5,
    topK: 3,
    stopSequences: ['END'],
    tools: [
      {
        type: 'function',
        name: 'look',
        description: 'Looks.\n\nExamples of input:\n{"a":1}',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        strict: true,
      },
    ],
    toolChoice: { type: 'required' },
    responseFormat: { type: 'json', schema: { type: 'object' } },
    reasoning: 'high',
    providerOptions: { openai: { store: false, parallelToolCalls: false } },
  });
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const native = toCall(request, ANTHROPIC);
  expect(native.prompt[0]).toMatchObject({ providerOptions: cached });
  expect(native.tools?.[0]).toMatchObject({
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' }, deferLoading: false } },
  });
});

it.each([
  [{ type: 'auto' }, { type: 'auto' }],
  [{ type: 'none' }, { type: 'none' }],
  [
    { type: 'tool', name: 'look' },
    { type: 'tool', toolName: 'look' },
  ],
])('reads a tool_choice of %o', (choice, expected) => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  expect(toCall({ messages: [], tools, tool_choice: choice }, OTHER).toolChoice).toEqual(expected);
});

it.each(['auto', 'none'])('sends no tool_choice of %s without tools', (type) => {
  expect(toCall({ messages: [], tool_choice: { type } }, OTHER)).not.toHaveProperty('toolChoice');
});

it('forces no tool that the provider does not get', () => {
  const tools = [
    { type: 'tool_search_tool_bm25_20251119', name: 'find' },
    { name: 'look', input_schema: { type: 'object' } },
  ];
  const call = toCall({ messages: [], tools, tool_choice: { type: 'tool', name: 'find' } }, OTHER);
  expect(call.tools?.map(({ name }) => name)).toEqual(['look']);
  expect(call).not.toHaveProperty('toolChoice');
});

describe('tools that Anthropic defines', () => {
  it.each([
    ['bash_20250124', 'bash', 'command'],
    ['text_editor_20250728', 'str_replace_based_edit_tool', 'old_str'],
    ['memory_20250818', 'memory', 'new_path'],
    ['computer_20251124', 'computer', 'coordinate'],
  ])('are sent as functions with their known parameters if the client runs them: %s', (type, name, parameter) => {
    const [tool] = toCall({ messages: [], tools: [{ type, name, defer_loading: true }] }, OTHER).tools ?? [];
    expect(tool).toMatchObject({ type: 'function', name, inputSchema: { properties: { [parameter]: {} } } });
  });

  it.each(['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825', 'mcp_toolset', 'soon_20990101'])(
    'are refused by name where Anthropic runs them: %s',
    (type) => {
      const tools = [{ type, name: 'it' }];
      expect(() => toCall({ messages: [], tools }, OTHER)).toThrow(`tools: ${type} is run by Anthropic`);
    },
  );
});

describe('messages', () => {
  it('are split if they contain results and text, the results first', () => {
    const content = [
      { type: 'text', text: 'Also this' },
      { type: 'tool_result', tool_use_id: 'c1', content: 'Seen' },
    ];
    expect(promptOf([CALLED, { role: 'user', content }])).toEqual([
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { a: 1 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'Seen' } }],
      },
      { role: 'user', content: [{ type: 'text', text: 'Also this' }] },
    ]);
  });

  it('of the system may be anywhere', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'b' },
    ];
    expect(promptOf(messages).map(({ role }) => role)).toEqual(['user', 'system', 'user']);
  });

  it('of the system become reminders for providers that require them first', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'Be brief.' },
    ];
    const target: ModelTarget = { family: 'google', provider: 'google' };
    expect(toCall({ system: 'One.', messages }, target).prompt).toEqual([
      { role: 'system', content: 'One.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '<system-reminder>\nBe brief.\n</system-reminder>' },
        ],
      },
    ]);
  });

  it('of one role are joined, and empty ones omitted', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [] },
      { role: 'user', content: '' },
      { role: 'user', content: 'b' },
    ];
    expect(promptOf(messages)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });
});

const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe('blocks', () => {
  it.each<[string, object, object]>([
    ['an image', PNG, { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }],
    [
      'an image elsewhere',
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'file', data: { type: 'url', url: new URL('https://example.com/a.png') }, mediaType: 'image/*' },
    ],
    [
      'a PDF',
      { type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
      { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'application/pdf', filename: 'T' },
    ],
    [
      'a document of text',
      { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'Body' } },
      { type: 'text', text: 'T\nBody' },
    ],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Body' }] } },
      { type: 'text', text: 'Body' },
    ],
    [
      'a search result',
      { type: 'search_result', title: 'T', source: 'https://s', content: [{ type: 'text', text: 'Body' }] },
      { type: 'text', text: 'T\nhttps://s\nBody' },
    ],
  ])('read %s', (_what, block, expected) => {
    const content = [{ type: 'text', text: 'See' }, block] as { type: string }[];
    const [message] = promptOf([{ role: 'user', content }]);
    expect(message?.content).toEqual([{ type: 'text', text: 'See' }, expected]);
  });

  it('keep a file of the provider itself', () => {
    const content = [{ type: 'image', source: { type: 'file', file_id: 'f' } }];
    expect(promptOf([{ role: 'user', content }], ANTHROPIC)[0]?.content).toMatchObject([
      { data: { type: 'reference', reference: { anthropic: 'f' } } },
    ]);
  });

  it('send thoughts only to the provider that produced them', () => {
    const sealed = writeSeal({ provider: 'local', metadata: { local: { thoughtSignature: 's' } } });
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: sealed },
      { type: 'thinking', thinking: 'Claude', signature: 'real' },
      { type: 'redacted_thinking', data: 'real' },
      { type: 'text', text: 'Hi' },
    ];
    const messages = [{ role: 'assistant', content }];
    const text = { type: 'text', text: 'Hi' };
    expect(promptOf(messages)[0]?.content).toEqual([
      { type: 'reasoning', text: 'Hm', providerOptions: { local: { thoughtSignature: 's' } } },
      text,
    ]);
    expect(promptOf(messages, OPENAI)[0]?.content).toEqual([text]);
    expect(promptOf(messages, ANTHROPIC)[0]?.content).toEqual([
      { type: 'reasoning', text: 'Claude', providerOptions: { anthropic: { signature: 'real' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'real' } } },
      text,
    ]);
  });
});

describe('a search of the provider’s own', () => {
  const searched = [
    { type: 'server_tool_use', id: 's1', name: 'tool_search_tool_regex', input: { pattern: 'x' } },
    {
      type: 'tool_search_tool_result',
      tool_use_id: 's1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'look' }],
      },
    },
    { type: 'text', text: 'Hi' },
  ];

  it('goes back to Anthropic as a call that it executed', () => {
    const value = [{ type: 'tool_reference', toolName: 'look' }];
    expect(promptOf([{ role: 'assistant', content: searched }], ANTHROPIC)[0]?.content).toMatchObject([
      { type: 'tool-call', toolCallId: 's1', toolName: 'tool_search_tool_regex', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', output: { type: 'json', value } },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('is a note for other providers', () => {
    const references = '"tool_references":[{"type":"tool_reference","tool_name":"look"}]';
    for (const target of [OTHER, OPENAI]) {
      expect(promptOf([{ role: 'assistant', content: searched }], target)[0]?.content).toEqual([
        {
          type: 'text',
          text: '[Earlier step, server_tool_use: {"name":"tool_search_tool_regex","input":{"pattern":"x"}}]',
        },
        {
          type: 'text',
          text: `[Earlier step, tool_search_tool_result: {"content":{"type":"tool_search_tool_search_result",${references}}}]`,
        },
        { type: 'text', text: 'Hi' },
      ]);
    }
  });
});

it('keeps a cache breakpoint of a message for Anthropic alone', () => {
  const cache_control = { type: 'ephemeral' };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }];
  const providerOptions = { anthropic: { cacheControl: cache_control } };
  expect(promptOf(messages, ANTHROPIC)[0]?.content).toEqual([{ type: 'text', text: 'Hi', providerOptions }]);
  expect(promptOf(messages, OPENAI)[0]?.content).toEqual([{ type: 'text', text: 'Hi' }]);
});

it('gives examples of inputs as a field to Anthropic', () => {
  const look = { name: 'look', description: 'Looks.', input_schema: { type: 'object' }, input_examples: [{ a: 1 }] };
  expect(toCall({ messages: [], tools: [look] }, ANTHROPIC).tools).toMatchObject([
    { description: 'Looks.', inputExamples: [{ input: { a: 1 } }] },
  ]);
});

describe('results', () => {
  it.each<[string, unknown, object, object]>([
    ['a text', 'Seen', {}, { type: 'text', value: 'Seen' }],
    ['nothing', undefined, {}, { type: 'text', value: '' }],
    [
      'texts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      {},
      { type: 'text', value: 'a\nb' },
    ],
    ['an error', 'No', { is_error: true }, { type: 'error-text', value: 'No' }],
    [
      'an image',
      [{ type: 'text', text: 'a' }, PNG],
      {},
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' },
        ],
      },
    ],
  ])('of %s are read', (_what, content, extra, expected) => {
    expect(resultOf(content, extra, OPENAI)).toEqual(expected);
  });

  it('put images of all results after the last of them if a result is text', () => {
    const messages = [
      {
        role: 'assistant',
        content: ['c1', 'c2', 'c3'].map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'a' }, PNG] },
          { type: 'tool_result', tool_use_id: 'c2', content: 'b' },
          { type: 'tool_result', tool_use_id: 'c3', is_error: true, content: [{ type: 'text', text: 'Failed' }, PNG] },
          { type: 'text', text: 'Compare' },
        ],
      },
    ];
    const file = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' };
    const [, results, user] = promptOf(messages);
    expect(results?.content).toMatchObject([
      { toolCallId: 'c1', output: { type: 'text', value: 'a\n[image 1: in the next message]' } },
      { toolCallId: 'c2', output: { type: 'text', value: 'b' } },
      { toolCallId: 'c3', output: { type: 'error-text', value: 'Failed\n[image 2: in the next message]' } },
    ]);
    expect(user).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '[image 1 of the tool results]' },
        file,
        { type: 'text', text: '[image 2 of the tool results]' },
        file,
        { type: 'text', text: 'Compare' },
      ],
    });
  });

  it('name the address of a document that a host of text results does not fetch', () => {
    const pdf = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } };
    expect(resultOf([pdf])).toEqual({ type: 'text', value: '[file at https://example.com/a.pdf]' });
  });

  it.each<[string, ModelTarget]>([
    ['text', OTHER],
    ['content', OPENAI],
  ])('note an image that the model cannot see, in results of %s', (_what, target) => {
    const blind = { ...target, seesImages: false };
    const note = '[An image was here; this model cannot read images.]';
    expect(JSON.stringify(resultOf([PNG], {}, blind))).toContain(note);
    expect(promptOf([{ role: 'user', content: [PNG] }], blind)).toEqual([
      { role: 'user', content: [{ type: 'text', text: note }] },
    ]);
  });

  it('of references are references if supported, otherwise names', () => {
    const references = [{ type: 'tool_reference', tool_name: 'get_weather' }];
    const custom = {
      type: 'custom',
      providerOptions: { anthropic: { type: 'tool-reference', toolName: 'get_weather' } },
    };
    expect(resultOf(references, {}, ANTHROPIC)).toEqual({ type: 'content', value: [custom] });
    expect(resultOf(references, {}, OPENAI)).toEqual({
      type: 'content',
      value: [{ type: 'text', text: 'get_weather' }],
    });
    expect(resultOf(references)).toEqual({ type: 'text', value: 'get_weather' });
  });
});

it.each([
  [{ type: 'container_upload', file_id: 'file_1' }, 'container_upload'],
  [{ type: 'hologram' }, 'hologram'],
  [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }, 'image with a source of type file'],
  [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }, 'document with a source of type file'],
])('refuses %o of a user, and in a result, and names it', (block, name) => {
  const refusal = expect.objectContaining({
    code: 'unsupported',
    status: 400,
    message: `messages: a block of type ${name} can't be passed on to the host of this model; leave it out`,
  });
  expect(() => promptOf([{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }])).toThrowError(refusal);
  expect(() => resultOf([block])).toThrowError(refusal);
});

it.each([{ tools: [{ name: 'look', input_schema: { type: 'object' } }] }, {}])(
  'refuses to force a tool that is not declared: %o',
  (declared) => {
    const choice = { type: 'tool', name: 'nosuch' };
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(() => toCall({ messages, ...declared, tool_choice: choice }, OTHER)).toThrowError(
      expect.objectContaining({ status: 400, message: "tool_choice: the tool 'nosuch' is not in tools" }),
    );
  },
);
