import { describe, expect, it } from 'vitest';
import { chatDialect } from './chat-dialect.ts';
import type { ChatChunk } from './chat-shapes-2026-11.ts';

const { readCalls, writtenLength } = chatDialect.api;

function chunk(...calls: object[]): ChatChunk {
  return { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] } as unknown as ChatChunk;
}

describe('calls of custom tools', () => {
  it('are named like those of functions, by the piece that has the name', () => {
    const patch = { index: 0, id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: '' } };
    const weather = { index: 1, id: 'c2', type: 'function', function: { name: 'get_weather', arguments: '' } };
    expect(readCalls(chunk(patch, weather))).toEqual(['apply_patch', 'get_weather']);
    expect(readCalls(chunk({ index: 0, custom: { input: '*** Begin' } }, { index: 1 }))).toEqual([]);
  });

  it('count as written with their text', () => {
    const piece = chunk({ index: 0, custom: { input: '12345' } }, { index: 1, function: { arguments: '{}' } });
    expect(writtenLength(piece)).toBe(7);
  });
});
