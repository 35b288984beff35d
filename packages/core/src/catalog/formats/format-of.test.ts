import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { parseTools } from '../parse-tools.ts';
import { createTool, type Tool, type ToolFormat } from '../tool.ts';
import { writeTool, writeTools } from './format.ts';

const schema: JsonObject = { type: 'object', properties: { q: { type: 'string' } } };
const output: JsonObject = { type: 'object', properties: { hits: { type: 'integer' } } };

/** A tool with everything that some format can express. */
const rich = createTool({
  name: 'find',
  server: 'crm',
  description: 'Finds contacts.',
  schema,
  policy: 'always',
  extras: {
    title: 'Find contacts',
    strict: true,
    outputSchema: output,
    examples: [{ q: 'Ada' }],
    annotations: { readOnlyHint: true },
    searchHint: 'people',
  },
});

function read(definition: unknown, format?: ToolFormat): Tool {
  return parseTools([definition], { format, onProblem: 'throw' }).tools[0] as Tool;
}

describe('writeTool', () => {
  it.each<[ToolFormat, JsonObject]>([
    [
      'anthropic',
      {
        name: 'find',
        description: 'Finds contacts.',
        input_schema: schema,
        strict: true,
        input_examples: [{ q: 'Ada' }],
        defer_loading: true,
      },
    ],
    [
      'openai-chat',
      {
        type: 'function',
        function: { name: 'find', description: 'Finds contacts.', parameters: schema, strict: true },
      },
    ],
    [
      'openai-responses',
      {
        type: 'function',
        name: 'find',
        description: 'Finds contacts.',
        parameters: schema,
        strict: true,
        output_schema: output,
        defer_loading: true,
      },
    ],
    [
      'gemini',
      { name: 'find', description: 'Finds contacts.', parametersJsonSchema: schema, responseJsonSchema: output },
    ],
    [
      'mcp',
      {
        name: 'find',
        title: 'Find contacts',
        description: 'Finds contacts.',
        inputSchema: schema,
        outputSchema: output,
        annotations: { readOnlyHint: true },
        _meta: { 'anthropic/searchHint': 'people' },
      },
    ],
    [
      'ai-sdk',
      {
        type: 'function',
        name: 'find',
        description: 'Finds contacts.',
        inputSchema: schema,
        inputExamples: [{ input: { q: 'Ada' } }],
        strict: true,
        providerOptions: { anthropic: { deferLoading: true }, openai: { deferLoading: true } },
      },
    ],
  ])('writes as %s all that the format can express', (format, expected) => {
    expect(JSON.stringify(writeTool(rich, format))).toBe(JSON.stringify(expected));
  });

  it.each<[ToolFormat, JsonObject]>([
    ['anthropic', { name: 'bare', input_schema: { type: 'object', properties: {} } }],
    ['openai-chat', { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } }],
    ['openai-responses', { type: 'function', name: 'bare', parameters: { type: 'object', properties: {} } }],
    ['gemini', { name: 'bare', parametersJsonSchema: { type: 'object', properties: {} } }],
    ['mcp', { name: 'bare', inputSchema: { type: 'object', properties: {} } }],
    ['ai-sdk', { type: 'function', name: 'bare', inputSchema: { type: 'object', properties: {} } }],
  ])('writes a tool that has only a name as %s', (format, expected) => {
    expect(writeTool(createTool({ name: 'bare' }), format)).toEqual(expected);
  });

  it('writes the name that the model is to see, at the place of the old one', () => {
    const tool = read({ description: 'd', name: 'find', input_schema: schema });
    expect(JSON.stringify(writeTool(tool, 'anthropic', { name: 'crm__find' }))).toBe(
      JSON.stringify({ description: 'd', name: 'crm__find', input_schema: schema }),
    );
  });

  it('writes what was changed after reading, and nothing else', () => {
    const definition = {
      name: 'find',
      cache_control: { type: 'ephemeral' },
      description: 'old',
      input_schema: schema,
      defer_loading: true,
    };
    const changed: Tool = { ...read(definition), description: 'new', policy: 'automatic' };
    const { defer_loading: _, ...rest } = { ...definition, description: 'new' };
    expect(JSON.stringify(writeTool(changed, 'anthropic'))).toBe(JSON.stringify(rest));
  });

  it.each<[ToolFormat, JsonObject, boolean, JsonObject]>([
    ['anthropic', { name: 'a', input_schema: schema }, true, { name: 'a', input_schema: schema, defer_loading: true }],
    ['anthropic', { name: 'a', input_schema: schema, defer_loading: true }, false, { name: 'a', input_schema: schema }],
    ['openai-responses', { type: 'function', name: 'a', defer_loading: true }, false, { type: 'function', name: 'a' }],
    [
      'openai-chat',
      { type: 'function', function: { name: 'a' }, defer_loading: true },
      false,
      { type: 'function', function: { name: 'a' } },
    ],
    ['mcp', { name: 'a', _meta: { 'anthropic/alwaysLoad': true, x: 1 } }, true, { name: 'a', _meta: { x: 1 } }],
    [
      'ai-sdk',
      {
        type: 'function',
        name: 'a',
        inputSchema: schema,
        providerOptions: { anthropic: { deferLoading: true, x: 1 } },
      },
      false,
      { type: 'function', name: 'a', inputSchema: schema, providerOptions: { anthropic: { x: 1 } } },
    ],
  ])('marks or unmarks a %s tool as configured: %j, %s', (format, definition, deferred, expected) => {
    expect(writeTool(read(definition, format), format, { deferred })).toEqual(expected);
  });

  it.each<[ToolFormat, (written: JsonObject) => unknown]>([
    ['anthropic', (written) => written.defer_loading],
    ['openai-responses', (written) => written.defer_loading],
  ])('says in %s that a tool is never deferred', (format, mark) => {
    expect(mark(writeTool(createTool({ name: 'a', policy: 'never' }), format))).toBe(false);
  });

  it("uses MCP's one mark for a tool that is never deferred", () => {
    expect(writeTool(createTool({ name: 'a', policy: 'never' }), 'mcp')).toMatchObject({
      _meta: { 'anthropic/alwaysLoad': true },
    });
  });

  it('refuses to write a tool that another provider defines', () => {
    const tool = read({ type: 'web_search_20250305', name: 'web_search' });
    for (const format of ['openai-chat', 'openai-responses', 'gemini', 'mcp', 'ai-sdk'] as const) {
      expect(() => writeTool(tool, format)).toThrow(expect.objectContaining({ code: 'unsupported_tool' }));
    }
  });

  it('offers a custom tool elsewhere as a function of one text', () => {
    const tool = read({
      type: 'custom',
      name: 'patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    });
    expect(tool.extras.freeform).toBe(true);
    expect(writeTool(tool, 'anthropic')).toEqual({
      name: 'patch',
      input_schema: {
        type: 'object',
        properties: { input: { type: 'string', description: 'The whole input, as text in this grammar:\nstart: "x"' } },
        required: ['input'],
      },
    });
  });

  it("turns Gemini's dialect into JSON Schema for everybody else", () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        tags: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '2' },
        state: { type: 'STRING', enum: ['on', 'off'], nullable: true },
        either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
      },
      required: ['tags'],
    };
    const tool = read({ name: 'a', parameters });
    expect(writeTool(tool, 'mcp').inputSchema).toEqual({
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
        state: { type: ['string', 'null'], enum: ['on', 'off', null] },
        either: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
      },
      required: ['tags'],
    });
    expect(writeTool(tool, 'gemini')).toEqual({ name: 'a', parameters });
  });

  it('replaces the schema of a Gemini declaration under whichever key it was', () => {
    const tool: Tool = { ...read({ name: 'a', parameters: { type: 'OBJECT' } }), schema };
    expect(writeTool(tool, 'gemini')).toEqual({ name: 'a', parametersJsonSchema: schema });
  });
});

describe('reading', () => {
  it("understands MCP's hints", () => {
    const tool = read({
      name: 'a',
      inputSchema: schema,
      outputSchema: output,
      annotations: { title: 'Shown', destructiveHint: true },
      _meta: { 'anthropic/alwaysLoad': true, 'anthropic/searchHint': 'words' },
    });
    expect(tool.policy).toBe('never');
    expect(tool.extras).toMatchObject({
      title: 'Shown',
      outputSchema: output,
      annotations: { destructiveHint: true },
      searchHint: 'words',
    });
  });

  it("understands the AI SDK's provider options, and leaves code out", () => {
    const tool = read({
      name: 'a',
      inputSchema: { jsonSchema: schema, validate: () => true },
      inputExamples: [{ input: { q: 'x' } }],
      providerOptions: { openai: { deferLoading: true, namespace: { name: 'crm', description: 'd' } } },
      execute: () => 'secret',
    });
    expect(tool).toMatchObject({ id: 'crm/a', schema, policy: 'always', extras: { examples: [{ q: 'x' }] } });
    expect(tool.extras.verbatim?.['ai-sdk']).not.toHaveProperty('execute');
    expect(writeTool(tool, 'ai-sdk')).toEqual({
      type: 'function',
      name: 'a',
      inputSchema: schema,
      inputExamples: [{ input: { q: 'x' } }],
      providerOptions: { openai: { deferLoading: true, namespace: { name: 'crm', description: 'd' } } },
    });
  });

  it.each([
    [{ type: 'tool_search_tool_regex_20251119' }, 'tool_search_tool_regex'],
    [{ type: 'tool_search_tool_bm25' }, 'tool_search_tool_bm25'],
    [{ type: 'web_search_20250305', name: 'search_the_web' }, 'search_the_web'],
  ])('knows %j as a tool of its provider', (definition, name) => {
    const tool = read(definition);
    expect(tool).toMatchObject({ name, extras: { providerType: definition.type } });
    expect(writeTool(tool, 'anthropic')).toEqual(definition);
  });
});

describe('writeTools', () => {
  it('returns namespaces with their fields at the position of the first member', () => {
    const request = [
      { type: 'tool_search' },
      {
        type: 'namespace',
        name: 'crm',
        description: 'Customers',
        future: 1,
        tools: [
          { type: 'function', name: 'a' },
          { type: 'custom', name: 'b' },
        ],
      },
      { type: 'function', name: 'c' },
    ];
    expect(JSON.stringify(writeTools(parseTools(request).tools, 'openai-responses'))).toBe(JSON.stringify(request));
  });

  it('makes a namespace of a server from elsewhere', () => {
    expect(writeTools([createTool({ name: 'a', server: 'crm', schema })], 'openai-responses')).toEqual([
      {
        type: 'namespace',
        name: 'crm',
        description: 'Tools of crm',
        tools: [{ type: 'function', name: 'a', parameters: schema }],
      },
    ]);
  });

  it('needs no namespace for a tool with another name', () => {
    const written = writeTools([createTool({ name: 'a', server: 'crm', schema })], 'openai-responses', () => ({
      name: 'crm__a',
    }));
    expect(written).toEqual([{ type: 'function', name: 'crm__a', parameters: schema }]);
  });

  it('puts all Gemini declarations into one list', () => {
    const request = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }, { googleSearch: {} }];
    expect(writeTools(parseTools(request).tools, 'gemini')).toEqual(request);
  });

  it('writes other formats one by one', () => {
    expect(writeTools([rich, createTool({ name: 'x' })], 'mcp')).toHaveLength(2);
  });
});
