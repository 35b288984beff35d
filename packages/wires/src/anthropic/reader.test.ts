import { createToolbox } from '@quartermaster/core';
import type { Read } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { anthropicWire } from './anthropic-dialect.ts';
import type { AnthropicEvent } from './anthropic-shapes-2026-11.ts';
import { call, type ScriptedBlock, scriptMessage, text } from './message-script.fixture.ts';
import { anthropicWhole, UpstreamEventError } from './whole.ts';

const PLAN = createToolbox({ tools: [] }).plan();

/** What one round means to the loop, forwards named by their type. */
function readAll(events: readonly AnthropicEvent[]): readonly unknown[] {
  const reader = anthropicWire.reader((name) => name === 'tool_search', PLAN);
  const reads: Read<AnthropicEvent>[] = [];
  for (const event of events) reads.push(...reader.read(event));
  reads.push(...reader.end());
  return reads.map((read) => ('part' in read ? `${read.kind} ${read.part.type}` : read));
}

function readBlocks(blocks: readonly ScriptedBlock[], reason: string): readonly unknown[] {
  const all = readAll(scriptMessage(blocks, reason));
  return all.filter((read) => typeof read !== 'string');
}

/** A search that the host shows as run by itself; `answered` where its result follows. */
function hostedSearch(index: number, answered: boolean, json: string): readonly AnthropicEvent[] {
  const name = 'tool_search_tool_bm25';
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name, input: {} };
  const result = {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'tool_search_tool_search_result', tool_references: [] },
  };
  return [
    { type: 'content_block_start', index, content_block: use },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
    { type: 'content_block_stop', index },
    ...(answered
      ? ([
          { type: 'content_block_start', index: index + 1, content_block: result },
          { type: 'content_block_stop', index: index + 1 },
        ] as const)
      : []),
  ];
}

/** A program that the host runs, beside a call of the client's; `caller` is what the call says of where it comes from. */
function readProgram(caller: object): readonly unknown[] {
  const plan = createToolbox({ tools: [DEFERRED] }).plan();
  const reader = anthropicWire.reader((name) => name === 'tool_search', plan);
  const program = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'roll()' } };
  const use = { type: 'tool_use', id: 'toolu_1', name: 'roll', input: {}, caller };
  const events: readonly AnthropicEvent[] = [
    { type: 'content_block_start', index: 0, content_block: program },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: use },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ];
  return [...events.flatMap((event) => reader.read(event)), ...reader.end()].flatMap((read) => {
    if (read.kind === 'held') return [`held ${read.call.name}`];
    return read.kind === 'forward' && read.part.type === 'content_block_start' ? [read.part.content_block.type] : [];
  });
}

function readSearch(answered: boolean, stop_reason: string, json = '{"query":"x"}'): readonly unknown[] {
  const plan = createToolbox({ tools: [DEFERRED] }).plan();
  const reader = anthropicWire.reader((name) => name === 'tool_search', plan);
  const events: readonly AnthropicEvent[] = [
    ...hostedSearch(0, answered, json),
    { type: 'message_delta', delta: { stop_reason }, usage: {} },
  ];
  const reads = [...events.flatMap((event) => reader.read(event)), ...reader.end()];
  return reads.map((read) => ('part' in read ? `${read.kind} ${read.part.type}` : read));
}

const DEFERRED = { name: 'get_weather', input_schema: { type: 'object' }, defer_loading: true };

describe('a search that the host shows as its own', () => {
  it('is passed on with its result', () => {
    expect(readSearch(true, 'end_turn')).toEqual([
      'forward content_block_start',
      'forward content_block_delta',
      'forward content_block_stop',
      'forward content_block_start',
      'forward content_block_stop',
      'close message_delta',
    ]);
  });

  it('is held and answered if no result follows', () => {
    expect(readSearch(false, 'end_turn')).toEqual([
      'close message_delta',
      { kind: 'held', call: { id: 'srvtoolu_1', name: 'tool_search', arguments: { query: 'x' } } },
    ]);
  });

  it('is passed on if the host pauses before its result', () => {
    expect(readSearch(false, 'pause_turn')).toContain('forward content_block_start');
  });

  it('is dropped if the token limit cuts it', () => {
    expect(readSearch(false, 'max_tokens', '{"query":"we')).toEqual([
      'close message_delta',
      { kind: 'cut', name: 'tool_search' },
    ]);
  });
});

describe('the reader', () => {
  it('forwards what is the client’s and keeps the closing back', () => {
    expect(readAll(scriptMessage([text('Hi')], 'end_turn'))).toEqual([
      'forward message_start',
      'forward ping',
      'forward content_block_start',
      'forward content_block_delta',
      'forward content_block_stop',
      'close message_delta',
    ]);
  });

  it('holds our calls, and says which of the others pass', () => {
    const blocks = [call('c1', 'get_weather', { place: 'Oslo' }), call('c2', 'tool_search', { query: 'x' })];
    expect(readBlocks(blocks, 'tool_use')).toEqual([
      { kind: 'passed', name: 'get_weather' },
      { kind: 'held', call: { id: 'c2', name: 'tool_search', arguments: { query: 'x' } } },
    ]);
  });

  it.each(['max_tokens', 'model_context_window_exceeded', 'refusal'])(
    'drops a held call that was cut by %s, even before its first character',
    (reason) => {
      for (const json of ['', '{', '{"query": "wea']) {
        const cut: ScriptedBlock = { kind: 'call', id: 'c1', name: 'tool_search', json };
        expect(readBlocks([cut], reason)).toEqual([{ kind: 'cut', name: 'tool_search' }]);
      }
    },
  );

  it('drops a held call that the token limit has cut in a whole message, which has lost its arguments', () => {
    const block = { type: 'tool_use', id: 'c1', name: 'tool_search', input: {} };
    const read = (stop_reason: string) =>
      readAll(anthropicWhole.toParts({ content: [block], stop_reason })).filter((one) => typeof one !== 'string');
    expect(read('max_tokens')).toEqual([{ kind: 'cut', name: 'tool_search' }]);
    expect(read('tool_use')).toMatchObject([{ kind: 'held', call: { arguments: {} } }]);
  });

  it('keeps a held call that was complete before the token limit was met', () => {
    expect(readBlocks([call('c1', 'tool_search', { query: 'x' }), text('And')], 'max_tokens')).toMatchObject([
      { kind: 'held' },
    ]);
  });

  it('counts only the last call as cut: the model went on after the others', () => {
    const odd: ScriptedBlock = { kind: 'call', id: 'c1', name: 'tool_search', json: '' };
    const cut: ScriptedBlock = { kind: 'call', id: 'c2', name: 'tool_search', json: '{"query": "iss' };
    expect(readBlocks([odd, cut], 'max_tokens')).toMatchObject([
      { kind: 'held', call: { id: 'c1', arguments: {} } },
      { kind: 'cut', name: 'tool_search' },
    ]);
  });

  it('returns arguments that are not JSON unchanged if nothing was cut', () => {
    const odd: ScriptedBlock = { kind: 'call', id: 'c1', name: 'tool_search', json: 'weather in Oslo' };
    expect(readBlocks([odd], 'tool_use')).toEqual([
      { kind: 'held', call: { id: 'c1', name: 'tool_search', arguments: 'weather in Oslo' } },
    ]);
    expect(readBlocks([{ ...odd, json: '' }], 'tool_use')).toMatchObject([{ call: { arguments: {} } }]);
  });

  it('accepts arguments at the start of the block', () => {
    const block = { type: 'tool_use', id: 'c1', name: 'tool_search', input: { query: 'x' } };
    expect(
      readAll([
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_stop', index: 0 },
      ]),
    ).toEqual([{ kind: 'held', call: { id: 'c1', name: 'tool_search', arguments: { query: 'x' } } }]);
  });

  it.each(['{"t":', ['x']])(
    'does not take %j for no arguments, where that comes with the start of the block',
    (input) => {
      const block = { type: 'tool_use', id: 'c1', name: 'tool_search', input };
      const events: readonly AnthropicEvent[] = [
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      ];
      expect(readAll(events)).toContainEqual({
        kind: 'held',
        call: { id: 'c1', name: 'tool_search', arguments: input },
      });
    },
  );

  it('counts a stream that ends inside a held call as cut', () => {
    const events = scriptMessage([call('c1', 'tool_search', { query: 'x' })], 'tool_use').slice(0, -3);
    expect(readAll(events).at(-1)).toEqual({ kind: 'cut', name: 'tool_search' });
  });

  it('throws an error event with its body', () => {
    const error = { type: 'overloaded_error', message: 'Busy' };
    const read = () => readAll([{ type: 'error', error }]);
    expect(read).toThrow(UpstreamEventError);
    expect(read).toThrow(expect.objectContaining({ code: 'refused', body: error }));
  });

  it('forwards events of types that are not known here', () => {
    expect(readAll([{ type: 'some_new_event' } as never])).toEqual(['forward some_new_event']);
  });
});

describe('a server tool that the request does not declare', () => {
  it("is the host's own where a call comes from it, and made up otherwise", () => {
    expect(readProgram({ type: 'code_execution_20250825', tool_id: 'srvtoolu_1' })).toEqual([
      'server_tool_use',
      'tool_use',
    ]);
    expect(readProgram({ type: 'direct' })).toEqual(['held code_execution', 'tool_use']);
  });

  it('belongs to the host if it has a result, and so does what it has called itself', () => {
    const plan = createToolbox({ tools: [DEFERRED] }).plan();
    const reader = anthropicWire.reader(() => false, plan);
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
    const blocks = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} },
      { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_fetch', input: {}, caller },
      { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_2', content: [], caller },
      { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ];
    const reads = blocks.flatMap((block, index) => [
      ...reader.read({ type: 'content_block_start', index, content_block: block }),
      ...reader.read({ type: 'content_block_stop', index }),
    ]);
    expect([...reads, ...reader.end()].map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => 'forward'));
  });
});
