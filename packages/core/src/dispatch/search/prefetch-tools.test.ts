import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, FORMS, type Form, type Memory } from '../../disclosure/index.ts';
import { sampleSnapshot, sampleTool } from '../../disclosure/sample-tools.fixture.ts';
import { boxWith } from '../call-context.fixture.ts';
import type { Toolbox } from '../toolbox.ts';

/** Five tools that fit "issue": about 545, 145, 1,545, 145 and 145 tokens, found in this order. */
const LENGTHS = [2_000, 400, 6_000, 400, 400];
const TOOLS = LENGTHS.map((length, index) =>
  sampleTool({ name: `issue_${index}`, description: `Issue. ${'x'.repeat(length)}` }),
);

function box(loadTokens?: number): Toolbox {
  return boxWith({ tools: sampleSnapshot(TOOLS), ...(loadTokens === undefined ? {} : { budget: { loadTokens } }) });
}

async function found(toolbox: Toolbox, form: Form, memory: Memory = EMPTY_MEMORY): Promise<unknown> {
  const call = { id: 'c1', name: 'tool_search', arguments: { query: 'issue', limit: 20 } };
  const step = await toolbox.handle({ plan: toolbox.plan(undefined, { form }), call, memory });
  return step.kind === 'answer' && step.found?.kind === 'search' && step.found.names;
}

const ALL = ['issue_0', 'issue_1', 'issue_2', 'issue_3', 'issue_4'];

describe('what a search loads', () => {
  it.each(['load', 'native'] as const)('in the form %s is the best, and others while they fit', async (form) => {
    expect(await found(box(700), FORMS[form])).toEqual(['issue_0', 'issue_1']);
    expect(await found(box(850), FORMS[form])).toEqual(['issue_0', 'issue_1', 'issue_3']);
    expect(await found(box(1), FORMS[form])).toEqual(['issue_0']);
    expect(await found(box(10_000), FORMS[form])).toEqual(ALL);
  });

  it('is about 2,000 tokens unless set', async () => {
    expect(await found(box(), FORMS.load)).toEqual(['issue_0', 'issue_1', 'issue_3', 'issue_4']);
  });

  it.each(['stub', 'bridge'] as const)('is not the concern of the form %s, which tells', async (form) => {
    expect(await found(box(1), FORMS[form])).toEqual(ALL);
  });

  it('counts a tool that was loaded before only if it would be sent again', async () => {
    const memory = { ...EMPTY_MEMORY, revealed: ['issue_0', 'issue_2'] };
    expect(await found(box(200), FORMS.load, memory)).toEqual(['issue_0', 'issue_1', 'issue_2']);
    expect(await found(box(200), FORMS.native, memory)).toEqual(['issue_0']);
  });

  it('holds for a prefetch too', async () => {
    const toolbox = box(1);
    const prefetch = (form: Form) => toolbox.prefetch({ plan: toolbox.plan(undefined, { form }), text: 'issue' });
    expect(await prefetch(FORMS.load)).toEqual({ names: ['issue_0'] });
    expect(await prefetch(FORMS.bridge)).toEqual({ names: ['issue_0', 'issue_1', 'issue_2'] });
  });
});
