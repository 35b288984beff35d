import { parseTools, type Tool } from '@quartermaster/core';
import { createTool, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { openaiTool } from './shown-tools.ts';

function read(definition: object): Tool {
  const [tool] = parseTools([definition], { onProblem: 'throw' }).tools;
  if (tool === undefined) throw new Error('The definition has no tool');
  return tool;
}

describe('openaiTool', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false, properties: {} },
    ],
    [
      { type: 'object', properties: null },
      { type: 'object', properties: {} },
    ],
    [{}, { type: 'object', properties: {} }],
    [{ properties: { q: {} } }, { type: 'object', properties: { q: {} } }],
  ])('adds what %j lacks', (schema, expected) => {
    for (const format of ['openai-chat', 'openai-responses'] as const)
      expect(openaiTool(createTool({ name: 'a', schema }), format).schema).toEqual(expected);
  });

  it('leaves the tool as it is for every other format', () => {
    const definition = { name: 'a', inputSchema: { type: 'object' } };
    const tool = read(definition);
    openaiTool(tool, 'openai-chat');
    expect(writeTool(tool, 'mcp')).toEqual(definition);
  });

  it('is the same object if nothing is missing, or if OpenAI was its original format', () => {
    const whole = createTool({ name: 'a', schema: { type: 'object', properties: { q: {} } } });
    const text = createTool({ name: 'a', schema: { type: 'string' } });
    const declared = read({ type: 'function', function: { name: 'a', parameters: { type: 'object' } } });
    for (const tool of [whole, text, declared]) expect(openaiTool(tool, 'openai-chat')).toBe(tool);
    expect(openaiTool(declared, 'openai-responses').schema).toEqual({ type: 'object', properties: {} });
  });
});
