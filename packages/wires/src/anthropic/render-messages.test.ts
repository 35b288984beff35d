import { FORMS, type Form, keepsPrefix } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
} from './anthropic-shapes-2026-11.ts';
import { messagesOf, turns } from './generated-turns.fixture.ts';
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

const ASK = { role: 'user', content: 'Hello' };
const TOOLS = [definition('now'), definition('a', { deferred: true }), definition('b', { deferred: true })];
const FORMS_TO_TRY: readonly (readonly [string, Form])[] = [
  ['stub', FORMS.stub],
  ['bridge', FORMS.bridge],
  ['load', FORMS.load],
  ['native', FORMS.native],
  ['hosted', FORMS.hosted],
  ['client', FORMS.client],
  ['client on a host with references', { ...FORMS.client, hidden: 'mark', reveal: 'native' }],
];

function messagesFor(form: Form, messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  return rendered(conversation(messages, { tools: TOOLS }), form).request.messages;
}

/** A search as it goes to a host that knows none. */
function asCall(id: string, query: string): AnthropicBlock {
  return { type: 'tool_use', id, name: 'tool_search', input: { query } };
}

const any = { content: expect.any(String) };

describe('a search in the history of a local form', () => {
  it('becomes an ordinary call and its result, in a separate message', () => {
    const content = [text('Look.'), ...searched('s1', 'x', ['a']), text('Found.')];
    expect(messagesFor(FORMS.load, [ASK, { role: 'assistant', content }, ASK])).toEqual([
      ASK,
      { role: 'assistant', content: [text('Look.'), asCall('s1', 'x')] },
      { role: 'user', content: [{ ...toolResult('s1'), ...any }] },
      { role: 'assistant', content: [text('Found.')] },
      ASK,
    ]);
  });

  it('shares the next message with the result of a real call that was made before it', () => {
    const content = [toolUse('t1', 'now'), ...searched('s1', 'x', ['a'])];
    const answered = { role: 'user', content: [toolResult('t1'), text('Go on.')] };
    expect(messagesFor(FORMS.load, [ASK, { role: 'assistant', content }, answered])).toEqual([
      ASK,
      { role: 'assistant', content: [toolUse('t1', 'now'), asCall('s1', 'x')] },
      { role: 'user', content: [toolResult('t1'), { ...toolResult('s1'), ...any }, text('Go on.')] },
    ]);
  });

  it('waits with what the model wrote after it, when a real call of its round is still to be answered', () => {
    const content = [toolUse('t1', 'now'), ...searched('s1', 'x', ['a']), text('Meanwhile.')];
    const sent = messagesFor(FORMS.load, [
      ASK,
      { role: 'assistant', content },
      { role: 'user', content: [toolResult('t1')] },
    ]);
    expect(sent.slice(1)).toEqual([
      { role: 'assistant', content: [toolUse('t1', 'now'), asCall('s1', 'x'), text('Meanwhile.')] },
      { role: 'user', content: [toolResult('t1'), { ...toolResult('s1'), ...any }] },
    ]);
  });

  it('is answered past a system message that stands before the results of its round', () => {
    const content = [searchCall('s1', 'x'), toolUse('t1', 'now'), searchFound('s1', ['a'])];
    const system = { role: 'system', content: 'Mind the gap.' };
    const sent = messagesFor(FORMS.load, [
      ASK,
      { role: 'assistant', content },
      system,
      { role: 'user', content: [toolResult('t1')] },
    ]);
    expect(sent.slice(2)).toEqual([
      system,
      { role: 'user', content: [{ ...toolResult('s1'), ...any }, toolResult('t1')] },
    ]);
  });

  it('distinguishes parallel searches from sequential ones', () => {
    const [one, two] = [searchCall('s1', 'x'), searchCall('s2', 'y')];
    const [foundOne, foundTwo] = [searchFound('s1', ['a']), searchFound('s2', ['b'])];
    const roles = (content: readonly AnthropicBlock[]) =>
      messagesFor(FORMS.load, [ASK, { role: 'assistant', content }]).map((message) => blocksOf(message).length);
    expect(roles([one, two, foundOne, foundTwo])).toEqual([1, 2, 2]);
    expect(roles([one, foundOne, two, foundTwo])).toEqual([1, 1, 1, 1, 1]);
  });

  it('is answered with references if the host expands them, without missing ones', () => {
    const content = [...searched('s1', 'x', ['a', 'gone']), ...searched('s2', 'y', ['gone'])];
    const sent = messagesFor(FORMS.native, [ASK, { role: 'assistant', content }]);
    expect(sent[2]?.content).toEqual([toolResult('s1', [reference('a')])]);
    expect(sent[4]?.content).toEqual([{ ...toolResult('s2'), content: expect.stringContaining('No tool fits') }]);
  });

  it('is answered with its error when it failed', () => {
    const error = { type: 'tool_search_tool_result_error', error_code: 'invalid_tool_input', error_message: 'Bad.' };
    const content = [searchCall('s1', '('), { type: 'tool_search_tool_result', tool_use_id: 's1', content: error }];
    expect(messagesFor(FORMS.load, [ASK, { role: 'assistant', content }])[2]?.content).toEqual([
      { ...toolResult('s1', '{"error":"invalid_tool_input","message":"Bad."}'), is_error: true },
    ]);
  });
});

describe('the history', () => {
  it('holds calls as the model wrote them: wrapped in the form bridge', () => {
    const messages = [
      ASK,
      { role: 'assistant', content: [toolUse('t1', 'a', { text: 'x' }), toolUse('t2', 'now')] },
      { role: 'user', content: [toolResult('t1'), toolResult('t2')] },
    ];
    expect(messagesFor(FORMS.bridge, messages)[1]?.content).toEqual([
      toolUse('t1', 'tool_call', { name: 'a', arguments: { text: 'x' } }),
      toolUse('t2', 'now'),
    ]);
  });

  it('keeps the blocks of a search for a host that runs searches, except missing references', () => {
    const [call, found] = searched('s1', 'x', ['a', 'gone']);
    const messages = [ASK, { role: 'assistant', content: [text('Look.'), call, found, text('Found.')] }];
    expect(messagesFor(FORMS.hosted, messages)).toEqual([
      ASK,
      { role: 'assistant', content: [text('Look.'), call, searchFound('s1', ['a']), text('Found.')] },
    ]);
  });

  it('keeps tool changes within a conversation only if the host knows references', () => {
    const addition = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'a' } };
    const messages = [
      ASK,
      { role: 'system', content: [addition, text('New.')] },
      { role: 'system', content: [addition] },
    ];
    expect(messagesFor(FORMS.load, messages)).toEqual([ASK, { role: 'system', content: [text('New.')] }]);
    expect(messagesFor(FORMS.native, messages)).toEqual(messages);
  });

  it('does not pair a result with a call of an earlier turn that has the same id', () => {
    const messages = [
      ASK,
      { role: 'assistant', content: [text('One.'), toolUse('call_0', 'now')] },
      ASK,
      { role: 'assistant', content: [text('Two.')] },
      { role: 'user', content: [toolResult('call_0'), text('Go on.')] },
    ];
    expect(messagesFor(FORMS.load, messages)).toEqual([
      ASK,
      { role: 'assistant', content: [text('One.')] },
      ASK,
      { role: 'assistant', content: [text('Two.')] },
      { role: 'user', content: [text('Go on.')] },
    ]);
  });

  it('drops a message of which only thoughts are left', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'x' };
    expect(messagesFor(FORMS.load, [ASK, { role: 'assistant', content: [thought, searchCall('s1', 'x')] }])).toEqual([
      ASK,
    ]);
  });

  it.each(FORMS_TO_TRY)('is left without half a pair by whatever compaction has cut, in the form %s', (_, form) => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }), (kept) => {
        let block = 0;
        const cut = LONG.flatMap((message) => {
          const content = blocksOf(message).filter(() => kept[block++] ?? true);
          return content.length === 0 ? [] : [{ ...message, content }];
        });
        expect(halves(messagesFor(form, cut))).toEqual([]);
      }),
    );
  });

  it.each(FORMS_TO_TRY)('keeps blocks and fields that are not known here, in order, in the form %s', (_, form) => {
    const strange = fc.record({
      type: fc.constantFrom('image', 'document', 'mcp_tool_use', 'some_new_block'),
      data: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(strange, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (blocks, field) => {
        const messages = LONG.map((message) => ({
          ...message,
          new_field: field,
          content: [...blocksOf(message), ...blocks],
        }));
        const request = rendered(conversation(messages, { tools: TOOLS, another_field: field }), form).request;
        expect(request.another_field).toEqual(field);
        const strangers = (list: readonly AnthropicMessage[]) =>
          list.flatMap(blocksOf).filter((one) => blocks.some((other) => other === one));
        expect(strangers(request.messages)).toEqual(messages.flatMap(() => blocks));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a conversation that goes on', () => {
  const tools = ['a', 'b', 'c', 'd'].map((name) => definition(name, { deferred: true }));
  const forms: readonly (readonly [string, Form])[] = [
    ...FORMS_TO_TRY,
    ['native with marks', { ...FORMS.native, hidden: 'mark' }],
  ];

  it.each(forms)('is read with the bytes of before, and those of its prefix, in the form %s', (_, form) => {
    fc.assert(
      fc.property(turns, turns, (before, after) => {
        const say = (list: typeof before, name: string) =>
          list.flatMap((turn, index) => [...messagesOf(turn, `${name}${index}`), ASK]);
        const opening = [ASK, ...say(before, 'x')];
        const one = rendered(conversation(opening, { tools: [definition('now'), ...tools] }), form).request;
        const whole = [...opening, ...say(after, 'y')];
        const two = rendered(conversation(whole, { tools: [definition('now'), ...tools] }), form).request;
        const bytes = JSON.stringify(one.messages).slice(0, -1);
        expect(JSON.stringify(two.messages).slice(0, bytes.length)).toBe(bytes);
        if (keepsPrefix(form)) expect(prefixOf(two)).toBe(prefixOf(one));
      }),
      { numRuns: 40 },
    );
  });
});

/** What the model reads before the first message: a marked definition is not part of it. */
function prefixOf(request: AnthropicRequest): string {
  return JSON.stringify([request.system, request.tools?.filter((tool) => tool.defer_loading !== true)]);
}

const LONG: readonly AnthropicMessage[] = [
  { role: 'user', content: [text('Hello')] },
  { role: 'assistant', content: [text('Look.'), ...searched('s1', 'x', ['a']), toolUse('t1', 'a')] },
  { role: 'user', content: [toolResult('t1')] },
  {
    role: 'assistant',
    content: [toolUse('t2', 'now'), searchCall('s2', 'y'), toolUse('t3', 'b'), searchFound('s2', ['b'])],
  },
  { role: 'user', content: [toolResult('t3'), toolResult('t2'), text('Go on.')] },
  {
    role: 'assistant',
    content: [searchCall('s3', 'z'), searchCall('s4', 'z'), searchFound('s4', []), searchFound('s3', ['gone'])],
  },
  { role: 'assistant', content: [toolUse('t4', 'ToolSearch', { query: 'q' })] },
  { role: 'user', content: [toolResult('t4', [reference('b'), reference('gone')])] },
  { role: 'assistant', content: [text('Done.')] },
];

/** Calls without a result right after them, results without a call, of both kinds. */
function halves(messages: readonly AnthropicMessage[]): readonly string[] {
  const wrong: string[] = [];
  let open = new Set<string>();
  const searches = new Set<string>();
  for (const message of messages) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) wrong.push('an empty message');
    if (message.role === 'assistant' && open.size > 0) wrong.push(...open);
    if (message.role === 'assistant') open = new Set();
    for (const block of blocks) {
      if (block.type === 'tool_use') open.add(String(block.id));
      if (block.type === 'tool_result' && !open.delete(String(block.tool_use_id))) wrong.push(`${block.tool_use_id}`);
      if (block.type === 'server_tool_use') searches.add(String(block.id));
      if (block.type === 'tool_search_tool_result' && !searches.delete(String(block.tool_use_id))) {
        wrong.push(`${block.tool_use_id}`);
      }
    }
  }
  return [...wrong, ...open, ...searches];
}

function text(value: string) {
  return { type: 'text', text: value };
}
