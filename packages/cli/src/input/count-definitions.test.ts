import { describe, expect, it } from 'vitest';
import { countDefinitions } from './count-definitions.ts';

const tool = { name: 'a', inputSchema: { type: 'object' } };

describe('countDefinitions', () => {
  it.each([
    ['one tool', tool, 1],
    ['a list', [tool, tool, tool], 3],
    ['a container', { server: 'x', tools: [tool, tool] }, 2],
    ['a JSON-RPC answer', { result: { tools: [tool, tool] } }, 2],
    ['lists in a list', [{ tools: [tool, tool] }, { tools: [tool] }], 3],
    ['no object', 5, 1],
  ])('counts %s', (_, value, expected) => {
    expect(countDefinitions(value, 100)).toBe(expected);
  });

  it.each([
    ['a long list', Array.from({ length: 2_000_000 }, () => 1)],
    ['a long list inside', { tools: Array.from({ length: 2_000_000 }, () => 1) }],
    ['many lists', Array.from({ length: 90 }, () => [1, 2, 3])],
    ['a large record', Object.fromEntries(Array.from({ length: 2_000 }, (__, index) => [`t${index}`, tool]))],
  ])('stops counting %s', (_, value) => {
    expect(countDefinitions(value, 100)).toBeGreaterThan(100);
  });
});
