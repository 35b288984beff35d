import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, type Policy, type Tool } from '../catalog/index.ts';
import { definitions, EMPTY_MEMORY, FORMS, type Memory, remember, withoutSearch } from '../disclosure/index.ts';
import { sampleSnapshot, sampleTool, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import type { GateRule, GateSettings } from '../gate/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { boxWith } from './call-context.fixture.ts';
import { createToolbox } from './create-toolbox.ts';
import type { Caller } from './toolbox.ts';

const policy = fc.constantFrom<Policy>('never', 'automatic', 'always');
const rule = fc.constantFrom<GateRule>(
  { kind: 'on' },
  { kind: 'off' },
  { kind: 'count', tools: 3 },
  { kind: 'share', percent: 10, comparison: 'exceeds' },
);
const form = fc.constantFrom(FORMS.stub, FORMS.bridge, FORMS.load, FORMS.native, FORMS.hosted);

describe('createToolbox', () => {
  it('loses no tool: each is declared in full, or deferred and served when it is called by name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(policy, { maxLength: 8 }), rule, form, async (policies, given, shape) => {
        const tools = createSnapshot(policies.map((one, index) => sampleTool({ name: `tool_${index}`, policy: one })));
        const search = { defaultLimit: 5, maxLimit: 20 };
        const toolbox = createToolbox({
          tools,
          searcher: wordSearcher,
          settings: { rule: given, search, pins: [] },
          form: shape,
        });
        const plan = toolbox.plan();
        const full = new Set(plan.shown.filter((one) => one.as === 'full').map((one) => one.name));
        for (const tool of tools.tools) {
          const name = tools.modelName(tool);
          const isDeferred = plan.kind === 'defer' && plan.deferred.has(name);
          expect(full.has(name)).toBe(!isDeferred);
          if (tool.policy === 'never') expect(isDeferred).toBe(false);
          const call = { id: 'c', name, arguments: { text: 'x' } };
          const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY });
          expect(step).toMatchObject({ kind: 'calls', calls: [{ tool }] });
        }
      }),
    );
  });

  it('keeps nothing of a conversation: another one over the same toolbox starts from nothing', async () => {
    const toolbox = boxWith({ form: 'load' });
    const plan = toolbox.plan();
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'zzz' } };
    let memory = EMPTY_MEMORY;
    for (let count = 0; count < 6; count += 1) memory = (await toolbox.answer({ plan, call, memory })).memory;
    const stopped = await toolbox.answer({ plan, call, memory });
    const fresh = await toolbox.answer({ plan, call, memory: EMPTY_MEMORY });
    expect(stopped.text).toContain('Do not search again');
    expect(fresh.text).not.toContain('Do not search again');
    expect(definitions(toolbox.view(plan, EMPTY_MEMORY))).toBe(plan.definitions);
  });

  it('searches by BM25 by default', async () => {
    const toolbox = createToolbox({
      tools: sampleTools(),
      settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
    });
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'open an issue' } };
    const step = await toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    expect(step.kind === 'answer' && step.found?.kind === 'search' && step.found.names).toContain(
      'github__create_issue',
    );
  });

  it('says what is on, why, and what it saves', () => {
    const plan = boxWith().plan();
    expect(plan).toMatchObject({ kind: 'defer', reason: 'Tool search is on' });
    expect(plan.tokens.before).toBeGreaterThan(0);
    expect(plan.tokens.after).toBeGreaterThan(0);
  });
});

describe('a prefetch', () => {
  it('names the tools that fit what the user said', async () => {
    const toolbox = boxWith();
    const plan = toolbox.plan();
    expect(await toolbox.prefetch({ plan, text: 'Send a message to the channel' })).toEqual({
      names: expect.arrayContaining(['slack__send_message']),
    });
    expect(await toolbox.prefetch({ plan, text: 'zzz' })).toBeUndefined();
    expect(await toolbox.prefetch({ plan, text: '  ' })).toBeUndefined();
  });

  it('is not made if others search, by a pattern, or for what the caller may not use', async () => {
    const toolbox = boxWith();
    const text = 'message';
    expect(await toolbox.prefetch({ plan: toolbox.plan(undefined, { form: FORMS.hosted }), text })).toBeUndefined();
    expect(await toolbox.prefetch({ plan: toolbox.plan(), text, caller: { allow: () => false } })).toBeUndefined();
    expect(await toolbox.prefetch({ plan: toolbox.plan(undefined, { engine: 'regex' }), text })).toBeUndefined();
  });

  it('that fails costs the request nothing', async () => {
    const searcher = { ...wordSearcher(createSnapshot([])), search: () => Promise.reject(new Error('down')) };
    const toolbox = boxWith({ searcher });
    expect(await toolbox.prefetch({ plan: toolbox.plan(), text: 'message' })).toBeUndefined();
  });
});

describe('what a toolbox is made of', () => {
  it('is refused with one sentence if its type is unsupported', () => {
    expect(() => createToolbox({ tools: undefined as never })).toThrow(
      'tools is undefined; give a list of definitions',
    );
    expect(() => createToolbox({ tools: [], form: 'stubs' as never })).toThrow(
      'form is "stubs"; allowed: stub, bridge',
    );
  });

  it('answers a search whose searcher can’t be made, and throws for nothing but an aborted signal', async () => {
    const toolbox = createToolbox({
      tools: [{ name: 'send_mail', description: 'Sends a mail.', inputSchema: { type: 'object' } }],
      settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
      searcher: () => {
        throw new Error('no model file');
      },
    });
    const callContext = {
      plan: toolbox.plan(),
      call: { id: 'c1', name: 'tool_search', arguments: { query: 'mail' } },
      memory: EMPTY_MEMORY,
    };
    expect(await toolbox.answer(callContext)).toMatchObject({ isError: true });
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(toolbox.answer({ ...callContext, signal })).rejects.toThrow('gone');
  });
});

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
    expect(off.holds(withoutSearch(plan), EMPTY_MEMORY)('protocol_search')).toBe(false);
    expect(off.holds(withoutSearch(plan, ['protocol_search']), EMPTY_MEMORY)('protocol_search')).toBe(true);
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

  it('holds nothing if the provider searches or nothing is deferred', () => {
    expect(toolbox.holds(toolbox.plan(undefined, { form: FORMS.hosted }), EMPTY_MEMORY)('github__create_issue')).toBe(
      false,
    );
    const inline = createToolbox({ tools: sampleSnapshot(), searcher: wordSearcher });
    expect(inline.holds(inline.plan(), EMPTY_MEMORY)('tool_search')).toBe(false);
  });
});
