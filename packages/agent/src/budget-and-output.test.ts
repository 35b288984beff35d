import { describe, expect, it } from 'vitest';
import { ask, calling } from './testing/ask.fixture.ts';
import { resultOf, resultsIn } from './testing/collect.fixture.ts';

const MAIL = 'mcp__office__send_mail';
const MODEL = { model: 'claude-test', allowedTools: ['*'] };

describe('maxBudgetUsd', () => {
  const prices = { 'claude-*': { input: 1_000_000, output: 0 } };

  it('ends the query before the response that would come after the budget is spent', async () => {
    // Each response takes 10 tokens in.
    const { messages, upstream } = await ask(calling(MAIL), { ...MODEL, prices, maxBudgetUsd: 5 });
    expect(resultOf(messages)).toMatchObject({
      subtype: 'error_max_budget_usd',
      is_error: true,
      num_turns: 1,
      total_cost_usd: 10,
      errors: [expect.stringContaining('maxBudgetUsd is 5')],
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('lets a query finish that stays within it, and reports its cost', async () => {
    const { messages } = await ask(calling(MAIL), { ...MODEL, prices, maxBudgetUsd: 15 });
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', total_cost_usd: 20 });
  });

  it('is refused where nothing says what tokens cost', async () => {
    await expect(ask([], { maxBudgetUsd: 1 })).rejects.toThrow('nothing says what tokens cost: give prices');
    await expect(ask([], { maxBudgetUsd: 0, prices })).rejects.toThrow('maxBudgetUsd is 0');
    await expect(ask([], { prices: { x: { input: -1, output: 0 } } })).rejects.toThrow('prices has');
    const { messages, upstream } = await ask([], { model: 'other', prices, maxBudgetUsd: 1 });
    expect(resultOf(messages)).toMatchObject({ errors: [expect.stringContaining('none for the model "other"')] });
    expect(upstream.requests).toEqual([]);
  });
});

describe('outputFormat', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const outputFormat = { type: 'json_schema', schema } as const;

  it('gives the result as a value that fits the schema', async () => {
    const { messages, upstream } = await ask([{ text: '{"city":"Rome"}' }], {
      outputFormat,
      systemPrompt: 'Be brief.',
    });
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', structured_output: { city: 'Rome' } });
    expect(upstream.requests[0]?.system).toMatch(/^Be brief\.\n\n.*JSON Schema.*"city"/s);
  });

  it('reads JSON out of a fenced block', async () => {
    const { messages } = await ask([{ text: 'Here it is:\n```json\n{"city":"Rome"}\n```' }], { outputFormat });
    expect(resultOf(messages)).toMatchObject({ structured_output: { city: 'Rome' } });
  });

  it('has the model correct what does not fit, and says what is wrong', async () => {
    const turns = [{ text: 'Rome' }, { text: '{"town":"Rome"}' }, { text: '{"city":"Rome"}' }];
    const { messages, upstream } = await ask(turns, { outputFormat });
    expect(resultOf(messages)).toMatchObject({ structured_output: { city: 'Rome' }, num_turns: 3 });
    expect(JSON.stringify(upstream.requests[1]?.messages.at(-1))).toContain('is not JSON');
    expect(JSON.stringify(upstream.requests[2]?.messages.at(-1))).toContain('city');
  });

  it('is a separate error after three corrections', async () => {
    const { messages, upstream } = await ask(Array(5).fill({ text: 'Rome' }), { outputFormat });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
    expect(upstream.requests).toHaveLength(4);
  });

  it('does not keep the model from calling tools first', async () => {
    const turns = [{ calls: [{ name: MAIL, input: { text: 'hi' } }] }, { text: '{"city":"Rome"}' }];
    const { messages } = await ask(turns, { outputFormat, allowedTools: ['*'] });
    expect(resultsIn(messages)[0]?.text).toBe('send_mail: hi');
    expect(resultOf(messages)).toMatchObject({ structured_output: { city: 'Rome' } });
  });

  it('is refused if it is invalid', async () => {
    await expect(ask([], { outputFormat: { type: 'json' } as never })).rejects.toThrow('outputFormat is not');
  });
});
