import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { deferred, regexSearchTool } from './open.ts';
import { COMMON, calling, clock, connect, mail, searching, weather } from './wrapped-client.fixture.ts';

describe('message batches', () => {
  const SEARCHED = { ...COMMON, tools: [regexSearchTool(), clock, deferred(weather), deferred(mail)] };

  async function ended({ messages }: Anthropic, id: string): Promise<Anthropic.Messages.MessageBatch> {
    for (;;) {
      const batch = await messages.batches.retrieve(id);
      if (batch.processing_status === 'ended') return batch;
      await new Promise(setImmediate);
    }
  }

  it('whose requests need a search that the host does not run are processed here, each by its own loop', async () => {
    const { client, host } = await connect([
      searching('tool_search_tool_regex', { query: 'weather' }),
      calling('get_weather', { place: 'Oslo' }),
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } } },
      { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'No batches here.' } } },
    ]);
    const requests = [{ custom_id: 'one', params: SEARCHED }];
    const batch = await client.messages.batches.create({ requests });
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    expect(await ended(client, batch.id)).toMatchObject({ request_counts: { succeeded: 1, processing: 0 } });
    const results = [];
    for await (const result of await client.messages.batches.results(batch.id)) results.push(result);
    expect(results).toMatchObject([
      {
        custom_id: 'one',
        result: {
          type: 'succeeded',
          message: {
            content: [
              { type: 'text' },
              { type: 'server_tool_use' },
              { type: 'tool_search_tool_result' },
              { name: 'get_weather' },
            ],
          },
        },
      },
    ]);
    expect(host.requests.every((request) => request.stream !== true)).toBe(true);

    const failing = await client.messages.batches.create({ requests });
    expect(await ended(client, failing.id)).toMatchObject({ request_counts: { errored: 1 } });
    for await (const failed of await client.messages.batches.results(failing.id)) {
      expect(failed).toMatchObject({ result: { type: 'errored', error: { error: { message: 'No.' } } } });
    }
    const { data } = await client.messages.batches.list();
    expect(data.map(({ id }) => id)).toEqual([failing.id, batch.id]);
    expect(await client.messages.batches.delete(batch.id)).toMatchObject({ type: 'message_batch_deleted' });
  });

  it.each([
    ['without messages', { model: 'claude', max_tokens: 1 }, 'messages: Field required'],
    [
      'with an unknown search',
      { ...SEARCHED, tools: [{ type: 'tool_search_tool_regex_20991231', name: 'tool_search_tool_regex' }, clock] },
      'tool_search_tool_regex_20991231',
    ],
  ])('fail alone where one is wrong: %s', async (_, wrong, message) => {
    const { client } = await connect([
      searching('tool_search_tool_regex', { query: 'weather' }),
      calling('get_weather', { place: 'Oslo' }),
    ]);
    const requests = [
      { custom_id: 'wrong', params: wrong as never },
      { custom_id: 'good', params: SEARCHED },
    ];
    const batch = await client.messages.batches.create({ requests });
    expect(await ended(client, batch.id)).toMatchObject({ request_counts: { succeeded: 1, errored: 1 } });
    const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
    for await (const result of await client.messages.batches.results(batch.id)) results.push(result);
    expect(results).toMatchObject([
      {
        custom_id: 'wrong',
        result: { type: 'errored', error: { error: { message: expect.stringContaining(message) } } },
      },
      { custom_id: 'good', result: { type: 'succeeded' } },
    ]);
  });

  it('can be cancelled: what has not begun is not asked for', async () => {
    const { client, host } = await connect([]);
    const requests = Array.from({ length: 40 }, (_, index) => ({ custom_id: `item_${index}`, params: SEARCHED }));
    const { id } = await client.messages.batches.create({ requests });
    expect(await client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
    const { request_counts: counts } = await ended(client, id);
    expect(counts.canceled).toBeGreaterThan(30);
    expect(counts.canceled + counts.errored).toBe(40);
    expect(host.requests.length).toBeLessThan(10);
  });

  it.each([
    ['as they are, where none defers anything', { ...COMMON, tools: [clock] }, {}],
    ['as they are, to a host that searches', SEARCHED, { transport: 'anthropic-messages' }],
  ])('go to the host %s', async (_, params, options) => {
    const body = { id: 'msgbatch_host', type: 'message_batch' };
    const { client, host } = await connect([{ status: 200, body }], { ...options });
    const requests = [{ custom_id: 'one', params }];
    expect(await client.messages.batches.create({ requests })).toMatchObject(body);
    expect(host.requests).toEqual([{ requests }]);
  });
});
