import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, type FormName } from '../disclosure/index.ts';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { estimateTokens } from '../gate/index.ts';
import { createBm25Searcher } from '../search/index.ts';
import { boxWith, handle } from './call-context.fixture.ts';
import type { ToolboxEvent } from './events.ts';
import { hitReasons } from './search/handle-search.ts';

describe('events', () => {
  it('report searches, loads, calls and refusals with times and sizes, without arguments or results', async () => {
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
      'tool-search-start',
      'tool-search-end',
      'tool-load',
      'tool-call-start',
      'tool-call-end',
      'tool-call-refuse',
    ]);
    expect(events[0]).toMatchObject({ queryCount: 1, callId: 'c1', callerId: 'ann' });
    expect(events[1]).toMatchObject({
      outcome: 'match',
      queryCount: 1,
      found: ['slack__send_message'],
      tools: ['slack/send_message'],
      durationMs: 5,
      callId: 'c1',
      callerId: 'ann',
    });
    expect(events[2]).toMatchObject({
      ...{ tool: 'slack/send_message', name: 'slack__send_message', by: 'search', tokens: expect.any(Number) },
    });
    expect(events[4]).toMatchObject({ tool: 'slack/send_message', isError: false, durationMs: 10 });
    expect(events[5]).toMatchObject({ reason: 'unknown' });
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

  it.each<FormName>(['native', 'load', 'stub'])(
    'count what the model reads of an answer in the form %s',
    async (form) => {
      const events: ToolboxEvent[] = [];
      const options = { form, onEvent: (event: ToolboxEvent) => events.push(event) };
      const step = await handle('tool_search', { query: 'message' }, { options });
      const end = events.find((event) => event.kind === 'tool-search-end');
      const load = events.find((event) => event.kind === 'tool-load');
      if (step.kind !== 'answer') throw new Error('A search has an answer');
      // Whoever can't send definitions still has the text.
      expect(step.text).toContain('slack__send_message');
      expect(end?.answerTokens).toBe(form === 'native' ? load?.tokens : estimateTokens(step.text));
    },
  );

  it('carry the query, and why each tool was found, only when asked to', async () => {
    const events: ToolboxEvent[] = [];
    const onEvent = (event: ToolboxEvent) => events.push(event);
    const query = 'post the messages for me';
    await handle('tool_search', { query }, { options: { recordQueries: true, onEvent, searcher: createBm25Searcher } });
    await handle('tool_search', { query }, { options: { onEvent, searcher: createBm25Searcher } });
    const [told, untold] = events.filter((event) => event.kind === 'tool-search-end');
    expect(told).toMatchObject({ queries: [query], found: ['slack__send_message'], reasons: ['"messages"'] });
    expect(untold).not.toHaveProperty('reasons');
  });

  it('name meaning as a reason, with its part of the score', () => {
    const [tool] = sampleSnapshot().tools;
    if (tool === undefined) throw new Error('The sample has no tools');
    const meaning = {
      value: 8.19,
      what: '14.3 × 0.572: meaning: cosine similarity of the request and the tool',
      details: [],
    };
    const explanation = { value: 9, what: 'named by the query', details: [meaning] };
    expect(hitReasons([{ tool, score: 9, explanation }], ['zzz'])).toEqual(['named by the query; meaning 0.57']);
    const along = { value: 1, what: 'often called together with a tool above it', details: [] };
    expect(hitReasons([{ tool, score: 1, explanation: along }], ['zzz'])).toEqual([along.what]);
  });
});
