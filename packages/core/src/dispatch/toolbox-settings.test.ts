import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, FORMS, type Form } from '../disclosure/index.ts';
import { DEFAULT_GATE_SETTINGS } from '../gate/index.ts';
import { createToolbox } from './create-toolbox.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

const tools = [{ name: 'ping', inputSchema: { type: 'object' } }];
const SHAPE = 'allowed: { rule, search, pins }';

describe('a toolbox with a setting that is not allowed', () => {
  it.each([
    ['a form', { form: 'bridg' }, 'form is "bridg"; allowed: stub, bridge, load, native, hosted, client'],
    ['an engine', { engine: 'bm25' }, 'engine is "bm25"; allowed: text, regex'],
    ['settings as a text', { settings: 'auto' }, SHAPE],
    ['settings without limits', { settings: { rule: { kind: 'on' } } }, SHAPE],
    [
      'a rule',
      { settings: { rule: { kind: 'always' }, search: {}, pins: [] } },
      'settings.rule.kind is "always"; allowed: off, on, share, count',
    ],
    [
      'a comparison',
      { settings: { rule: { kind: 'share', percent: 5, comparison: 'more' }, search: {}, pins: [] } },
      'allowed: exceeds, at-least',
    ],
    [
      'an option',
      { forms: 'load' },
      'createToolbox: unknown option "forms"; allowed: budget, checkArguments, countTokens',
    ],
    ['a limit of the guard', { guard: { repeats: 1 } }, 'guard: unknown option "repeats"; allowed: fruitlessHint'],
    [
      'a mode of the guard',
      { guard: { mode: 'never' } },
      'guard.mode is "never"; allowed: stop, stop-repeats, hint, off',
    ],
    ['a budget', { budget: { bytes: 1 } }, 'budget: unknown option "bytes"; allowed: describeBytes, loadTokens'],
    ['a hook', { hooks: { before: () => undefined } }, 'hooks: unknown option "before"; allowed: afterCall, approve'],
    [
      'a setting',
      { settings: { rule: { kind: 'on' }, search: {}, pins: [], policy: {} } },
      'settings: unknown option "policy"; allowed: pins, rule, search',
    ],
    [
      'a limit of searches',
      { settings: { rule: { kind: 'on' }, search: { limit: 5 }, pins: [] } },
      'settings.search: unknown option "limit"; allowed: defaultLimit, maxLimit',
    ],
  ])('%s is refused at once, with all that is allowed', (_what, options, message) => {
    expect(() => createToolbox({ tools, ...options } as unknown as ToolboxOptions)).toThrow(message);
  });

  it('no options, or a list of tools in their place, say what is expected', () => {
    expect(() => createToolbox(undefined as never)).toThrow('createToolbox: options are undefined; expected an object');
    expect(() => createToolbox(tools as never)).toThrow('expected an object with some of: budget');
  });

  it('an option without a value is ignored', () => {
    expect(() => createToolbox({ tools, forms: undefined } as ToolboxOptions)).not.toThrow();
  });

  it('a plan accepts a form by name or by its four choices, and no other', () => {
    const settings = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;
    const toolbox = createToolbox({ tools, settings });
    const form: Form = { ...FORMS.native, hidden: 'mark' };
    expect(toolbox.plan(undefined, { form: 'load' })).toMatchObject({ form: FORMS.load });
    expect(toolbox.plan(undefined, { form })).toMatchObject({ form });
    expect(() => toolbox.plan(undefined, { engine: 'bm25' as 'text' })).toThrow(
      'engine is "bm25"; allowed: text, regex',
    );
    expect(() => toolbox.plan(undefined, { form: 'lode' as 'load' })).toThrow('form is "lode"; allowed: stub, bridge');
    expect(() => toolbox.plan(undefined, { form: { ...form, reveal: 'tell' } as never })).toThrow(
      'form.reveal is "tell"; allowed: answer, append, native',
    );
    expect(() => createToolbox({ tools, form: { ...form, reveals: 'answer' } as never })).toThrow(
      'form: unknown option "reveals"; allowed: hidden, invoke, reveal, search',
    );
  });

  it.each([{}, new Map(), new Date(0), { ping: tools[0] }])('tools that are %o get a sentence', (wrong) => {
    expect(() => createToolbox({ tools: wrong as never })).toThrow(
      'tools is an object that is no snapshot; give a list of definitions, a snapshot, or a function that returns one',
    );
  });

  it.each([undefined, null, 5])('a list with %j in it gets a sentence', (wrong) => {
    expect(() => createToolbox({ tools: [wrong, tools[0]] as never })).toThrow(
      `Tool 0 can't be read: it is ${wrong}, not an object`,
    );
  });

  it('a plan refuses options that it does not have', () => {
    const toolbox = createToolbox({ tools });
    expect(() => toolbox.plan(undefined, { froms: 'load' } as never)).toThrow(
      'toolbox.plan: unknown option "froms"; allowed: caller, describe',
    );
    expect(() => toolbox.plan(undefined, {})).not.toThrow();
  });

  it('a call without a name is refused, not thrown', async () => {
    const toolbox = createToolbox({ tools, settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } } });
    for (const name of [undefined, null, 5]) {
      const call = { id: '1', name: name as never, arguments: {} };
      const answered = await toolbox.answer({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
      expect(answered).toMatchObject({ isError: true, text: 'There is no tool "". Use tool_search to find tools.' });
    }
  });

  it.each([undefined, null, 5, [], {}])(
    'a function that returns %j in place of a snapshot gets a sentence',
    (returned) => {
      const toolbox = createToolbox({ tools: () => returned as never });
      expect(() => toolbox.plan()).toThrow(/^the function tools returned .*; it has to return a snapshot$/);
    },
  );

  it('arguments that JSON can’t express are refused, not thrown', async () => {
    const toolbox = createToolbox({
      tools,
      form: 'bridge',
      settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } },
    });
    const call = { id: '1', name: 'tool_call', arguments: { name: 'a', arguments: { count: 1n } } };
    const answered = await toolbox.answer({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(answered).toMatchObject({ isError: true, text: 'The arguments of tool_call are not a JSON object' });
  });
});
