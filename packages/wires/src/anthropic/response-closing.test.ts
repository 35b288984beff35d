import { describe, expect, it } from 'vitest';
import type { AnthropicResponse } from './anthropic-shapes-2026-11.ts';
import { joinResponses, ResponseClosing, ResponseUsage } from './whole.ts';

const START: AnthropicResponse = { id: 'msg_1', type: 'message', content: [], stop_reason: null, stop_sequence: null };
const edit = (type: string) => ({ applied_edits: [{ type }] });

describe('what the rounds of a response say besides their content', () => {
  it('keeps what only one round brought, adds up edits, and takes the reason of the last', () => {
    const closing = new ResponseClosing();
    closing.begin(START);
    closing.add({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null, container: { id: 'container_1' }, stop_details: null },
      context_management: edit('clear_tool_uses'),
    });
    closing.begin({ ...START, diagnostics: { cache_miss_reason: 'none' }, container: null });
    closing.add({
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_sequence: null, container: null, stop_details: { type: 'refusal' } },
      context_management: edit('clear_thinking'),
    });
    expect(closing.merged).toEqual({
      type: 'message_delta',
      delta: {
        stop_reason: 'refusal',
        stop_sequence: null,
        container: { id: 'container_1' },
        stop_details: { type: 'refusal' },
        diagnostics: { cache_miss_reason: 'none' },
      },
      context_management: { applied_edits: [{ type: 'clear_tool_uses' }, { type: 'clear_thinking' }] },
    });
  });

  it('puts what a later round says at its start where clients of a stream look for it', () => {
    const closing = new ResponseClosing();
    const dropped = [{ type: 'thinking_dropped' }];
    closing.begin({ ...START, input_transformations: [] });
    closing.add({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null } });
    closing.begin({ ...START, input_transformations: dropped, context_management: edit('clear_thinking') });
    expect(closing.merged).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      input_transformations: dropped,
      context_management: edit('clear_thinking'),
    });
  });

  it("is one round's own event where there is but one, and nothing where none has closed", () => {
    const closing = new ResponseClosing();
    closing.begin({ ...START, container: { id: 'container_1' } });
    expect(closing.merged).toBeUndefined();
    const event = { type: 'message_delta', delta: { stop_reason: 'end_turn', future: null } } as const;
    closing.add(event);
    expect(closing.merged).toBe(event);
  });

  it('uses the reason of a round that states it at the start', () => {
    const closing = new ResponseClosing();
    closing.begin(START);
    closing.add({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } });
    closing.begin({ ...START, stop_reason: 'tool_use' });
    expect(closing.merged?.delta.stop_reason).toBe('tool_use');
  });
});

describe('two responses of one turn', () => {
  it('are one with the content, the usage, the edits and the container of both', () => {
    const text = (written: string) => ({ type: 'text', text: written });
    const before = {
      ...{ ...START, content: [text('a')], stop_reason: 'pause_turn', container: { id: 'container_1' } },
      context_management: edit('clear_tool_uses'),
      usage: { input_tokens: 1, cache_read_input_tokens: 2, iterations: [{ type: 'message' }] },
    };
    const after = {
      ...{ ...START, id: 'msg_2', content: [text('b')], stop_reason: 'end_turn', container: null },
      context_management: edit('clear_thinking'),
      usage: { input_tokens: 3, cache_read_input_tokens: null, iterations: [{ type: 'compaction' }] },
    };
    expect(joinResponses(before, after)).toEqual({
      ...{ ...START, content: [text('a'), text('b')], stop_reason: 'end_turn', container: { id: 'container_1' } },
      context_management: { applied_edits: [{ type: 'clear_tool_uses' }, { type: 'clear_thinking' }] },
      usage: { input_tokens: 4, cache_read_input_tokens: 2, iterations: [{ type: 'message' }, { type: 'compaction' }] },
    });
  });
});

describe('the usage of a response', () => {
  it('lists the iterations of all rounds one after the other', () => {
    const usage = new ResponseUsage();
    usage.begin({ input_tokens: 1 });
    usage.report({ output_tokens: 2, iterations: [{ type: 'message', input_tokens: 1 }] });
    usage.begin({ input_tokens: 3 });
    usage.report({ output_tokens: 4, iterations: [{ type: 'compaction' }, { type: 'message', input_tokens: 3 }] });
    expect(usage.total(0)).toEqual({
      input_tokens: 4,
      output_tokens: 6,
      iterations: [{ type: 'message', input_tokens: 1 }, { type: 'compaction' }, { type: 'message', input_tokens: 3 }],
    });
  });

  it('adds up all rounds, not only the latest two', () => {
    const usage = new ResponseUsage();
    for (const input_tokens of [1, 10, 100]) {
      usage.begin({ input_tokens });
      usage.report({ output_tokens: 2 * input_tokens });
    }
    expect(usage.total(0)).toEqual({ input_tokens: 111, output_tokens: 222 });
    expect(usage.written()).toBe(222);
  });

  it('is what the host reported if it was asked once and nothing was searched', () => {
    const usage = new ResponseUsage();
    usage.begin({ input_tokens: 1, service_tier: 'standard' });
    usage.report({ output_tokens: 2 });
    expect(usage.total(0)).toEqual({ output_tokens: 2 });
    expect(usage.total(1)).toMatchObject({ input_tokens: 1, output_tokens: 2, service_tier: 'standard' });
  });
});
