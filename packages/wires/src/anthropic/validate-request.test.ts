import { describe, expect, it } from 'vitest';
import { definition, reference, searched, searchFound, toolResult, toolUse } from './rendered.fixture.ts';
import { AnthropicRequestError, type ValidateOptions, validateAnthropicRequest } from './validate-request.ts';

const ASK = { role: 'user', content: 'Hello' };
const GOOD = { model: 'some-model', max_tokens: 10, messages: [ASK] };
const SEARCH = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const CITED = { type: 'text', text: 'x', citations: [{ type: 'char_location', cited_text: 'x' }] };
const marked = (name: string) => definition(name, { deferred: true });

const referring = [
  ASK,
  { role: 'assistant', content: [toolUse('t1', 'a')] },
  { role: 'user', content: [toolResult('t1', [reference('unknown_tool')])] },
];

type Refused = readonly [what: string, request: unknown, message: string, options?: ValidateOptions];

const REFUSED: readonly Refused[] = [
  ['a body that is no object', [], 'The request body is not a JSON object'],
  ['no model', { ...GOOD, model: undefined }, 'model: Field required'],
  [
    'no token limit',
    { ...GOOD, max_tokens: 0 },
    'max_tokens: Input should be a whole number greater than or equal to 1',
  ],
  ['no messages', { ...GOOD, messages: [] }, 'messages: at least one message is required'],
  [
    'a role that is none',
    { ...GOOD, messages: [{ role: 'tool', content: '' }] },
    "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  ],
  [
    'content of another kind',
    { ...GOOD, messages: [{ role: 'user', content: 1 }] },
    'messages.0.content: Input should be a string or a list of blocks',
  ],
  [
    'a block without a type',
    { ...GOOD, messages: [{ role: 'user', content: [{}] }] },
    'messages.0.content.0: Input should be an object with a type',
  ],
  ...['any', { type: 'banana' }, {}].map(
    (choice): Refused => [
      `a choice of ${JSON.stringify(choice)}`,
      { ...GOOD, tools: [definition('a')], tool_choice: choice },
      "tool_choice: Input should be an object of type 'auto', 'any', 'tool' or 'none'",
    ],
  ),
  [
    'a choice of a tool without its name',
    { ...GOOD, tools: [definition('a')], tool_choice: { type: 'tool' } },
    'tool_choice.tool.name: Field required',
  ],
  [
    'two tools of one name',
    { ...GOOD, tools: [definition('a'), definition('a')] },
    'tools: Tool names must be unique.',
  ],
  [
    'a tool named like a search tool',
    { ...GOOD, tools: [{ type: 'tool_search_tool_regex' }, definition('tool_search_tool_regex')] },
    'tools: Tool names must be unique.',
  ],
  [
    'a name that is none',
    { ...GOOD, tools: [definition('a b')] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ['a tool without a schema', { ...GOOD, tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
  [
    'every tool deferred',
    { ...GOOD, tools: [marked('a'), marked('b')] },
    'All tools have defer_loading set. At least one tool must be non-deferred.',
  ],
  [
    'every tool deferred, the search tool too',
    { ...GOOD, tools: [{ ...SEARCH, defer_loading: true }, marked('a')] },
    'All tools have defer_loading set. At least one tool must be non-deferred.',
  ],
  [
    'a reference to nothing',
    { ...GOOD, messages: referring },
    "Tool reference 'unknown_tool' has no corresponding tool definition",
  ],
  [
    'a reference to nothing in a search result',
    { ...GOOD, messages: [ASK, { role: 'assistant', content: [...searched('s1', 'x', ['gone'])] }] },
    "Tool reference 'gone' has no corresponding tool definition",
  ],
  [
    'a search result without its search',
    { ...GOOD, messages: [ASK, { role: 'assistant', content: [searchFound('srvtoolu_1', [])] }] },
    'messages.1.content.0: unexpected `tool_use_id` found in `tool_search_tool_result` blocks: srvtoolu_1. Each `tool_search_tool_result` block must have a corresponding `server_tool_use` block before it.',
  ],
  [
    'a call without its result',
    { ...GOOD, messages: [ASK, { role: 'assistant', content: [toolUse('toolu_1', 'a')] }, ASK] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'a result without its call',
    { ...GOOD, messages: [{ role: 'user', content: [toolResult('toolu_1')] }] },
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'a cached deferred tool, when strict',
    { ...GOOD, tools: [SEARCH, { ...marked('a'), cache_control: { type: 'ephemeral' } }] },
    "Tool 'a' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
    { strict: true },
  ],
  [
    'a temperature, from 2026-10-21 on',
    { ...GOOD, temperature: 1 },
    'temperature: not supported by anthropic-version 2026-10-21; leave it out',
    { version: '2026-10-21' },
  ],
  ...['top_p', 'top_k'].map(
    (key): Refused => [
      `${key}, from 2026-10-21 on`,
      { ...GOOD, [key]: 1 },
      `${key}: not supported by anthropic-version 2026-10-21; leave it out`,
      { version: '2026-10-21' },
    ],
  ),
  [
    'a text of the user’s with citations, from 2026-10-21 on',
    { ...GOOD, messages: [{ role: 'user', content: [CITED] }] },
    'messages.0.content.0: a text block with citations is not allowed in a user message',
    { version: '2026-10-21' },
  ],
  [
    'a document of the assistant’s, from 2026-10-21 on',
    { ...GOOD, messages: [ASK, { role: 'assistant', content: [{ type: 'document' }] }] },
    'messages.1.content.0: a document is not allowed in an assistant message',
    { version: '2026-10-21' },
  ],
];

const ACCEPTED: readonly (readonly [string, object])[] = [
  ['a message of the system in the middle', { ...GOOD, messages: [ASK, { role: 'system', content: 'Note' }] }],
  ['fields that nobody knows', { ...GOOD, context_management: {}, thinking: { display: 'updates' }, new_field: 1 }],
  [
    'deferred tools without a search and without references',
    { ...GOOD, tools: [definition('now'), marked('DeferredToolPlaceholder')] },
  ],
  [
    'a cached deferred tool and examples',
    { ...GOOD, tools: [SEARCH, { ...marked('a'), cache_control: { type: 'ephemeral' }, input_examples: [{}] }] },
  ],
  ['a temperature, before 2026-10-21', { ...GOOD, temperature: 1 }],
  ['a text with citations, before 2026-10-21', { ...GOOD, messages: [{ role: 'user', content: [CITED] }] }],
  [
    'an error code that nobody knows, without a message',
    {
      ...GOOD,
      messages: [
        ASK,
        {
          role: 'assistant',
          content: [
            searched('s1', 'x', [])[0],
            { ...searchFound('s1', []), content: { type: 'tool_search_tool_result_error', error_code: 'new' } },
          ],
        },
      ],
    },
  ],
  [
    'a reference to a tool of a connector’s server',
    {
      ...GOOD,
      tools: [SEARCH, { type: 'mcp_toolset', mcp_server_name: 'crm' }],
      messages: [ASK, { role: 'assistant', content: [...searched('s1', 'x', ['crm_find'])] }],
    },
  ],
  [
    'a reference to a tool that is not deferred',
    {
      ...GOOD,
      tools: [SEARCH, definition('a')],
      messages: [ASK, { role: 'assistant', content: [...searched('s1', 'x', ['a'])] }],
    },
  ],
];

describe('validateAnthropicRequest', () => {
  it.each(REFUSED.map((row) => ({ what: row[0], row })))('refuses $what', ({ row: [, request, message, options] }) => {
    const validate = () => validateAnthropicRequest(request, options);
    expect(validate).toThrow(AnthropicRequestError);
    expect(validate).toThrow(message);
    expect(validate).toThrow(expect.objectContaining({ status: 400, type: 'invalid_request_error' }));
  });

  it.each([
    ['no request at all', [], {}, 'invalid_request'],
    ['one without a model', { ...GOOD, model: undefined }, {}, 'invalid_request'],
    ['what a version has dropped', { ...GOOD, top_k: 1 }, { version: '2026-10-21' }, 'unsupported_request'],
    ['a tool that is none', { ...GOOD, tools: [1] }, {}, 'invalid_tool'],
    ['a reference to nothing', { ...GOOD, messages: referring }, {}, 'unknown_tool'],
  ])('has a code for %s', (_, request, options, code) => {
    expect(() => validateAnthropicRequest(request, options)).toThrow(expect.objectContaining({ code }));
  });

  it.each(ACCEPTED)('accepts %s', (_, request) => {
    expect(validateAnthropicRequest(request)).toBe(request);
  });

  it('accepts a reference to a tool that is known elsewhere', () => {
    expect(() =>
      validateAnthropicRequest({ ...GOOD, messages: referring }, { isKnown: (name) => name === 'unknown_tool' }),
    ).not.toThrow();
  });
});

it('accepts ten thousand tools next to the search tool, and not one more', () => {
  const tools = Array.from({ length: 10_000 }, (_, index) => marked(`tool_${index}`));
  expect(() => validateAnthropicRequest({ ...GOOD, tools: [SEARCH, ...tools] })).not.toThrow();
  expect(() => validateAnthropicRequest({ ...GOOD, tools: [SEARCH, ...tools, marked('another')] })).toThrow(
    'at most 10000 tools',
  );
});
