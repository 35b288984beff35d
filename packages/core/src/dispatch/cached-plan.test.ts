import { describe, expect, it } from 'vitest';
import { createSnapshot, type Snapshot } from '../catalog/index.ts';
import { EMPTY_MEMORY, FORMS, type FormName, type Plan } from '../disclosure/index.ts';
import { manyTools, sampleSnapshot, sampleTool, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import { DEFAULT_GATE_SETTINGS, type GateSettings } from '../gate/index.ts';
import type { Searcher } from '../search/index.ts';
import { runToEnd } from '../slices.ts';
import { wordSearcher } from '../testing/index.ts';
import { boxWith } from './call-context.fixture.ts';
import { createToolbox } from './create-toolbox.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

const ON: GateSettings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } };
const OFF: GateSettings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'off' } };

describe('a plan', () => {
  it('is the same value for the same catalog and settings, and another for others', () => {
    const toolbox = boxWith();
    expect(toolbox.plan()).toBe(toolbox.plan());
    expect(toolbox.plan(undefined, { form: FORMS.stub })).not.toBe(toolbox.plan());
    expect(toolbox.plan(undefined, { caller: { allow: () => true } })).not.toBe(toolbox.plan());
    const tools = sampleSnapshot();
    const stubs = (options: Partial<ToolboxOptions>): Plan => boxWith({ tools, form: 'stub', ...options }).plan();
    expect(stubs({ stubDescriptionLength: 280 })).toBe(stubs({}));
    expect(stubs({ stubDescriptionLength: 20 })).not.toBe(stubs({}));
    expect(stubs({ stubDescriptionLength: Number.POSITIVE_INFINITY })).not.toBe(stubs({}));
  });

  it('is made in steps that each look at a few hundred tools, and is the same as at once', () => {
    let looks = 0;
    const allow = (): boolean => {
      looks += 1;
      return true;
    };
    const countTokens = (): number => {
      looks += 1;
      return 1;
    };
    const tools = createSnapshot(manyTools(5_000));
    for (const [form, settings] of Object.keys(FORMS).flatMap((name) => [
      [name as FormName, ON] as const,
      [name as FormName, OFF] as const,
    ])) {
      const toolbox = boxWith({ tools, form, settings, countTokens, listingTokens: 50 });
      const caller = { allow };
      const steps = toolbox.planInSteps(undefined, { caller });
      let most = 0;
      let made: Plan | undefined;
      while (made === undefined) {
        looks = 0;
        const step = steps.next();
        most = Math.max(most, looks);
        if (step.done === true) made = step.value;
      }
      expect(most, form).toBeLessThanOrEqual(512);
      expect(toolbox.plan(undefined, { caller })).toBe(made);
    }
  });

  it('is one value for two that make it at the same time', () => {
    const toolbox = boxWith({ tools: createSnapshot(manyTools(1_000)), settings: ON });
    const [first, second] = [toolbox.planInSteps(), toolbox.planInSteps()];
    expect(first.next().done).toBe(false);
    expect(second.next().done).toBe(false);
    expect(runToEnd(first)).toBe(runToEnd(second));
  });

  it('is refused for an option that does not exist, also after one without it was made', () => {
    const toolbox = boxWith();
    toolbox.plan();
    const options: object = { frm: 'load' };
    expect(() => toolbox.plan(undefined, options)).toThrow('frm');
    expect(() => toolbox.plan(undefined, options)).toThrow('frm');
  });

  it('is kept for each of two hundred keys with pins of their own, the one asked for latest longest', () => {
    const toolbox = boxWith();
    const planFor = (key: number): Plan => toolbox.plan(undefined, { pins: [`key-${key}`] });
    const first = planFor(0);
    for (let key = 1; key < 200; key += 1) planFor(key);
    expect(planFor(0)).toBe(first);
    for (let key = 200; key < 400; key += 1) planFor(key);
    expect(planFor(0)).toBe(first);
  });

  it('declares the tools that are pinned for it, in addition to those of the settings', () => {
    const pinning = boxWith({
      settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['github/create_*'] },
    });
    const declared = (pins: readonly string[]): readonly string[] =>
      pinning.plan(undefined, { pins }).definitions.map(({ name }) => name);
    expect(declared([])).toContain('github__create_issue');
    expect(declared([])).not.toContain('slack__send_message');
    expect(declared(['slack/send_message'])).toEqual(
      expect.arrayContaining(['github__create_issue', 'slack__send_message']),
    );
  });

  it('is shared by toolboxes over one snapshot, whatever they execute', () => {
    const tools = sampleSnapshot();
    expect(boxWith({ tools, execute: () => 1 }).plan()).toBe(boxWith({ tools, execute: () => 2 }).plan());
  });

  it('of a large catalog is evicted by later ones, and the toolbox reports what is kept', () => {
    const tools = Array.from({ length: 4_000 }, (_, at) => sampleTool({ name: `tool_${at}` }));
    const toolbox = boxWith({
      tools: createSnapshot(tools),
      settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'off' } },
    });
    const planFor = (): Plan => toolbox.plan(undefined, { caller: { allow: () => true } });
    planFor();
    const one = toolbox.byteLength();
    expect(one).toBeGreaterThan(4_000 * 100);
    for (let caller = 0; caller < 30; caller += 1) planFor();
    expect(toolbox.byteLength()).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(toolbox.byteLength()).toBeGreaterThan(one * 4);
  });

  it('asks for a pattern if the search is by regular expression, also over a shared snapshot', () => {
    const tools = sampleSnapshot();
    const toolbox = boxWith({ tools });
    const plans = [
      toolbox.plan(),
      toolbox.plan(undefined, { engine: 'regex' }),
      boxWith({ tools, engine: 'regex' }).plan(),
      boxWith({ tools, engine: 'regex' }).plan(undefined, { engine: 'text' }),
    ];
    const asked = plans.map(
      (plan) => plan.kind === 'defer' && [plan.engine, Object.keys(plan.own[0]?.schema.properties ?? {})[0]],
    );
    expect(asked).toEqual([
      ['text', 'query'],
      ['regex', 'pattern'],
      ['regex', 'pattern'],
      ['text', 'query'],
    ]);
    expect(plans[1]).toBe(plans[2]);
    expect(plans[0]).toBe(plans[3]);
  });

  it('costs no searcher: one is made for the first search, and once for a snapshot', async () => {
    let made = 0;
    const searcher = (snapshot: Snapshot): Searcher => {
      made += 1;
      return wordSearcher(snapshot);
    };
    const tools = sampleSnapshot();
    boxWith({ tools, searcher }).plan();
    expect(made).toBe(0);
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'issue' } };
    for (let count = 0; count < 3; count += 1) {
      const toolbox = boxWith({ tools, searcher });
      await toolbox.handle({ plan: toolbox.plan(), call, memory: EMPTY_MEMORY });
    }
    expect(made).toBe(1);
  });

  it('follows the catalog from request to request', async () => {
    let tools = sampleSnapshot();
    const toolbox = boxWith({ tools: () => tools });
    const plan = toolbox.plan();
    tools = sampleSnapshot([...sampleTools(), sampleTool({ name: 'list_pages', server: 'notion' })]);
    expect(toolbox.plan()).not.toBe(plan);
    const call = { id: 'c1', name: 'tool_search', arguments: { query: 'pages' } };
    const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY });
    expect(step).toMatchObject({ found: { names: ['notion__list_pages'] } });
    expect(toolbox.view(plan, EMPTY_MEMORY).tail).toContain('notion (1)');
  });

  it('is inline below the threshold, by default 10% of the context window', () => {
    const toolbox = createToolbox({ tools: sampleTools(), searcher: wordSearcher });
    expect(toolbox.plan().kind).toBe('inline');
    expect(toolbox.plan({ contextTokens: 500, source: 'override' }).kind).toBe('defer');
  });

  it('includes a search for nothing if requested, unless search is off', () => {
    const ask = { searchWhenEmpty: true };
    expect(boxWith({ tools: [] }).plan().kind).toBe('inline');
    expect(boxWith({ tools: [] }).plan(undefined, ask)).toMatchObject({
      kind: 'defer',
      own: [{ name: 'tool_search' }, { name: 'tool_describe' }, { name: 'tool_call' }],
    });
    expect(boxWith().plan(undefined, { ...ask, caller: { allow: () => false } }).kind).toBe('defer');
    const off = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'off' as const } };
    expect(boxWith({ tools: [], settings: off }).plan(undefined, ask).kind).toBe('inline');
    const below = createToolbox({ tools: sampleTools(), searcher: wordSearcher });
    expect(below.plan(undefined, ask).kind).toBe('inline');
  });

  it("reads definitions in any known format, and refuses one that can't be read", () => {
    const tools = [{ type: 'function', function: { name: 'a', description: 'x', parameters: { type: 'object' } } }];
    expect(
      createToolbox({ tools, searcher: wordSearcher })
        .snapshot()
        .tools.map((tool) => tool.name),
    ).toEqual(['a']);
    expect(() => createToolbox({ tools: [{ nonsense: 1 }], searcher: wordSearcher })).toThrow();
  });
});
