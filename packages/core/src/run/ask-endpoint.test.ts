import { describe, expect, it } from 'vitest';
import type { ModelEndpoint } from './model.ts';
import { type RunToolsEvent, runTools } from './run-tools.ts';

const tools = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    execute: ({ city }: { readonly city?: unknown }) => `Rain in ${city}`,
  },
];

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** An endpoint that answers by a list, and keeps what it was sent. */
function endpoint(...responses: readonly Response[]): { readonly sent: Sent[]; readonly model: ModelEndpoint } {
  const sent: Sent[] = [];
  const model: ModelEndpoint = {
    url: 'http://localhost:9/v1/',
    model: 'gpt-5',
    apiKey: 'secret',
    headers: { 'x-team': 'shop' },
    body: { temperature: 0 },
    async fetch(url, init) {
      sent.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
      return responses[sent.length - 1] ?? Response.error();
    },
  };
  return { sent, model };
}

function streamed(...chunks: readonly unknown[]): Response {
  const text = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A body that is never done. */
function endless(): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode('x'.repeat(1_000_000));
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

const delta = (fields: unknown, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const text = (content: string): Response =>
  streamed(delta({ content }), delta({}, 'stop'), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } });

describe('an endpoint', () => {
  it('is asked by OpenAI’s chat completions, with its key, headers and fields', async () => {
    const pieces = [
      delta({
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '' } }],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }, 'tool_calls'),
    ];
    const { sent, model } = endpoint(streamed(...pieces), text('It rains.'));
    const events: RunToolsEvent[] = [];
    const result = await runTools({ model, tools, messages: 'Oslo?', onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ text: 'It rains.', usage: { inputTokens: 7, outputTokens: 2 } });
    expect(sent[0]?.url).toBe('http://localhost:9/v1/chat/completions');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer secret');
    expect(sent[0]?.headers.get('x-team')).toBe('shop');
    expect(sent[0]?.body).toMatchObject({
      model: 'gpt-5',
      temperature: 0,
      stream: true,
      tools: [{ type: 'function' }],
    });
    expect(sent[1]?.body.messages).toEqual([
      { role: 'user', content: 'Oslo?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain in Oslo' },
    ]);
    expect(events.filter((event) => event.kind === 'text')).toHaveLength(1);
  });

  it('may answer whole, repeat ids in every piece, leave out indexes, or send arguments as an object', async () => {
    const twice = [
      delta({ tool_calls: [{ id: 'a', function: { name: 'get_weather', arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ id: 'a', function: { name: 'get_weather', arguments: '"Oslo"}' } }] }),
      delta(
        { tool_calls: [{ id: 'b', function: { name: 'get_weather', arguments: { city: 'Rome' } } }] },
        'tool_calls',
      ),
    ];
    const message = { role: 'assistant', content: 'It rains.' };
    const whole = Response.json({ choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } });
    const { model } = endpoint(streamed(...twice), whole);
    const { messages, text: last } = await runTools({ model, tools, messages: 'Both?' });
    expect(messages.slice(2, 4).map(({ content }) => content)).toEqual(['Rain in Oslo', 'Rain in Rome']);
    expect(last).toBe('It rains.');
  });

  it('fails if a stream ends early, and executes nothing of it', async () => {
    const call = delta({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    });
    const broken = new Response(`data: ${JSON.stringify(call)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
    const { model, sent } = endpoint(broken);
    await expect(runTools({ model, tools, messages: 'Oslo?' })).rejects.toThrow('broke off before its end');
    expect(sent).toHaveLength(1);
  });

  it('is given readable JSON in place of arguments that were none', async () => {
    const broken = delta(
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"ci' } }] },
      'stop',
    );
    const { sent, model } = endpoint(streamed(broken), text('Sorry.'));
    await runTools({ model, tools, messages: 'Oslo?' });
    expect(JSON.stringify(sent[1]?.body.messages)).toContain(JSON.stringify('{"INVALID_JSON":"{\\"ci"}'));
  });

  it.each([
    ['a refusal', new Response('{"error":"no such key"}', { status: 401 }), 'answered 401: {"error":"no such key"}'],
    ['an error in the stream', streamed({ error: { message: 'overloaded' } }), 'overloaded'],
    ['a stream of something else', new Response('data: <html>\n\n'), '<html>, which is not JSON'],
    ['a list', streamed([]), 'not an object'],
    ['a whole answer that is not JSON', new Response('<html>', { headers: JSON_TYPE }), '<html>, which is not JSON'],
    ['a refusal without words', new Response(null, { status: 502 }), 'answered 502: nothing'],
    ['a refusal without end', new Response(endless(), { status: 500 }), 'answered 500: xxx'],
    ['a whole answer without end', new Response(endless(), { headers: JSON_TYPE }), 'more than 32000000 bytes'],
  ])('that gives %s rejects the run', async (_what, response, message) => {
    const { model } = endpoint(response);
    await expect(runTools({ model, tools, messages: 'Oslo?' })).rejects.toMatchObject({
      name: 'UpstreamError',
      message: expect.stringContaining(message),
    });
  });

  it('that can’t be reached is named, with the reason', async () => {
    const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
    const model: ModelEndpoint = { url: 'http://localhost:9/v1', model: 'm', fetch: () => Promise.reject(refused) };
    await expect(runTools({ model, tools, messages: 'Oslo?' })).rejects.toMatchObject({
      code: 'unreachable',
      message: "http://localhost:9/v1/chat/completions can't be reached: connect ECONNREFUSED 127.0.0.1:9",
    });
  });

  it('that was left because the run was aborted rejects with the reason of the abort', async () => {
    const abort = new AbortController();
    const model: ModelEndpoint = {
      url: 'http://localhost:9/v1',
      model: 'm',
      async fetch() {
        abort.abort(new Error('enough'));
        throw new TypeError('fetch failed');
      },
    };
    await expect(runTools({ model, tools, messages: 'Oslo?', signal: abort.signal })).rejects.toThrow('enough');
  });
});
