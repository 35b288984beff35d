import { describe, expect, it } from 'vitest';
import type { ModelPart } from './language-model-v4-shapes-2026-11.ts';
import { createReader } from './reader.ts';

const holds = (name: string): boolean => name === 'tool_search';
const broken: ModelPart = { type: 'tool-call', toolCallId: 'a', toolName: 'tool_search', input: '{"query": "iss' };

function finish(unified: 'stop' | 'tool-calls' | 'length' | 'interrupted'): ModelPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  };
}

function read(parts: readonly ModelPart[]): readonly unknown[] {
  const reader = createReader(holds);
  return [...parts.flatMap((part) => reader.read(part)), ...reader.end()].filter(({ kind }) => kind !== 'close');
}

describe('the reader', () => {
  it.each(['length', 'interrupted'] as const)('drops a search that can’t be parsed after the reason %s', (reason) => {
    expect(read([broken, finish(reason)])).toEqual([{ kind: 'cut', name: 'tool_search' }]);
  });

  it('passes a malformed search on as text if nothing was cut', () => {
    expect(read([broken, finish('tool-calls')])).toEqual([
      { kind: 'held', call: { id: 'a', name: 'tool_search', arguments: '{"query": "iss' } },
    ]);
  });

  it('drops a search when the stream ends without a reason', () => {
    expect(read([{ type: 'tool-input-start', id: 'a', toolName: 'tool_search' }])).toEqual([
      { kind: 'cut', name: 'tool_search' },
    ]);
  });

  it('answers a badly written search that the model went on after, though the round was cut later', () => {
    const text: ModelPart = { type: 'text-start', id: '0' };
    expect(read([broken, text, finish('length')])).toEqual([
      { kind: 'held', call: { id: 'a', name: 'tool_search', arguments: '{"query": "iss' } },
      { kind: 'forward', part: text },
    ]);
  });

  it('distinguishes interleaved calls, and holds what follows a held one until it is complete', () => {
    const passed: ModelPart = { type: 'tool-call', toolCallId: 'b', toolName: 'read_file', input: '{}' };
    const parts: ModelPart[] = [
      { type: 'tool-input-start', id: 'a', toolName: 'tool_search' },
      { type: 'tool-input-start', id: 'b', toolName: 'read_file' },
      { type: 'tool-input-delta', id: 'a', delta: '{"query"' },
      { type: 'tool-input-delta', id: 'b', delta: '{}' },
      { type: 'tool-input-end', id: 'b' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'tool_search', input: '{"query":"x"}' },
      passed,
    ];
    expect(read(parts)).toEqual([
      { kind: 'held', call: { id: 'a', name: 'tool_search', arguments: { query: 'x' } } },
      { kind: 'forward', part: parts[1] },
      { kind: 'forward', part: parts[3] },
      { kind: 'forward', part: parts[4] },
      { kind: 'passed', name: 'read_file' },
      { kind: 'forward', part: passed },
    ]);
  });

  it('leaves a provider’s own tools alone, even one with our name', () => {
    const part: ModelPart = { ...broken, providerExecuted: true };
    expect(read([part])).toEqual([{ kind: 'forward', part }]);
  });
});
