import { describe, expect, it } from 'vitest';
import type { Tool } from '../catalog/index.ts';
import { EMPTY_MEMORY, FORMS, type Memory, remember, withoutSearch } from '../disclosure/index.ts';
import { sampleSnapshot, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import type { GateSettings } from '../gate/index.ts';
import { wordSearcher } from '../testing/index.ts';
import type { Caller } from './call.ts';
import { createToolbox } from './create-toolbox.ts';

const ON: GateSettings = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };

describe('holds', () => {
  const toolbox = createToolbox({
    tools: sampleSnapshot(),
    searcher: wordSearcher,
    settings: ON,
  });
  const holds = (name: string, memory: Memory = EMPTY_MEMORY): boolean => toolbox.holds(toolbox.plan(), memory)(name);

  it.each([
    ['tool_search', true],
    ['tool_call', true],
    ['read_file', false],
    ['github__create_issue', true],
    ['Github.create_issue', true],
    ['a_tool_of_the_client', false],
  ])('a call of %s: %s', (name, isHeld) => {
    expect(holds(name)).toBe(isHeld);
  });

  it('holds what was ours before search was switched off, and nothing that a tool is called by', () => {
    const off = createToolbox({
      tools: sampleTools(),
      searcher: wordSearcher,
      settings: { ...ON, rule: { kind: 'off' } },
    });
    const plan = off.plan();
    if (plan.kind !== 'inline') throw new Error('Something is deferred');
    const held = ['tool_search', 'tool_describe', 'tool_call', 'read_file', 'a_tool_of_the_client'].filter(
      off.holds(withoutSearch(plan), EMPTY_MEMORY),
    );
    expect(held).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const own: Tool = { ...(sampleTools()[0] as Tool), id: 'own', name: 'tool_search' };
    const named = createToolbox({ tools: [own], searcher: wordSearcher, settings: { ...ON, rule: { kind: 'off' } } });
    const inline = named.plan();
    expect(inline.kind === 'inline' && named.holds(withoutSearch(inline), EMPTY_MEMORY)('tool_search')).toBe(false);
  });

  it('lets a revealed or called tool go to the client as it is', () => {
    const name = 'github__create_issue';
    expect(holds(name, remember(EMPTY_MEMORY, { kind: 'revealed', names: [name] }))).toBe(false);
    expect(holds(name, remember(EMPTY_MEMORY, { kind: 'called', name }))).toBe(false);
  });

  it.each(['github__create_issue', 'Github.create_issue', 'creat_issue'])(
    'leaves %s to the client when the caller may not use it, as if it did not exist',
    (name) => {
      const caller: Caller = { allow: (tool) => tool.server !== 'github' };
      expect(toolbox.holds(toolbox.plan(undefined, { caller }), EMPTY_MEMORY, { caller })(name)).toBe(false);
    },
  );

  it('holds a call to a tool that came after the plan was made', () => {
    let tools: readonly Tool[] = sampleTools().filter((tool) => tool.server !== 'github');
    const live = createToolbox({ tools: () => sampleSnapshot(tools), searcher: wordSearcher, settings: ON });
    const plan = live.plan();
    tools = sampleTools();
    expect(live.holds(plan, EMPTY_MEMORY)('github__create_issue')).toBe(true);
  });

  it('holds nothing where the provider searches, or nothing is deferred', () => {
    expect(toolbox.holds(toolbox.plan(undefined, { form: FORMS.hosted }), EMPTY_MEMORY)('github__create_issue')).toBe(
      false,
    );
    const inline = createToolbox({ tools: sampleSnapshot(), searcher: wordSearcher });
    expect(inline.holds(inline.plan(), EMPTY_MEMORY)('tool_search')).toBe(false);
  });
});
