import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CatalogError } from '../errors.ts';
import { createSnapshot } from './create-snapshot.ts';
import { DEEPEST_DEFINITION, exceedsDepth, parseTools } from './parse-tools.ts';
import { NO_SCHEMA, type ToolFormat } from './tool.ts';

const schema = { type: 'object', properties: { q: { type: 'string' } } };

/** The id and format of each tool, and the problems' messages. */
function summary(value: unknown, options?: Parameters<typeof parseTools>[1]): string[] {
  const { tools, problems } = parseTools(value, options);
  const read = tools.map((tool) => `${tool.id} ${Object.keys(tool.extras.verbatim ?? {}).join()}`);
  return [...read, ...problems.map((problem) => problem.message)];
}

describe('parseTools', () => {
  describe('formats', () => {
    it.each<[ToolFormat, object]>([
      ['anthropic', { name: 'a', input_schema: schema }],
      ['anthropic', { type: 'custom', name: 'a', input_schema: schema }],
      ['anthropic', { type: 'bash_20250124', name: 'a' }],
      ['openai-chat', { type: 'function', function: { name: 'a', parameters: schema } }],
      ['openai-chat', { function: { name: 'a' } }],
      ['openai-chat', { type: undefined, function: { name: 'a' } }],
      ['openai-chat', { type: 'custom', custom: { name: 'a' } }],
      ['openai-responses', { type: 'function', name: 'a', parameters: schema }],
      ['openai-responses', { type: 'function', name: 'a' }],
      ['openai-responses', { type: 'custom', name: 'a' }],
      ['gemini', { name: 'a', parameters: { type: 'OBJECT' } }],
      ['gemini', { name: 'a', parametersJsonSchema: schema }],
      ['mcp', { name: 'a', inputSchema: schema }],
      ['mcp', { name: 'a', description: 'no schema' }],
      ['ai-sdk', { type: 'function', name: 'a', inputSchema: schema }],
      ['ai-sdk', { name: 'a', inputSchema: { jsonSchema: schema } }],
      ['ai-sdk', { type: 'provider', id: 'openai.web_search', name: 'a', args: {} }],
    ])('finds out %s', (format, definition) => {
      expect(summary([definition])).toEqual([`a ${format}`]);
    });

    it.each([
      [{ type: 'tool_search_tool_bm25_20251119' }, 'tool_search_tool_bm25 anthropic'],
      [{ type: 'mcp_toolset', mcp_server_name: 'crm' }, 'mcp_toolset:crm anthropic'],
      [{ type: 'tool_search', execution: 'client' }, 'tool_search openai-responses'],
      [{ type: 'mcp', server_label: 'crm' }, 'mcp:crm openai-responses'],
      [{ googleSearch: {} }, 'googleSearch gemini'],
    ])('names %j, which came without a name', (definition, expected) => {
      expect(summary([definition])).toEqual([expected]);
    });

    it('reads a mixed list', () => {
      const list = [
        { name: 'a', input_schema: schema },
        { name: 'b', inputSchema: schema },
        { type: 'function', function: { name: 'c' } },
      ];
      expect(summary(list)).toEqual(['a anthropic', 'b mcp', 'c openai-chat']);
    });

    it('trusts the given format', () => {
      expect(summary([{ name: 'a', description: 'x' }], { format: 'anthropic' })).toEqual(['a anthropic']);
      expect(() => parseTools([{ name: 'a' }], { format: 'soap' as ToolFormat, onProblem: 'throw' })).toThrow(
        'Tool format "soap" is not one of anthropic, openai-chat, openai-responses, gemini, mcp, ai-sdk',
      );
    });
  });

  describe('containers', () => {
    const item = { name: 'a', inputSchema: schema };
    it.each<[string, unknown, string[]]>([
      ['one definition', item, ['a mcp']],
      ['a list', [item], ['a mcp']],
      ['nothing', [], []],
      ['an object with tools', { tools: [item] }, ['a mcp']],
      ['a page of tools/list', { tools: [item], nextCursor: 'x' }, ['a mcp']],
      ['a JSON-RPC answer', { jsonrpc: '2.0', id: 1, result: { tools: [item] } }, ['a mcp']],
      ['a server with its tools', { server: 's', tools: [item] }, ['s/a mcp']],
      [
        'several servers',
        [
          { server: 's', tools: [item] },
          { server: 't', tools: [item] },
        ],
        ['s/a mcp', 't/a mcp'],
      ],
      ['a line with its server', { ...item, server: 's' }, ['s/a mcp']],
      ['a declaration list', { functionDeclarations: [{ name: 'a' }, { name: 'b' }] }, ['a gemini', 'b gemini']],
      ['its other spelling', [{ function_declarations: [{ name: 'a' }] }], ['a gemini']],
      [
        'a declaration list with a built-in tool',
        [{ googleSearch: {}, functionDeclarations: [{ name: 'a' }] }],
        ['googleSearch gemini', 'a gemini'],
      ],
      [
        'a namespace',
        [{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'a' }] }],
        ['crm/a openai-responses'],
      ],
      [
        'a tool set',
        { a: { inputSchema: { jsonSchema: schema } }, b: { inputSchema: schema } },
        ['a ai-sdk', 'b ai-sdk'],
      ],
      ['a tool set under tools', { tools: { a: { inputSchema: schema } } }, ['a ai-sdk']],
    ])('opens %s', (_, value, expected) => {
      expect(summary(value)).toEqual(expected);
    });

    it('gives the server of the options to tools that name none', () => {
      const value = [item, { ...item, server: 't' }, { server: 'u', tools: [item] }];
      expect(summary(value, { server: 's' })).toEqual(['s/a mcp', 't/a mcp', 'u/a mcp']);
    });

    it('takes a server field off a plain line but leaves it in a definition of a given format', () => {
      const line = { name: 'a', input_schema: schema, server: 's' };
      const [plain] = parseTools([line]).tools;
      expect(plain).toMatchObject({
        server: 's',
        extras: { verbatim: { anthropic: { name: 'a', input_schema: schema } } },
      });
      expect(plain?.extras.verbatim?.anthropic).not.toHaveProperty('server');
      const [given] = parseTools([line], { format: 'anthropic' }).tools;
      expect(given?.server).toBeUndefined();
      expect(given?.extras.verbatim?.anthropic).toBe(line);
    });
  });

  describe('problems', () => {
    it.each<[unknown, string]>([
      [7, "Tool 0 can't be read: it is 7, not an object"],
      [null, "Tool 0 can't be read: it is null, not an object"],
      ['get_weather', 'Tool 0 can\'t be read: it is "get_weather", not an object'],
      [{ input_schema: schema }, "Tool 0 can't be read: it has no name"],
      [
        { name: '', input_schema: schema },
        'Tool 0 ("") can\'t be read: its name is "", not a string with at least one character',
      ],
      [
        { name: 5, input_schema: schema },
        "Tool 0 can't be read: its name is 5, not a string with at least one character",
      ],
      [
        { name: 'a', input_schema: 12 },
        'Tool 0 ("a") can\'t be read: its input_schema is 12, not a JSON Schema object',
      ],
      [
        { name: 'a', inputSchema: [] },
        'Tool 0 ("a") can\'t be read: its inputSchema is a list, not a JSON Schema object',
      ],
      [
        { name: 'a', inputSchema: true },
        'Tool 0 ("a") can\'t be read: its inputSchema is true, not a JSON Schema object',
      ],
      [
        { name: 'a', description: {}, inputSchema: schema },
        'Tool 0 ("a") can\'t be read: its description is an object, not a string',
      ],
      [
        { type: 'function', function: { name: 'a', parameters: 'x' } },
        'Tool 0 ("a") can\'t be read: its parameters is "x", not a JSON Schema object',
      ],
      [{ color: 'red' }, 'Tool 0 can\'t be read: it has no name, and its fields ("color") match no known format'],
      [
        { type: 'namespace', tools: [] },
        "Tool 0 can't be read: it is a namespace, which needs a name and a list of tools",
      ],
      [
        { type: 'namespace', name: 'crm', tools: 1 },
        'Tool 0 ("crm") can\'t be read: it is a namespace, which needs a name and a list of tools',
      ],
      [
        { type: 'provider', name: 'a' },
        'Tool 0 ("a") can\'t be read: its id is undefined, not a string such as "anthropic.web_search_20250305"',
      ],
    ])('explains what is wrong with %j', (definition, message) => {
      expect(parseTools([definition]).problems.map((problem) => problem.message)).toEqual([message]);
    });

    it('keeps the tools around a bad one and says where it is', () => {
      const { tools, problems } = parseTools(
        [
          { name: 'a', inputSchema: schema },
          { name: 'b', inputSchema: 3 },
          { name: 'c', inputSchema: schema },
        ],
        { source: 'tools.json' },
      );
      expect(tools.map((tool) => tool.id)).toEqual(['a', 'c']);
      expect(problems).toEqual([
        {
          index: 1,
          name: 'b',
          code: 'invalid_tool',
          reason: 'its inputSchema is 3, not a JSON Schema object',
          message: 'Tool 1 ("b") of tools.json can\'t be read: its inputSchema is 3, not a JSON Schema object',
        },
      ]);
    });

    it('keeps the other members of a namespace', () => {
      const namespace = { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'a' }, 4] };
      expect(parseTools([namespace])).toMatchObject({ tools: [{ id: 'crm/a' }], problems: [{ index: 1 }] });
    });

    it('refuses a schema of a library that has not been converted', () => {
      const inputSchema = { '~standard': { validate: () => ({}) } };
      const [problem] = parseTools({ a: { inputSchema } }).problems;
      expect(problem?.message).toContain('pass a JSON Schema, the result of jsonSchema()');
    });

    it('throws the first one if requested', () => {
      expect(() => parseTools([{ name: 'a' }, 1], { onProblem: 'throw' })).toThrow(CatalogError);
      expect(() => parseTools([{ name: 'a' }, 1], { onProblem: 'throw' })).toThrow("Tool 1 can't be read");
    });

    it.each([
      ['anthropic', '{"name":"deep","input_schema":', '{"items":', '}', '}'],
      ['gemini', '{"name":"deep","parameters":', '{"items":', '}', '}'],
      ['an AI SDK schema holder', '{"name":"deep","inputSchema":', '{"jsonSchema":', '}', '}'],
      ['a field that nobody knows', '{"name":"deep","input_schema":{},"x":', '[', ']', '}'],
    ])('refuses %s nested 20,000 levels, and that tool alone', (_, head, open, close, tail) => {
      const deep = JSON.parse(`${head}${open.repeat(20_000)}{}${close.repeat(20_000)}${tail}`);
      const { tools, problems } = parseTools([{ name: 'a', input_schema: schema }, deep, { name: 'b' }]);
      expect(tools.map(({ id }) => id)).toEqual(['a', 'b']);
      expect(problems).toMatchObject([
        {
          index: 1,
          name: 'deep',
          code: 'invalid_tool',
          message: 'Tool 1 ("deep") can\'t be read: it nests deeper than 256 levels; flatten its schema',
        },
      ]);
    });

    it('accepts a definition of the maximum depth', () => {
      const nested = (levels: number): object => JSON.parse(`${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`);
      const allowed = { name: 'a', input_schema: nested(DEEPEST_DEFINITION - 2) };
      const { tools, problems } = parseTools([allowed, { name: 'b', input_schema: nested(DEEPEST_DEFINITION - 1) }]);
      expect(tools.map(({ id }) => id)).toEqual(['a']);
      expect(problems).toHaveLength(1);
      expect(createSnapshot(tools).hash).toMatch(/^[0-9a-f]{64}$/);
    });

    it('cuts long values short', () => {
      const [problem] = parseTools([{ name: 'a', inputSchema: 'x'.repeat(90_000) }]).problems;
      expect(problem?.message.length).toBeLessThan(200);
    });
  });

  describe('deferral', () => {
    it.each([
      [{ defer_loading: true }, 'always'],
      [{ defer_loading: false }, 'never'],
      [{ defer_loading: null }, 'automatic'],
      [{}, 'automatic'],
    ])('reads %j as %s', (mark, policy) => {
      expect(parseTools([{ name: 'a', input_schema: schema, ...mark }]).tools[0]?.policy).toBe(policy);
    });

    it('reads no mark as the surface says', () => {
      const options = { missingDeferral: 'never' } as const;
      expect(parseTools([{ name: 'a', input_schema: schema }], options).tools[0]?.policy).toBe('never');
    });

    it.each([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'web_search' },
      { googleSearch: {} },
      { type: 'provider', id: 'x.y', name: 'a' },
    ])('never leaves it to the gate to defer what a provider defines: %j', (definition) => {
      expect(parseTools([definition], { missingDeferral: 'automatic' }).tools[0]?.policy).toBe('never');
    });
  });

  it('gives a tool without a schema an empty one', () => {
    for (const definition of [
      { name: 'a' },
      { name: 'a', inputSchema: null },
      { type: 'function', name: 'a', parameters: null },
    ]) {
      expect(parseTools([definition]).tools[0]?.schema).toBe(NO_SCHEMA);
    }
  });

  it('answers any JSON with tools and problems, never with an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        const before = JSON.stringify(value);
        const { tools, problems } = parseTools([value, { tools: value }, { functionDeclarations: value }]);
        expect(tools.length + problems.length).toBeGreaterThan(0);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it('ends on a list that contains itself', () => {
    const list: unknown[] = [];
    list.push({ tools: list });
    expect(parseTools(list).problems).toHaveLength(1);
  });
});

it.each([
  [false, 'never'],
  [true, 'always'],
  [undefined, 'automatic'],
])('a definition without a type keeps its mark: defer_loading %s is %s', (mark, policy) => {
  const definition = {
    name: 'a',
    parameters: { type: 'object' },
    ...(mark === undefined ? {} : { defer_loading: mark }),
  };
  expect(parseTools([definition]).tools[0]?.policy).toBe(policy);
});

function naiveDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(naiveDepth));
}

describe('exceedsDepth', () => {
  it('agrees with measuring the whole value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (value, limit) => {
        expect(exceedsDepth(value, limit)).toBe(naiveDepth(value) > limit);
      }),
    );
  });

  it('ends on a value that contains itself', () => {
    const value: { self?: unknown; other?: unknown } = {};
    value.self = value;
    value.other = [value];
    expect(exceedsDepth(value, 256)).toBe(true);
  });

  it('does not look into objects of a class', () => {
    const instance = Object.assign(new (class Schema {})(), { inner: { inner: {} } });
    expect(exceedsDepth({ instance }, 2)).toBe(false);
  });

  it('counts a member named __proto__', () => {
    expect(exceedsDepth(JSON.parse('{"__proto__": [[]]}'), 2)).toBe(true);
  });
});
