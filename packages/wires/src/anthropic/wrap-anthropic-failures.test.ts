import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { writeNamedEvent } from './anthropic-dialect.ts';
import { withToolSearch } from './wrap-anthropic.ts';
import { COMMON, clock, connect, mail, ON, searching, weather } from './wrapped-client.fixture.ts';

describe('a wrapped client whose request fails or ends early', () => {
  it('returns a refusal of the first call with its status, and a later one as an error event', async () => {
    const busy = { status: 529, body: failure('Overloaded', 'overloaded_error') };
    const first = await connect([busy]);
    const request = { ...COMMON, tools: [clock, weather, mail] };
    await expect(first.client.messages.create({ ...request, stream: true })).rejects.toMatchObject({ status: 529 });
    const second = await connect([searching('tool_search', { query: 'weather' }), busy]);
    await expect(second.client.messages.stream(request).finalMessage()).rejects.toThrow('Overloaded');
    const third = await connect([searching('tool_search', { query: 'weather' }), busy]);
    await expect(third.client.messages.create(request)).rejects.toMatchObject({ status: 529 });
  });

  it.each([true, false])(
    'refuses what it can’t read as the API would, and asks nobody (stream: %s)',
    async (stream) => {
      const { client, host } = await connect([]);
      const tools = [{ name: '', input_schema: { type: 'object' as const } }];
      const asked = client.messages.create({ ...COMMON, tools, stream });
      await expect(asked).rejects.toThrow(Anthropic.BadRequestError);
      await expect(asked).rejects.toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
      expect(host.requests).toEqual([]);
    },
  );

  it('passes on a stream that begins with an error', async () => {
    const error = { type: 'overloaded_error', message: 'Too busy' };
    const { client } = await connect([[{ type: 'error', error }]]);
    await expect(client.messages.stream({ ...COMMON, tools: [weather] }).finalMessage()).rejects.toThrow('Too busy');
  });

  it('accepts a whole message from a host that was asked for a stream', async () => {
    const whole = { status: 200, body: { ...wholeMessage(), content: [{ type: 'text', text: 'Hello' }] } };
    const { client } = await connect([whole]);
    const message = await client.messages.stream({ ...COMMON, tools: [clock, weather] }).finalMessage();
    expect(message.content).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  it('closes the connection to the host when the client stops reading', async () => {
    let isClosed = false;
    const opening = searching('tool_search', { query: 'weather' }).slice(0, 4).map(writeNamedEvent).join('');
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(opening)),
      cancel() {
        isClosed = true;
      },
    });
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const fetch = async (_: unknown, init?: RequestInit) => {
      init?.signal?.addEventListener('abort', () => {
        isClosed = true;
      });
      return answer;
    };
    const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: 'http://host.test', fetch }), ON);
    const stream = await client.messages.create({ ...COMMON, stream: true, tools: [clock, weather] });
    for await (const event of stream) if (event.type === 'content_block_delta') break;
    expect(isClosed).toBe(true);
  });
});

function failure(message: string, type: string): object {
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

function wholeMessage() {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'some-model',
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
