import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { bm25SearchTool, deferred, regexSearchTool, toolReferenceResult } from './open.ts';
import { readSearches } from './recall.ts';
import { searchCall, searched } from './rendered.fixture.ts';

const tool = {
  name: 'a',
  input_schema: { type: 'object' as const },
  cache_control: { type: 'ephemeral' as const },
};

describe('the builders', () => {
  it('create what the SDK accepts', () => {
    expectTypeOf(regexSearchTool()).toExtend<Anthropic.ToolUnion>();
    expectTypeOf(bm25SearchTool()).toExtend<Anthropic.ToolUnion>();
    expectTypeOf(deferred(tool)).toExtend<Anthropic.ToolUnion>();
    expectTypeOf(toolReferenceResult('t1', ['a'])).toExtend<Anthropic.ToolResultBlockParam>();
    expect(regexSearchTool()).toEqual({ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' });
    expect(bm25SearchTool()).toEqual({ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' });
  });

  it('mark a tool without the cache breakpoint that the API refuses', () => {
    expect(deferred(tool)).toEqual({ name: 'a', input_schema: { type: 'object' }, defer_loading: true });
  });

  it('answer a search of the client’s own, also when nothing was found', () => {
    expect(toolReferenceResult('t1', ['a', 'b'])).toEqual({
      type: 'tool_result',
      tool_use_id: 't1',
      content: [
        { type: 'tool_reference', tool_name: 'a' },
        { type: 'tool_reference', tool_name: 'b' },
      ],
    });
    expect(toolReferenceResult('t1', []).content).toBe('No matching deferred tools found');
  });
});

describe('readSearches', () => {
  it('reads what was found, what failed and what is not answered yet', () => {
    const failed = { type: 'tool_search_tool_result_error', error_code: 'unavailable', error_message: null };
    const content = [
      ...searched('s1', 'x', ['a']),
      { ...searchCall('s2', 'y'), caller: { type: 'code_execution_20260120', tool_id: 't' } },
      { type: 'tool_search_tool_result', tool_use_id: 's2', content: failed },
      searchCall('s3', 'z'),
      { type: 'server_tool_use', id: 's4', name: 'web_search', input: {} },
    ];
    const name = 'tool_search_tool_bm25';
    expect(readSearches({ content })).toEqual([
      { id: 's1', name, queries: ['x'], caller: 'direct', outcome: { kind: 'found', names: ['a'] } },
      {
        id: 's2',
        name,
        queries: ['y'],
        caller: 'code_execution_20260120',
        outcome: { kind: 'failed', code: 'unavailable', message: '' },
      },
      { id: 's3', name, queries: ['z'], caller: 'direct', outcome: { kind: 'pending' } },
    ]);
  });
});
