import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import type { ResponsesItem } from '@quartermaster/wires/openai-responses';
import { describe, expect, it } from 'vitest';
import { toCall as anthropicToCall } from './anthropic/to-call.ts';
import type { ModelTarget } from './model-target.ts';
import { toCall as chatToCall } from './openai-chat/to-call.ts';
import { toCall as responsesToCall } from './openai-responses/to-call.ts';
import { createPromptBuilder } from './prompt-builder.ts';

const OTHER: ModelTarget = { family: 'other', provider: 'local' };
const GOOGLE: ModelTarget = { family: 'google', provider: 'google' };
const BLIND: ModelTarget = { ...OTHER, seesImages: false };
const IMAGE = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' };
type Prompt = LanguageModelV4CallOptions['prompt'];

/** Each message as its role and what it says, files by their media type. */
function outline(prompt: Prompt): readonly string[] {
  return prompt.map(({ role, content }) => {
    const parts = typeof content === 'string' ? [content] : content.map((part) => outlineOf(part));
    return `${role}: ${parts.join(' | ')}`;
  });
}

function outlineOf(part: Exclude<Prompt[number]['content'], string>[number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'file':
      return `<${part.mediaType}>`;
    case 'tool-call':
      return `call ${part.toolName}`;
    case 'tool-result':
      return `result of ${part.toolName}: ${'value' in part.output ? String(part.output.value) : ''}`;
    default:
      return part.type;
  }
}

function responses(items: readonly ResponsesItem[], target = OTHER): readonly string[] {
  return outline(responsesToCall({ input: [{ role: 'user', content: 'Hi' }, ...items] }, target).prompt).slice(1);
}

function anthropic(content: readonly object[], target = OTHER): readonly string[] {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
  ] as AnthropicRequest['messages'];
  return outline(anthropicToCall({ messages }, target).prompt).slice(1);
}

describe('an item of a tool that OpenAI runs is a note for other hosts', () => {
  it.each<[ResponsesItem, string]>([
    [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'rain' } },
      'assistant: [Earlier step, web_search_call: {"action":{"type":"search","query":"rain"}}]',
    ],
    [
      {
        type: 'file_search_call',
        id: 'fs_1',
        queries: ['q'],
        results: [{ filename: 'a.md', text: 'Alpha', score: 1 }],
      },
      'assistant: [Earlier step, file_search_call: {"queries":["q"],"results":[{"filename":"a.md","text":"Alpha","score":1}]}]',
    ],
    [
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        code: '1+1',
        outputs: [{ type: 'logs', logs: '2' }],
        container_id: 'c',
      },
      'assistant: [Earlier step, code_interpreter_call: {"code":"1+1","outputs":[{"type":"logs","logs":"2"}],"container_id":"c"}]',
    ],
    [
      { type: 'mcp_call', id: 'm', server_label: 's', name: 'n', arguments: '{}', output: 'Out', error: null },
      'assistant: [Earlier step, mcp_call: {"server_label":"s","name":"n","arguments":"{}","output":"Out"}]',
    ],
    [
      { type: 'mcp_list_tools', id: 'm', server_label: 's', tools: [{ name: 'n', input_schema: { type: 'object' } }] },
      'assistant: [Earlier step, mcp_list_tools: {"server_label":"s","tools":["n"]}]',
    ],
    [
      {
        type: 'tool_search_call',
        call_id: null,
        execution: 'server',
        arguments: { paths: ['crm'] },
        status: 'completed',
      },
      'assistant: [Earlier step, tool_search_call: {"execution":"server","arguments":{"paths":["crm"]}}]',
    ],
    [
      { type: 'tool_search_output', call_id: null, execution: 'server', tools: [{ type: 'function', name: 'find' }] },
      'assistant: [Earlier step, tool_search_output: {"execution":"server","tools":["find"]}]',
    ],
    [
      { type: 'web_search_call', id: 'x', status: 'failed' },
      'assistant: [Earlier step, web_search_call: {"status":"failed"}]',
    ],
    [{ type: 'program', id: 'x', code: 'run()' }, 'assistant: [Earlier step, program: {"code":"run()"}]'],
    [{ type: 'web_search_call', id: 'x' }, 'assistant: [Earlier step, web_search_call]'],
  ])('%o', (item, expected) => {
    expect(responses([item, { role: 'user', content: 'Go on' }])).toEqual([expected, 'user: Go on']);
  });

  it('an image that was generated is shown after the note', () => {
    const items = [
      { type: 'image_generation_call', id: 'ig', revised_prompt: 'A cat', output_format: 'png', result: 'AAAA' },
      { role: 'user', content: 'Make it blue' },
    ];
    const note = '[Earlier step, image_generation_call: {"revised_prompt":"A cat","output_format":"png"}]';
    expect(responses(items)).toEqual([
      `assistant: ${note} | [image 1: in the next message]`,
      'user: [image 1 of the earlier steps] | <image/png> | Make it blue',
    ]);
    expect(responses(items, BLIND)).toEqual([
      `assistant: ${note} | [An image was here; this model cannot read images.]`,
      'user: Make it blue',
    ]);
    // Google takes the images of its own side of the conversation.
    expect(responses(items, GOOGLE)).toEqual([`assistant: ${note} | <image/png>`, 'user: Make it blue']);
  });

  it('output of the client’s screen or shell follows the call, and is never between a call and its result', () => {
    const screenshot = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' };
    const items = [
      { type: 'computer_call', call_id: 'k', action: { type: 'click', x: 1 } },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'computer_call_output', call_id: 'k', output: screenshot },
      { type: 'function_call_output', call_id: 'c1', output: 'Seen' },
      { type: 'message', role: 'assistant', content: 'Done' },
    ];
    expect(responses(items)).toEqual([
      'assistant: [Earlier step, computer_call: {"action":{"type":"click","x":1}}] | call look',
      'tool: result of look: Seen',
      'user: [Earlier step, computer_call_output] | <image/png>',
      'assistant: Done',
    ]);
  });

  it('an approval is a user message', () => {
    const items = [
      { type: 'mcp_approval_request', id: 'a', server_label: 's', name: 'n', arguments: '{}' },
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
      { role: 'user', content: 'Go on' },
    ];
    expect(responses(items)).toEqual([
      'assistant: [Earlier step, mcp_approval_request: {"server_label":"s","name":"n","arguments":"{}"}]',
      'user: [Earlier step, mcp_approval_response: {"approve":true}] | Go on',
    ]);
  });

  it('one that only OpenAI can read is refused', () => {
    expect(() => responses([{ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' }])).toThrowError(
      expect.objectContaining({
        status: 400,
        message:
          "input: an item of type compaction, which only its own host can read, can't be passed on to the host of this model; send the items that it replaced, or a summary of them",
      }),
    );
  });
});

describe('a block of a tool that Anthropic runs is a note for other hosts', () => {
  it.each<[object, string]>([
    [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rain' }, caller: { type: 'direct' } },
      '[Earlier step, server_tool_use: {"name":"web_search","input":{"query":"rain"}}]',
    ],
    [
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [
          { type: 'web_search_result', url: 'https://a', title: 'A', encrypted_content: 'EqQB', page_age: null },
        ],
      },
      '[Earlier step, web_search_tool_result: {"content":[{"type":"web_search_result","url":"https://a","title":"A"}]}]',
    ],
    [
      { type: 'mcp_tool_result', tool_use_id: 'm', is_error: false, content: [{ type: 'text', text: 'Out' }] },
      '[Earlier step, mcp_tool_result: {"is_error":false,"content":[{"type":"text","text":"Out"}]}]',
    ],
    [
      { type: 'compaction', content: 'We planned a trip.' },
      '[Earlier step, compaction: {"content":"We planned a trip."}]',
    ],
    [{ type: 'hologram', of: 'a cat' }, '[Earlier step, hologram: {"of":"a cat"}]'],
  ])('%o', (block, note) => {
    expect(anthropic([{ type: 'text', text: 'So' }, block])).toEqual([`assistant: So | ${note}`]);
    // Also at Anthropic by way of the AI SDK, whose interface has no part for it.
    expect(anthropic([block], { family: 'anthropic', provider: 'anthropic' })).toEqual([`assistant: ${note}`]);
  });

  it('an image that the model made is shown to it', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    expect(anthropic([{ type: 'text', text: 'Here:' }, image])).toEqual([
      'assistant: Here: | [image 1: in the next message]',
      'user: [image 1 of the earlier steps] | <image/png>',
    ]);
    const messages = [{ role: 'assistant', content: [image] }];
    expect(anthropicToCall({ messages }, GOOGLE).prompt).toEqual([{ role: 'assistant', content: [IMAGE] }]);
  });

  it('a document within a result is sent as a file', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    const result = {
      type: 'web_fetch_tool_result',
      tool_use_id: 'f',
      content: { type: 'web_fetch_result', url: 'https://a', content: { type: 'document', source } },
    };
    expect(anthropic([result])).toEqual([
      'assistant: [Earlier step, web_fetch_tool_result: {"content":{"type":"web_fetch_result","url":"https://a"}}] | [file 1: in the next message]',
      'user: [file 1 of the earlier steps] | <application/pdf>',
    ]);
  });
});

describe('a result without its call is a note', () => {
  const note = 'user: [Earlier step, result of a call that is not in this conversation: Seen] | Go on';

  it('in the Messages API', () => {
    const result = { type: 'tool_result', tool_use_id: 'gone', content: 'Seen' };
    const messages = [{ role: 'user', content: [result, { type: 'text', text: 'Go on' }] }];
    expect(outline(anthropicToCall({ messages }, OTHER).prompt)).toEqual([note]);
  });

  it('in Chat', () => {
    const messages = [
      { role: 'tool', tool_call_id: 'gone', content: 'Seen' },
      { role: 'user', content: 'Go on' },
    ];
    expect(outline(chatToCall({ messages }, OTHER).prompt)).toEqual([note]);
  });

  it('in the Responses API', () => {
    const items = [
      { type: 'function_call_output', call_id: 'gone', output: 'Seen' },
      { role: 'user', content: 'Go on' },
    ];
    expect(outline(responsesToCall({ input: items }, OTHER).prompt)).toEqual([note]);
  });
});

describe('of an earlier Chat message', () => {
  it('an older function call and its result are a call and a result', () => {
    const messages = [
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"a":1}' } },
      { role: 'function', name: 'look', content: 'Seen' },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: 'Seen again' },
    ];
    expect(outline(chatToCall({ messages }, OTHER).prompt)).toEqual([
      'assistant: call look',
      'tool: result of look: Seen',
      'assistant: call look',
      'tool: result of look: Seen again',
    ]);
  });

  it('a spoken answer, which only OpenAI has, is a note', () => {
    const messages = [{ role: 'assistant', content: null, audio: { id: 'audio_1', transcript: 'Hello' } }];
    expect(outline(chatToCall({ messages }, OTHER).prompt)).toEqual([
      'assistant: [Earlier step, audio: {"transcript":"Hello"}]',
    ]);
  });

  it('a refusal is what the model said', () => {
    const messages = [{ role: 'assistant', content: null, refusal: 'I will not.' }];
    expect(outline(chatToCall({ messages }, OTHER).prompt)).toEqual(['assistant: I will not.']);
  });

  it('an image that the model made is shown to it again', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }];
    const messages = [
      { role: 'assistant', content: 'Here', images },
      { role: 'user', content: 'Make it blue' },
    ];
    const prompt = (target: ModelTarget) => outline(chatToCall({ messages }, target).prompt);
    expect(prompt(GOOGLE)).toEqual(['assistant: Here | <image/png>', 'user: Make it blue']);
    expect(prompt(OTHER)).toEqual([
      'assistant: Here | [image 1: in the next message]',
      'user: [image 1 of the earlier steps] | <image/png> | Make it blue',
    ]);
  });
});

it('files that wait for a message of the user are counted once', () => {
  let reads = 0;
  const file = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' } as const;
  const counted = {
    ...file,
    get type() {
      reads += 1;
      return 'file' as const;
    },
  };
  const builder = createPromptBuilder(OTHER);
  builder.assistant([{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }]);
  builder.returned([counted]);
  for (let at = 0; at < 100; at += 1) builder.assistant([file]);
  expect(reads).toBeLessThan(20);
  expect(outline(builder.prompt())[0]).toMatch(
    /\[image 2: in the next message\] \| .*\[image 101: in the next message\]$/,
  );
});

it.each([
  [{ top_logprobs: 2 }, /^top_logprobs: /],
  [{ include: ['reasoning.encrypted_content', 'message.output_text.logprobs'] }, /^include: .* log probabilities/],
])('refuses a Responses request with %o, which only OpenAI supports', (options, message) => {
  expect(() => responsesToCall({ input: 'Hi', ...options }, OTHER)).toThrowError(
    expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
  );
  const harmless = { top_logprobs: 0, include: ['reasoning.encrypted_content'] };
  expect(responsesToCall({ input: 'Hi', ...harmless }, OTHER).prompt).toHaveLength(1);
});

it.each([
  [{ n: 2 }, /^n: .* send one request for each/],
  [{ functions: [{ name: 'look' }] }, /^functions: .* declare them in tools/],
  [{ logprobs: true }, /^logprobs: /],
  [{ logit_bias: { '50256': -100 } }, /^logit_bias: /],
  [{ modalities: ['text', 'audio'] }, /^modalities: /],
  [{ web_search_options: {} }, /^web_search_options: /],
])('refuses a Chat request with %o, which only OpenAI supports', (options, message) => {
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(() => chatToCall({ messages, ...options }, OTHER)).toThrowError(
    expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
  );
  const harmless = { n: 1, logprobs: false, logit_bias: {}, modalities: ['text'] };
  expect(chatToCall({ messages, ...harmless }, OTHER).prompt).toHaveLength(1);
});
