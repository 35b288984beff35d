import { EMPTY_MEMORY } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicWire } from './anthropic-dialect.ts';
import type { AnthropicMessage } from './anthropic-shapes-2026-11.ts';
import { calledBy, messagesOf, revealedBy, type Turn, turns } from './generated-turns.fixture.ts';
import { conversation } from './message-script.fixture.ts';
import {
  definition,
  reference,
  rendered,
  searchCall,
  searched,
  searchFound,
  toolResult,
  toolUse,
} from './rendered.fixture.ts';

const TOOLS = ['a', 'b', 'c', 'd'].map((name) => definition(name, { deferred: true }));

function recall(messages: readonly AnthropicMessage[]) {
  return rendered(conversation(messages, { tools: TOOLS }), FORMS.load).memory;
}

describe('recall', () => {
  it('remembers searches with what they found, and the calls between them', () => {
    const memory = recall([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: [...searched('s1', 'x', ['a', 'b']), toolUse('t1', 'b')] },
      { role: 'user', content: [toolResult('t1')] },
      { role: 'assistant', content: [...searched('s2', 'y', ['b', 'c'])] },
    ]);
    expect(memory).toEqual({
      revealed: ['a', 'b', 'c'],
      called: ['b'],
      known: ['a', 'b', 'c'],
      moves: 2,
      searches: [
        { query: 'x', found: 2, movesBefore: 1 },
        { query: 'y', found: 2, movesBefore: 2 },
      ],
    });
  });

  it('reads `pattern` and `query` alike, and counts a failed search as one that found nothing', () => {
    const failed = {
      type: 'tool_search_tool_result',
      tool_use_id: 's1',
      content: { type: 'tool_search_tool_result_error', error_code: 'some_new_code' },
    };
    const call = { ...searchCall('s1', ''), input: { pattern: '(' } };
    expect(recall([{ role: 'assistant', content: [call, failed] }]).searches).toEqual([
      { query: '(', found: 0, movesBefore: 0 },
    ]);
  });

  it('remembers references in results of the client’s own search', () => {
    const memory = recall([
      { role: 'assistant', content: [toolUse('t1', 'ToolSearch', { query: 'x' })] },
      { role: 'user', content: [toolResult('t1', [reference('c'), reference('a')])] },
    ]);
    expect(memory.revealed).toEqual(['c', 'a']);
    expect(memory.searches).toEqual([]);
  });

  it('remembers tools that were added in the middle of the conversation', () => {
    const addition = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'd' } };
    expect(recall([{ role: 'system', content: [addition] }]).revealed).toEqual(['d']);
  });

  it('forgets a search of which compaction has left one half', () => {
    expect(recall([{ role: 'assistant', content: [searchCall('s1', 'x')] }])).toEqual(EMPTY_MEMORY);
    expect(recall([{ role: 'assistant', content: [searchFound('s1', ['a'])] }])).toEqual(EMPTY_MEMORY);
  });

  it('pairs a search with its result in the message after a pause', () => {
    const memory = recall([
      { role: 'assistant', content: [searchCall('s1', 'x')] },
      { role: 'assistant', content: [searchFound('s1', ['a'])] },
    ]);
    expect(memory.revealed).toEqual(['a']);
  });

  it('remembers nothing when nothing is deferred', () => {
    const request = conversation([{ role: 'assistant', content: [...searched('s1', 'x', ['a'])] }], { tools: TOOLS });
    const { plan } = rendered(request, FORMS.load);
    const inline = { ...plan, kind: 'inline' } as never;
    expect(anthropicWire.recall(request, inline)).toBe(EMPTY_MEMORY);
  });
});

describe('recall over generated conversations', () => {
  it('is what the turns that are left have revealed and called, whatever was compacted away', () => {
    fc.assert(
      fc.property(turns, fc.nat(8), (all, dropped) => {
        const kept = all.slice(Math.min(dropped, all.length));
        const memory = recall(kept.flatMap((turn, index) => messagesOf(turn, `k${index}`)));
        expect(new Set(memory.revealed)).toEqual(new Set(kept.flatMap(revealedBy)));
        expect(new Set(memory.called)).toEqual(new Set(kept.flatMap(calledBy)));
        expect(memory.searches).toHaveLength(
          kept.reduce((count, turn) => count + (turn.kind === 'searches' ? turn.found.length : 0), 0),
        );
      }),
    );
  });

  it('gives a fork the messages before the fork and of its own branch', () => {
    fc.assert(
      fc.property(turns, turns, turns, (trunk, left, right) => {
        const say = (list: readonly Turn[], name: string) => list.flatMap((turn, i) => messagesOf(turn, `${name}${i}`));
        const memory = recall([...say(trunk, 't'), ...say(left, 'l')]);
        expect(new Set(memory.revealed)).toEqual(new Set([...trunk, ...left].flatMap(revealedBy)));
        const other = recall([...say(trunk, 't'), ...say(right, 'r')]);
        expect(new Set(other.revealed)).toEqual(new Set([...trunk, ...right].flatMap(revealedBy)));
      }),
    );
  });

  it('does not depend on the order in which parallel results came back', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const flip = all.map((turn) => ('isReversed' in turn ? { ...turn, isReversed: !turn.isReversed } : turn));
        const one = recall(all.flatMap((turn, index) => messagesOf(turn, `k${index}`)));
        const two = recall(flip.flatMap((turn, index) => messagesOf(turn, `k${index}`)));
        expect(two).toEqual(one);
      }),
    );
  });
});
