import { describe, expect, it } from 'vitest';
import { FORMS, type Form } from '../disclosure/index.ts';
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
  ])('%s is refused at once, with all that is allowed', (_what, options, message) => {
    expect(() => createToolbox({ tools, ...options } as unknown as ToolboxOptions)).toThrow(message);
  });

  it('a plan takes a form by its name, or made of the four choices, and no other', () => {
    const settings = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;
    const toolbox = createToolbox({ tools, settings });
    const form: Form = { ...FORMS.native, hidden: 'mark' };
    expect(toolbox.plan(undefined, { form: 'load' })).toMatchObject({ form: FORMS.load });
    expect(toolbox.plan(undefined, { form })).toMatchObject({ form });
    expect(() => toolbox.plan(undefined, { form: 'lode' as 'load' })).toThrow('form is "lode"; allowed: stub, bridge');
  });
});
