import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY } from '../../disclosure/index.ts';
import { sampleSnapshot } from '../../disclosure/sample-tools.fixture.ts';
import { wordSearcher } from '../../testing/index.ts';
import { createToolbox } from '../create-toolbox.ts';
import type { ToolboxEvent } from '../events.ts';
import type { Answered } from '../toolbox.ts';
import type { ToolboxOptions } from '../toolbox-options.ts';
import { type Hooks, toFailure, toOutcome } from './execute-call.ts';

interface Run {
  readonly answered: Answered;
  readonly executed: readonly string[];
  readonly events: readonly ToolboxEvent[];
}

const WRAPPED = { name: 'create_issue', arguments: { text: 'x' } };

async function run(options: Partial<ToolboxOptions>, input: unknown = WRAPPED, name = 'tool_call'): Promise<Run> {
  const executed: string[] = [];
  const events: ToolboxEvent[] = [];
  const toolbox = createToolbox({
    tools: sampleSnapshot(),
    searcher: wordSearcher,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
    execute: (call) => {
      executed.push(`${call.tool.id} ${JSON.stringify(call.arguments)}`);
      return 'done';
    },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const answered = await toolbox.answer({
    plan: toolbox.plan(),
    call: { id: 'c1', name, arguments: input },
    memory: EMPTY_MEMORY,
  });
  return { answered, executed, events };
}

describe('executing', () => {
  it('shows hooks the real tool and its arguments, wrapped or direct, alone or side by side', async () => {
    const seen: string[] = [];
    const hooks: Hooks = {
      beforeCall: (call) => {
        seen.push(`before ${call.tool.id} ${JSON.stringify(call.arguments)}`);
        return undefined;
      },
      approve: (call) => {
        seen.push(`approve ${call.name}`);
        return true;
      },
      afterCall: (call, outcome) => {
        seen.push(`after ${call.tool.id} ${outcome.text}`);
        return undefined;
      },
    };
    await run({ hooks });
    const wrapped = seen.splice(0);
    expect(wrapped).toEqual([
      'before github/create_issue {"text":"x"}',
      'approve github__create_issue',
      'after github/create_issue done',
    ]);
    await run({ hooks }, { text: 'x' }, 'github__create_issue');
    expect(seen.splice(0)).toEqual(wrapped);
    await run({ hooks }, { calls: [WRAPPED, { name: 'send_message' }] });
    expect(seen.join()).not.toContain('tool_call');
    expect(seen.filter((line) => line.startsWith('before'))).toHaveLength(2);
  });

  it.each<[string, Hooks, string, string]>([
    ['a denial', { beforeCall: () => ({ kind: 'deny', reason: 'Not on Fridays' }) }, 'Not on Fridays', 'hook'],
    [
      'a hook that fails',
      { beforeCall: () => Promise.reject(new Error('password=1')) },
      'a check before the call failed',
      'hook',
    ],
    ['a missing approval', { approve: () => false }, 'was not approved', 'approval'],
    ['a denied approval', { approve: async () => ({ kind: 'deny', reason: 'Ask Bob' }) }, 'Ask Bob', 'approval'],
    [
      'an approval that fails',
      { approve: () => Promise.reject(new Error('password=1')) },
      'could not be approved',
      'approval',
    ],
  ])('%s refuses the call', async (_, hooks, text, reason) => {
    const { answered, executed, events } = await run({ hooks });
    expect(executed).toEqual([]);
    expect(answered).toMatchObject({ isError: true, text: expect.stringContaining(text) });
    expect(answered.text).not.toContain('password');
    expect(events.at(-1)).toMatchObject({ kind: 'tool-call-refuse', reason, tool: 'github/create_issue' });
  });

  it('a hook may change the arguments, which are checked again', async () => {
    const hooks: Hooks = { beforeCall: () => ({ kind: 'change', arguments: { text: 'changed' } }) };
    expect((await run({ hooks })).executed).toEqual(['github/create_issue {"text":"changed"}']);
    const checkArguments: NonNullable<ToolboxOptions['checkArguments']> = (_, input) =>
      input.text === 'changed'
        ? { kind: 'wrong', problems: [{ path: '/text', message: 'must be x' }] }
        : { kind: 'good' };
    const refused = await run({ hooks, checkArguments });
    expect(refused.executed).toEqual([]);
    expect(refused.answered.text).toContain('must be x');
  });

  it('afterCall may replace the outcome, and hides it when it fails', async () => {
    const replaced = await run({ hooks: { afterCall: (_, outcome) => ({ ...outcome, text: 'redacted' }) } });
    expect(replaced.answered.text).toBe('redacted');
    const failed = await run({
      execute: () => 'password=1',
      hooks: { afterCall: () => Promise.reject(new Error('x')) },
    });
    expect(failed.answered).toMatchObject({
      isError: true,
      text: 'github__create_issue was called, but a check of its result failed.',
    });
  });

  it.each<[string, unknown, { text: string; isError: boolean }]>([
    ['a text', 'plain', { text: 'plain', isError: false }],
    ['a value', { a: 1 }, { text: '{"a":1}', isError: false }],
    ['nothing', undefined, { text: '', isError: false }],
    [
      'an MCP result',
      { content: [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }] },
      { text: 'one\ntwo', isError: false },
    ],
    ['an MCP error', { content: [{ type: 'text', text: 'no' }], isError: true }, { text: 'no', isError: true }],
    ["what JSON can't hold", 10n, { text: '10', isError: false }],
  ])('tells %s', async (_, value, outcome) => {
    const { answered } = await run({ execute: () => value });
    expect(answered).toMatchObject(outcome);
    expect(answered.outcomes[0]?.value).toBe(value);
  });

  it.each<[unknown, string]>([
    [new Error('disk full'), 'disk full'],
    ['just text', 'just text'],
    [new Error(''), 'The tool failed'],
    [new Error('x'.repeat(10_000)), `${'x'.repeat(1_999)}…`],
  ])('a tool that throws has answered with an error', async (error, text) => {
    const { answered, events } = await run({
      execute: () => {
        throw error;
      },
    });
    expect(answered).toMatchObject({ isError: true, text });
    expect(events.at(-1)).toMatchObject({ kind: 'tool-call-end', isError: true });
  });

  it('says so when nothing executes', async () => {
    const toolbox = createToolbox({ tools: sampleSnapshot(), searcher: wordSearcher });
    const call = { id: 'c', name: 'read_file', arguments: {} };
    const answered = await toolbox.answer({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(answered).toMatchObject({ isError: true, text: "read_file can't be executed here." });
  });

  it('answers several calls together, each with its result or its error, and remembers them', async () => {
    const { answered } = await run(
      {
        execute: (call) => {
          if (call.tool.name === 'send_message') throw new Error('no channel');
          return 'done';
        },
      },
      { calls: [WRAPPED, { name: 'send_message' }] },
    );
    expect(JSON.parse(answered.text)).toEqual({
      results: [
        { name: 'github__create_issue', result: 'done' },
        { name: 'slack__send_message', error: 'no channel' },
      ],
    });
    expect(answered.isError).toBe(false);
    expect(answered.memory.called).toEqual(['github__create_issue', 'slack__send_message']);
  });

  it('throws the reason of an aborted signal instead of running', async () => {
    const toolbox = createToolbox({ tools: sampleSnapshot(), searcher: wordSearcher, execute: () => 'done' });
    const [tool] = sampleSnapshot().tools;
    if (tool === undefined) throw new Error('The sample has no tool');
    const call = { id: 'c', tool, name: 'read_file', arguments: {} };
    await expect(toolbox.execute(call, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

describe("a loop of one's own", () => {
  it('searches, describes and calls with the memory passed along', async () => {
    const toolbox = createToolbox({
      tools: sampleSnapshot(),
      searcher: wordSearcher,
      settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
      execute: (call) => `ran ${call.name}`,
    });
    const plan = toolbox.plan();
    let memory = EMPTY_MEMORY;
    const texts: string[] = [];
    for (const [name, input] of [
      ['tool_search', { query: 'opens' }],
      ['tool_describe', { name: 'github__create_issue' }],
      ['tool_call', { name: 'github__create_issue', arguments: { text: 'x' } }],
    ] as const) {
      const answered = await toolbox.answer({ plan, call: { id: name, name, arguments: input }, memory });
      memory = answered.memory;
      texts.push(answered.text);
    }
    expect(texts.at(-1)).toBe('ran github__create_issue');
    expect(memory).toEqual({
      revealed: ['github__create_issue'],
      called: ['github__create_issue'],
      known: ['github__create_issue'],
      moves: 1,
      searches: [{ query: 'opens', found: 1, movesBefore: 0, limit: 5 }],
    });
  });
});

const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

describe('what a tool returned, for the model', () => {
  it.each([
    ['a string', 'done', 'done'],
    ['nothing', undefined, ''],
    ['an object', { a: 1 }, '{"a":1}'],
    ['an MCP result', { content: [text('a'), { type: 'image', data: 'x' }, text('b')] }, 'a\nb'],
    ['structured content beside a text', { content: [text('a')], structuredContent: { b: 1 } }, 'a'],
    ['structured content and an empty text', { content: [text('')], structuredContent: { b: 1 } }, '{"b":1}'],
    ['structured content alone', { content: [], structuredContent: [1] }, '[1]'],
    ['an empty text', { content: [text('')] }, ''],
    ['something that JSON can’t hold', cycle, '[object Object]'],
  ])('is the text of %s', (_what, value, expected) => {
    expect(toOutcome(value)).toEqual({ text: expected, value, isError: false });
  });

  it('is an error if an MCP result says so', () => {
    expect(toOutcome({ content: [text('no')], isError: true })).toMatchObject({ text: 'no', isError: true });
  });
});

describe('a tool that throws', () => {
  it.each([
    [new Error('no such file'), 'no such file'],
    [new Error(''), 'The tool failed'],
    ['a string', 'a string'],
  ])('has answered %s', (error, expected) => {
    expect(toFailure(error)).toEqual({ text: expected, isError: true });
  });
});
