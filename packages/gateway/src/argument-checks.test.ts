import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { scriptedHost } from './scripted-host.fixture.ts';

const SEAT = {
  ...{ type: 'function' as const, strict: false, defer_loading: true, name: 'book_seat' },
  description: 'Reserve a seat',
  parameters: {
    type: 'object',
    properties: { row: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
    required: ['row'],
  },
};

/** A model that calls the tool through `tool_call`, and says so when it gets an answer of ours. */
async function callWith(arguments_: object) {
  const host = await scriptedHost('openai-chat', ({ results }) =>
    results.length === 0
      ? { call: 'tool_call', input: { name: 'book_seat', arguments: arguments_ } }
      : { text: 'Refused.' },
  );
  const settings = { models: ['*'], provider: 'openai-compatible', baseUrl: `${host.url}/v1`, apiKey: 'none' };
  const { openai } = await runningGateway(optionsFor({ upstreams: [settings] }));
  const { output } = await openai.responses.create({ model: 'any', input: 'A seat, please', tools: [SEAT] });
  return { output, host };
}

describe('a call through tool_call', () => {
  it.each([
    [{ row: '2' }, { row: 2 }],
    [
      { row: 2, names: 'Ann' },
      { row: 2, names: ['Ann'] },
    ],
    [
      { row: 2, names: ['Ann'] },
      { row: 2, names: ['Ann'] },
    ],
  ])('with %j is delivered with arguments that fit the schema', async (given, delivered) => {
    const { output } = await callWith(given);
    expect(output).toMatchObject([{ type: 'function_call', name: 'book_seat' }]);
    expect(JSON.parse(output[0]?.type === 'function_call' ? output[0].arguments : '')).toEqual(delivered);
  });

  it('with arguments that do not fit gets the problem and the schema, and the client no call', async () => {
    const { output, host } = await callWith({ row: 'last' });
    expect(output).toMatchObject([{ type: 'message', content: [{ text: 'Refused.' }] }]);
    const answer = String(host.requests[1]?.body.messages.at(-1)?.content);
    expect(JSON.parse(answer)).toMatchObject({
      error: 'invalid_arguments',
      problems: [{ at: '/row', problem: expect.stringContaining('must be an integer') }],
      parameters: SEAT.parameters,
    });
  });
});
