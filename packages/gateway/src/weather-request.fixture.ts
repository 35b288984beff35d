import { message } from './scripted-upstream.fixture.ts';

export const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather at a specific location',
  input_schema: { type: 'object' as const, properties: { location: { type: 'string' } }, required: ['location'] },
  defer_loading: true,
};
export const FILES = {
  name: 'search_files',
  description: 'Search through files in the workspace',
  input_schema: { type: 'object' as const, properties: { query: { type: 'string' } }, required: ['query'] },
  defer_loading: true,
};
export const REGEX = { type: 'tool_search_tool_regex_20251119' as const, name: 'tool_search_tool_regex' as const };
export const BM25 = { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const };

export const ASK = {
  model: 'claude-test',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'What is the weather in San Francisco?' }],
};

export const SEARCH_THEN_CALL = [
  message(
    [{ text: 'Let me search.' }, { call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: 'weather' } }],
    'tool_use',
  ),
  message([{ text: 'Found it.' }, { call: 'get_weather', id: 'toolu_w', input: { location: 'SF' } }], 'tool_use'),
];

export const TOOL_SEARCH = {
  name: 'ToolSearch',
  description: 'Fetches definitions of deferred tools',
  input_schema: { type: 'object' as const, properties: { query: { type: 'string' } } },
};
export const CLIENT_SEARCH = [
  ...ASK.messages,
  {
    role: 'assistant' as const,
    content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'ToolSearch', input: { query: 'select:get_weather' } }],
  },
  {
    role: 'user' as const,
    content: [
      {
        type: 'tool_result' as const,
        tool_use_id: 'toolu_1',
        content: [{ type: 'tool_reference' as const, tool_name: 'get_weather' }],
      },
    ],
  },
];

export const namesOf = (request: { readonly tools?: readonly unknown[] | null | undefined } | undefined) =>
  request?.tools?.map((tool) => (tool as { name: string }).name);

export const TRANSPORTS = ['anthropic-messages', 'openai-chat'];
