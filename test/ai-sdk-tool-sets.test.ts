import { anthropic } from '@ai-sdk/anthropic';
import { parseTools, type Tool } from '@quartermaster/core';
import { writeTool } from '@quartermaster/core/catalog';
import { dynamicTool, jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };

/** Reads a tool set of one tool, called `it`. */
function read(member: unknown): Tool {
  const { tools } = parseTools({ it: member }, { onProblem: 'throw' });
  return tools[0] as Tool;
}

function problemOf(member: unknown): string | undefined {
  return parseTools({ it: member }).problems[0]?.message;
}

describe('tool sets made with the AI SDK', () => {
  it.each([
    ['jsonSchema()', jsonSchema(SCHEMA)],
    ['jsonSchema() of a function', jsonSchema(() => SCHEMA)],
    ['a function that makes one', () => jsonSchema(SCHEMA)],
    ['a Zod schema', z.object({ city: z.string() })],
  ])('a tool with %s has its JSON Schema', (_, inputSchema) => {
    const made = read(tool({ description: 'Weather of a city', inputSchema: inputSchema as never }));
    expect(made).toMatchObject({ name: 'it', description: 'Weather of a city', schema: SCHEMA });
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });

  it('what the SDK knows of a tool is kept, and code is not', () => {
    const made = read(
      tool({
        title: 'Weather',
        description: 'Weather of a city',
        inputSchema: jsonSchema<{ city: string }>(SCHEMA),
        outputSchema: jsonSchema({ type: 'string' }),
        inputExamples: [{ input: { city: 'Oslo' } }],
        strict: true,
        providerOptions: { anthropic: { deferLoading: true } },
        execute: () => 'rain',
      }),
    );
    expect(made).toMatchObject({
      policy: 'always',
      extras: { title: 'Weather', strict: true, outputSchema: { type: 'string' }, examples: [{ city: 'Oslo' }] },
    });
    expect(writeTool(made, 'anthropic')).toEqual({
      name: 'it',
      description: 'Weather of a city',
      input_schema: SCHEMA,
      input_examples: [{ city: 'Oslo' }],
      strict: true,
      defer_loading: true,
    });
  });

  it('a dynamic tool is handed to a model as a function', () => {
    const made = read(dynamicTool({ inputSchema: jsonSchema(SCHEMA), execute: async () => 'rain' }));
    expect(writeTool(made, 'ai-sdk')).toMatchObject({ type: 'function', name: 'it', inputSchema: SCHEMA });
  });

  it('a tool that its provider defines needs no schema', () => {
    const made = read(anthropic.tools.webSearch_20250305({ maxUses: 3 }));
    expect(made).toMatchObject({ policy: 'never', extras: { providerType: 'anthropic.web_search_20250305' } });
    expect(writeTool(made, 'ai-sdk')).toMatchObject({ type: 'provider', name: 'it', args: { maxUses: 3 } });
  });

  it('a list of named tools reads like a set', () => {
    const { tools, problems } = parseTools([{ ...tool({ inputSchema: z.object({ city: z.string() }) }), name: 'it' }]);
    expect(problems).toEqual([]);
    expect(tools).toMatchObject([{ name: 'it', schema: SCHEMA }]);
  });

  it.each([
    ['comes as a promise', jsonSchema(Promise.resolve(SCHEMA)), 'pass a JSON Schema'],
    ['can not be expressed', z.object({ when: z.date() }), 'Date cannot be represented'],
    ['has no way to JSON', { '~standard': { version: 1, vendor: 'own', validate: () => ({}) } }, 'pass a JSON Schema'],
    [
      'fails when it is made',
      jsonSchema(() => {
        throw new Error('no such table');
      }),
      'no such table',
    ],
  ])('a schema that %s is the problem of its tool alone', (_, inputSchema, reason) => {
    expect(problemOf({ inputSchema })).toContain(reason);
    expect(parseTools({ bad: { inputSchema }, good: { inputSchema: jsonSchema(SCHEMA) } }).tools).toHaveLength(1);
  });
});
