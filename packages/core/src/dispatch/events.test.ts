import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, type FormName } from '../disclosure/index.ts';
import { boxWith, handle } from './call-context.fixture.ts';
import type { ToolboxEvent } from './events.ts';

describe('events', () => {
  it('tell of searches, loads, calls and refusals with times and sizes, and of no argument or result', async () => {
    const events: ToolboxEvent[] = [];
    let clock = 100;
    const toolbox = boxWith({
      form: 'load',
      execute: () => 'the secret result',
      onEvent: (event) => events.push(event),
      now: () => (clock += 5),
    });
    const plan = toolbox.plan();
    const caller = { id: 'ann' };
    const ask = async (name: string, input: unknown): Promise<unknown> =>
      toolbox.answer({ plan, call: { id: 'c1', name, arguments: input }, memory: EMPTY_MEMORY, caller });
    await ask('tool_search', { query: 'secret message' });
    await ask('slack__send_message', { text: 'the secret argument' });
    await ask('nope', {});
    expect(events.map((event) => event.kind)).toEqual([
      'tool-search-end',
      'tool-load',
      'tool-call-start',
      'tool-call-end',
      'tool-call-refuse',
    ]);
    expect(events[0]).toMatchObject({
      outcome: 'match',
      queryCount: 1,
      found: ['slack__send_message'],
      durationMs: 5,
      callId: 'c1',
      callerId: 'ann',
    });
    expect(events[1]).toMatchObject({ tool: 'slack/send_message', by: 'search', tokens: expect.any(Number) });
    expect(events[3]).toMatchObject({ tool: 'slack/send_message', isError: false, durationMs: 10 });
    expect(events[4]).toMatchObject({ reason: 'unknown' });
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it.each<[FormName, boolean]>([
    ['load', false],
    ['native', true],
    ['stub', true],
  ])('report for the form %s whether what was found left the prefix as it was: %s', async (form, isKept) => {
    const events: ToolboxEvent[] = [];
    const options = { form, onEvent: (event: ToolboxEvent) => events.push(event) };
    await handle('tool_search', { query: 'message' }, { options });
    expect(events.filter((event) => event.kind === 'tool-load')).toMatchObject([{ keepsPrefix: isKept }]);
  });

  it('carry the query only when asked to', async () => {
    const events: ToolboxEvent[] = [];
    await handle(
      'tool_search',
      { query: 'issue' },
      { options: { recordQueries: true, onEvent: (event) => events.push(event) } },
    );
    expect(events[0]).toMatchObject({ queries: ['issue'] });
  });
});
