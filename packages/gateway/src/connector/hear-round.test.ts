import { createTool } from '@quartermaster/core/catalog';
import type { AnthropicEvent } from '@quartermaster/wires/anthropic';
import { expect, it } from 'vitest';
import { type Heard, hearRound } from './hear-round.ts';

const TOOL = createTool({ name: 'find', server: 'crm' });

async function heard(input: unknown, json: readonly string[] = []): Promise<readonly Heard[]> {
  async function* parts(): AsyncGenerator<AnthropicEvent> {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'crm_find', input };
    yield { type: 'content_block_start', index: 0, content_block: call } as AnthropicEvent;
    for (const partial_json of json) {
      const delta = { type: 'input_json_delta', partial_json };
      yield { type: 'content_block_delta', index: 0, delta } as AnthropicEvent;
    }
    yield { type: 'content_block_stop', index: 0 } as AnthropicEvent;
    yield { type: 'message_delta', delta: { stop_reason: 'tool_use' } } as AnthropicEvent;
  }
  const all: Heard[] = [];
  for await (const one of hearRound(parts(), () => TOOL)) if (one.kind === 'call') all.push(one);
  return all;
}

it.each([
  ['in pieces', {}, ['{"name":', ' "x"}'], { name: 'x' }],
  ['with the start', { name: 'x' }, [], { name: 'x' }],
  ['not at all', {}, [], {}],
  ['as a text that is no JSON', {}, ['{"name":'], '{"name":'],
  ['as a text with the start', '{"name":', [], '{"name":'],
  ['as a list with the start', ['x'], [], ['x']],
])('hears arguments that come %s', async (_, input, json, expected) => {
  expect(await heard(input, json)).toEqual([{ kind: 'call', call: { id: 'toolu_1', tool: TOOL, input: expected } }]);
});
