import { type Call, createToolbox } from '@quartermaster/core';
import { expect, it } from 'vitest';
import type { AnthropicEvent } from './anthropic-shapes-2026-11.ts';
import { readRound } from './reader.ts';

function held(input: unknown, json: readonly string[] = []): readonly Call[] {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'crm_find', input };
  const events = [
    { type: 'content_block_start', index: 0, content_block: call },
    ...json.map((partial_json) => {
      const delta = { type: 'input_json_delta', partial_json };
      return { type: 'content_block_delta', index: 0, delta };
    }),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ] as AnthropicEvent[];
  const reader = readRound(() => true, createToolbox({ tools: [] }).plan());
  const reads = [...events.flatMap((event) => reader.read(event)), ...reader.end()];
  return reads.flatMap((read) => (read.kind === 'held' ? [read.call] : []));
}

it.each([
  ['in pieces', {}, ['{"name":', ' "x"}'], { name: 'x' }],
  ['with the start', { name: 'x' }, [], { name: 'x' }],
  ['not at all', {}, [], {}],
  ['as a text that is no JSON', {}, ['{"name":'], '{"name":'],
  ['as a text with the start', '{"name":', [], '{"name":'],
  ['as a list with the start', ['x'], [], ['x']],
])('arguments are read that come %s', (_, input, json, expected) => {
  expect(held(input, json)).toEqual([{ id: 'toolu_1', name: 'crm_find', arguments: expected }]);
});
