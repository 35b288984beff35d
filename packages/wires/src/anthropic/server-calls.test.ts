import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnthropicBlock, AnthropicMessage } from './anthropic-shapes-2026-11.ts';
import { renderServerCalls } from './server-calls.ts';

const NAMES = {
  nameOf: (server: string, tool: string) => `${server}_${tool}`,
  isDangling: (name: string) => name === 'crm_gone',
};
const ASK = { role: 'user', content: 'Hello' };

const text = (words: string): AnthropicBlock => ({ type: 'text', text: words });
const use = (id: string): AnthropicBlock => ({ type: 'mcp_tool_use', id, name: 'find', server_name: 'crm', input: {} });
const result = (id: string, more: object = {}): AnthropicBlock => ({
  ...{ type: 'mcp_tool_result', tool_use_id: id, is_error: false },
  content: [{ type: 'text', text: id, citations: null }],
  ...more,
});
const search = (id: string): AnthropicBlock => ({
  type: 'server_tool_use',
  id,
  name: 'tool_search_tool_bm25',
  input: {},
});
const searchResult = (id: string, ...names: string[]): AnthropicBlock => ({
  type: 'tool_search_tool_result',
  tool_use_id: id,
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
  },
});
const call = (id: string): AnthropicBlock => ({ type: 'tool_use', id, name: 'now', input: {} });
const answer = (id: string): AnthropicBlock => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const plainUse = (id: string): AnthropicBlock => ({ type: 'tool_use', id, name: 'crm_find', input: {} });
const plainResult = (id: string): AnthropicBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: id }],
});
const assistant = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'assistant', content });
const user = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'user', content });
const rendered = (...messages: AnthropicMessage[]) => renderServerCalls(messages, NAMES);

describe('the history with calls to servers', () => {
  it.each([{ id: { toString: 1 } }, { name: { toString: 1 } }, { server_name: { toString: 1 } }, { name: undefined }])(
    'leaves out a call that names nothing, and its result: %j',
    (odd) => {
      const content = assistant({ ...use('a'), ...odd }, result('a', odd.id && { tool_use_id: odd.id }), text('Done.'));
      expect(rendered(ASK, content)).toEqual([ASK, assistant(text('Done.'))]);
    },
  );

  it('distinguishes parallel calls from sequential ones', () => {
    expect(rendered(ASK, assistant(use('a'), use('b'), result('a'), result('b'), text('Done.')))).toEqual([
      ASK,
      assistant(plainUse('a'), plainUse('b')),
      user(plainResult('a'), plainResult('b')),
      assistant(text('Done.')),
    ]);
    expect(rendered(ASK, assistant(use('a'), result('a'), use('b'), result('b')), ASK)).toEqual([
      ASK,
      assistant(plainUse('a')),
      user(plainResult('a')),
      assistant(plainUse('b')),
      user(plainResult('b'), text('Hello')),
    ]);
  });

  it('keeps a round together whose results include that of a search', () => {
    const round = [use('a'), search('s'), use('b'), result('a'), searchResult('s', 'crm_find'), result('b')];
    expect(rendered(ASK, assistant(...round, text('Done.')))).toEqual([
      ASK,
      assistant(plainUse('a'), search('s'), plainUse('b'), searchResult('s', 'crm_find')),
      user(plainResult('a'), plainResult('b')),
      assistant(text('Done.')),
    ]);
  });

  it('puts results with those of the client’s own calls, in the order of the calls', () => {
    const round = assistant(call('t'), use('a'), call('u'), use('b'), result('a'), result('b'));
    expect(rendered(ASK, round, user(answer('u'), answer('t'), text('Go on.')))).toEqual([
      ASK,
      assistant(call('t'), plainUse('a'), call('u'), plainUse('b')),
      user(answer('t'), plainResult('a'), answer('u'), plainResult('b'), text('Go on.')),
    ]);
  });

  it('puts results with those of the client’s own calls, past a system message', () => {
    const system = { role: 'system', content: 'Mind the gap.' };
    expect(
      rendered(ASK, assistant(use('a'), call('t'), result('a'), text('Meanwhile.')), system, user(answer('t'))),
    ).toEqual([
      ASK,
      assistant(plainUse('a'), call('t'), text('Meanwhile.')),
      system,
      user(plainResult('a'), answer('t')),
    ]);
  });

  it('drops half a pair, listings, and references that lead nowhere', () => {
    const found = (...names: string[]): AnthropicBlock => searchResult('s', ...names);
    const listing = { type: 'mcp_tool_listing', mcp_server_name: 'crm', tools: [] };
    expect(
      rendered(ASK, assistant(listing, use('a'), result('b'), found('crm_find', 'crm_gone', 'other'), text('Hm.'))),
    ).toEqual([ASK, assistant(found('crm_find', 'other'), text('Hm.'))]);
    expect(rendered(ASK, assistant(use('a')), ASK)).toEqual([ASK, ASK]);
  });

  it('keeps errors, and messages that have nothing to do with servers as they are', () => {
    const plain = assistant(text('Hi.'), call('t'));
    const [, , failed] = rendered(ASK, assistant(use('a'), result('a', { is_error: true, content: 'No.' })));
    expect(failed).toEqual(user({ type: 'tool_result', tool_use_id: 'a', content: 'No.', is_error: true }));
    expect(rendered(ASK, plain, user(answer('t')))[1]).toBe(plain);
  });

  it('has every call answered right after it, whatever was cut out, and grows at its end', () => {
    const round = fc.oneof(
      fc.constantFrom('text' as const, 'cut' as const),
      fc.array(fc.constantFrom('server', 'search'), { minLength: 1, maxLength: 4 }),
    );
    const turn = fc.array(round, { minLength: 1, maxLength: 6 }).map((rounds) =>
      rounds.flatMap((kinds, at): AnthropicBlock[] => {
        if (kinds === 'text') return [text('Hm.')];
        if (kinds === 'cut') return [use(`a${at}`)];
        const calls = kinds.map((kind, place) => (kind === 'server' ? use : search)(`a${at}_${place}`));
        const results = kinds.map((kind, place) => (kind === 'server' ? result : searchResult)(`a${at}_${place}`));
        return [...calls, ...results];
      }),
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const messages = turns.flatMap((blocks) => [ASK, assistant(...blocks)]);
        const all = renderServerCalls([...messages, ASK], NAMES);
        for (const [at, message] of all.entries()) {
          const calls = idsOf(message, 'tool_use', 'id');
          expect(idsOf(all[at + 1], 'tool_result', 'tool_use_id')).toEqual(calls);
          expect(message.content.length).toBeGreaterThan(0);
        }
        const before = JSON.stringify(renderServerCalls([...messages.slice(0, -2), ASK], NAMES)).slice(0, -1);
        expect(JSON.stringify(all).startsWith(before)).toBe(true);
      }),
    );
  });
});

function idsOf(message: AnthropicMessage | undefined, type: string, field: string): readonly unknown[] {
  const blocks = Array.isArray(message?.content) ? (message.content as readonly AnthropicBlock[]) : [];
  return blocks.filter((block) => block.type === type).map((block) => block[field]);
}
