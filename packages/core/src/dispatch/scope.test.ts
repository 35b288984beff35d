import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../catalog/index.ts';
import { sampleTools } from '../disclosure/sample-tools.fixture.ts';
import { boxWith, handle, textOf } from './call-context.fixture.ts';
import type { Caller } from './toolbox.ts';

describe('scope', () => {
  const caller: Caller = { id: 'ann', allow: (tool) => tool.server !== 'github' };
  const without = { options: { tools: createSnapshot(sampleTools().filter((tool) => tool.server !== 'github')) } };

  it.each<[string, unknown]>([
    ['tool_search', { query: 'issue github' }],
    ['tool_describe', { name: 'github__create_issue' }],
    ['tool_describe', { names: ['github__create_issue', 'send_message'] }],
    ['tool_call', { name: 'github__create_issue', arguments: {} }],
    ['tool_call', { name: 'create_isue', arguments: {} }],
    ['github__create_issue', { text: 'x' }],
    ['create_issue', { text: 'x' }],
  ])('%s %j is answered as if the tool did not exist', async (name, input) => {
    expect(await textOf(name, input, { caller })).toBe(await textOf(name, input, without));
  });

  it('shows in no list what the caller may not use', () => {
    const toolbox = boxWith({ form: 'stub' });
    const plan = toolbox.plan(undefined, { caller });
    expect(JSON.stringify([plan.shown.map((one) => one.name), plan.kind === 'defer' && plan.note])).not.toContain(
      'github',
    );
  });

  it('is checked again at the call', async () => {
    const toolbox = boxWith({ execute: () => 'done' });
    const step = await handle('github__create_issue', { text: 'x' });
    const [call] = step.kind === 'calls' ? step.calls : [];
    expect(call !== undefined && (await toolbox.execute(call, { caller }))).toEqual({
      text: 'There is no tool "github__create_issue".',
      isError: true,
    });
  });
});
