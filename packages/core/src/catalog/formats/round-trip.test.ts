import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { parseTools } from '../parse-tools.ts';
import type { Policy, Tool, ToolFormat } from '../tool.ts';
import { writeTool, writeTools } from './format.ts';

const text = fc.string({ unit: 'binary', maxLength: 8 });
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
const mark = fc.constantFrom(true, false, null);
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 });
const description = fc.oneof(text, fc.constant(null));
const schema: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant({ type: 'object', properties: {} }),
  fc.dictionary(fc.constantFrom('type', 'properties', 'anyOf', '__proto__', 'nullable', 'x'), json),
);
const optionalSchema = fc.oneof(schema, fc.constant(null));

/** Some of the fields, some unknown ones and some hostile ones, in any order. */
function definitionOf(required: Fields, optional: Fields): fc.Arbitrary<JsonObject> {
  const unknown = { future_field: json, __proto: json, constructor: json };
  return fc
    .tuple(
      fc.record({ ...required }),
      fc.record({ ...optional, ...unknown }, { requiredKeys: [] }),
      fc.option(json, { nil: undefined }),
      fc.infiniteStream(fc.nat()),
    )
    .map(([must, may, proto, order]) => {
      const entries = [...Object.entries(must), ...Object.entries(may)];
      if (proto !== undefined) entries.push(['__proto__', proto]);
      const shuffled = entries.map((entry) => ({ entry, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at);
      const members = shuffled.map(({ entry: [key, value] }) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
      return JSON.parse(`{${members.join()}}`) as JsonObject;
    });
}

type Fields = { readonly [key: string]: fc.Arbitrary<unknown> };

const functionFields: Fields = { description, parameters: optionalSchema, strict: mark };

const definitions: { readonly [Format in ToolFormat]: fc.Arbitrary<JsonObject> } = {
  anthropic: fc.oneof(
    definitionOf(
      { name },
      {
        type: fc.constantFrom('custom', null),
        description,
        input_schema: optionalSchema,
        defer_loading: mark,
        strict: mark,
        cache_control: json,
        input_examples: fc.oneof(fc.array(json), json),
        allowed_callers: json,
        eager_input_streaming: mark,
      },
    ),
    definitionOf(
      { type: fc.constantFrom('web_search_20250305', 'tool_search_tool_regex_20251119', 'mcp_toolset') },
      { name, defer_loading: mark, max_uses: json, mcp_server_name: text, cache_control: json },
    ),
  ),
  'openai-chat': fc.oneof(
    definitionOf(
      { type: fc.constant('function'), function: definitionOf({ name }, functionFields) },
      { defer_loading: mark },
    ),
    definitionOf({ type: fc.constant('custom'), custom: definitionOf({ name }, { description, format: json }) }, {}),
  ),
  'openai-responses': fc.oneof(
    definitionOf(
      { type: fc.constant('function'), name },
      { ...functionFields, defer_loading: mark, output_schema: json, allowed_callers: json },
    ),
    definitionOf({ type: fc.constant('custom'), name }, { description, defer_loading: mark, format: json }),
    definitionOf(
      { type: fc.constantFrom('tool_search', 'mcp', 'file_search') },
      { description, server_label: text, defer_loading: mark },
    ),
  ),
  gemini: definitionOf(
    { name },
    {
      description,
      parameters: fc.oneof(
        optionalSchema,
        fc.constant({ type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }),
      ),
      parametersJsonSchema: optionalSchema,
      response: json,
      responseJsonSchema: json,
      behavior: json,
    },
  ),
  mcp: definitionOf(
    { name },
    {
      title: json,
      description,
      inputSchema: optionalSchema,
      outputSchema: json,
      annotations: fc.oneof(json, fc.constant({ title: 'Shown', readOnlyHint: true })),
      icons: json,
      execution: json,
      _meta: fc.oneof(json, definitionOf({}, { 'anthropic/alwaysLoad': mark, 'anthropic/searchHint': json })),
    },
  ),
  'ai-sdk': fc.oneof(
    definitionOf(
      { type: fc.constant('function'), name, inputSchema: schema },
      {
        description,
        strict: mark,
        inputExamples: fc.oneof(json, fc.array(fc.record({ input: json }))),
        deferLoading: mark,
        providerOptions: fc.oneof(
          json,
          fc.record({
            anthropic: fc.record({ deferLoading: mark }),
            openai: definitionOf({}, { deferLoading: mark, namespace: json }),
          }),
        ),
      },
    ),
    definitionOf({ type: fc.constant('provider'), id: name, name, args: json }, {}),
  ),
};

const policies = fc.constantFrom<Policy>('never', 'automatic', 'always');

describe.each(Object.entries(definitions) as [ToolFormat, fc.Arbitrary<JsonObject>][])('%s', (format, arbitrary) => {
  function parse(definition: JsonObject, missingDeferral: Policy): Tool {
    const { tools } = parseTools([definition], { format, missingDeferral, onProblem: 'throw' });
    return tools[0] as Tool;
  }

  it('comes back byte for byte, unknown fields and order of keys included', () => {
    fc.assert(
      fc.property(arbitrary, fc.constantFrom<Policy>('never', 'automatic'), (definition, missingDeferral) => {
        const before = JSON.stringify(definition);
        const tool = parse(definition, missingDeferral);
        expect(JSON.stringify(writeTool(tool, format))).toBe(before);
        expect(JSON.stringify(definition)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });

  it('comes back as well after the tool was stored as text', () => {
    fc.assert(
      fc.property(arbitrary, (definition) => {
        const stored: Tool = JSON.parse(JSON.stringify(parse(definition, 'automatic')));
        expect(JSON.stringify(writeTool(stored, format))).toBe(JSON.stringify(definition));
      }),
    );
  });

  it('keeps the core of a tool on the way through every other format', () => {
    fc.assert(
      fc.property(arbitrary, policies, (definition, missingDeferral) => {
        const tool = parse(definition, missingDeferral);
        if (tool.extras.providerType !== undefined) return;
        for (const other of Object.keys(definitions) as ToolFormat[]) {
          const written = writeTools([tool], other) as readonly Json[];
          const [again] = parseTools(written, {
            format: other === 'gemini' ? undefined : other,
            onProblem: 'throw',
          }).tools;
          expect(again?.name).toBe(tool.name);
          expect(again?.description).toBe(tool.description);
          expect(JSON.stringify(again?.schema)).toBe(JSON.stringify(tool.schema));
        }
      }),
    );
  });
});
