import type { ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { type AnthropicEvent, anthropicWhole, writeNamedEvent } from '@quartermaster/wires/anthropic';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { type RunningGateway, runningGateway } from './running-gateway.fixture.ts';
import { rawHost, type ScriptedHost } from './scripted-host.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { responseRounds } from './stored-responses.fixture.ts';

const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');

/** One thing that a host does with a request. */
type HostTurn = (response: ServerResponse, isStream: boolean) => void;

const answer: HostTurn = (response, isStream) => {
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  response.end(isStream ? eventsOf(HELLO) : JSON.stringify(anthropicWhole.fromParts(HELLO)));
};

/** With a pause that no test has to wait for. */
function refuse(status: number, headers: Readonly<Record<string, string>> = { 'retry-after-ms': '1' }): HostTurn {
  const type = status === 529 ? 'overloaded_error' : 'api_error';
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type, message: 'Not now.' } }));
  };
}

const hang: HostTurn = () => undefined;

/** Begins a stream, and what comes then is not a part of it. */
function begin(next: (response: ServerResponse) => void): HostTurn {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(eventsOf(HELLO.slice(0, 3)), () => next(response));
  };
}

function eventsOf(events: readonly AnthropicEvent[]): string {
  return events.map(writeNamedEvent).join('');
}

async function gatewayBefore(
  turns: readonly HostTurn[],
  limits: object = {},
): Promise<RunningGateway & { readonly host: ScriptedHost }> {
  const host = await rawHost(({ body }, response, turn) => turns[turn]?.(response, body.stream === true));
  const upstream = { models: ['*'], provider: 'anthropic', baseUrl: host.url, apiKey: 'sk-upstream' };
  return { ...(await runningGateway(optionsFor({ upstreams: [upstream], limits }))), host };
}

const WAYS = ['whole', 'stream'] as const;

function ask(anthropic: Anthropic, way: (typeof WAYS)[number]): Promise<Anthropic.Message> {
  return way === 'stream' ? anthropic.messages.stream(ASK).finalMessage() : anthropic.messages.create(ASK);
}

describe.each(WAYS)('a host in trouble, asked for a %s', (way) => {
  it.each([[[500, 529]], [[503]], [[408, 409]]])(
    'is asked again after %j, unnoticed by the client',
    async (statuses) => {
      const { anthropic, host } = await gatewayBefore([...statuses.map((status) => refuse(status)), answer]);
      expect((await ask(anthropic, way)).content).toMatchObject([{ type: 'text', text: 'Hello.' }]);
      expect(host.requests).toHaveLength(statuses.length + 1);
      expect(new Set(host.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    },
  );

  it('is asked as often as the settings allow, and then its error is the answer', async () => {
    const { anthropic, host } = await gatewayBefore([refuse(529), refuse(529), answer], { upstreamRetries: 1 });
    await expect(ask(anthropic, way)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
    expect(host.requests).toHaveLength(2);
  });

  it('is not asked again for what is wrong with the request', async () => {
    const { anthropic, host } = await gatewayBefore([refuse(400), answer]);
    await expect(ask(anthropic, way)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    expect(host.requests).toHaveLength(1);
  });

  it('that says nothing in time is a timeout, which the SDK knows', async () => {
    const { anthropic } = await gatewayBefore([hang], { upstreamTimeoutMs: 1_000, upstreamRetries: 0 });
    await expect(ask(anthropic, way)).rejects.toMatchObject({ status: 504, type: 'timeout_error' });
  });

  it('that can’t be reached is an error of the gateway’s', async () => {
    const { anthropic } = await gatewayBefore([(response) => response.destroy()], { upstreamRetries: 0 });
    await expect(ask(anthropic, way)).rejects.toMatchObject({ status: 502, type: 'api_error' });
  });

  it('loses its connection to us when the client goes away', async () => {
    let onClose: (value: unknown) => void = () => undefined;
    const closed = new Promise((resolve) => {
      onClose = resolve;
    });
    let onCall: (value: unknown) => void = () => undefined;
    const called = new Promise((resolve) => {
      onCall = resolve;
    });
    const { anthropic } = await gatewayBefore([
      (response) => {
        response.once('close', onClose);
        onCall(undefined);
      },
    ]);
    const controller = new AbortController();
    const { signal } = controller;
    const asked =
      way === 'stream'
        ? anthropic.messages.stream(ASK, { signal }).finalMessage()
        : anthropic.messages.create(ASK, { signal });
    const failed = expect(asked).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    await called;
    controller.abort();
    await failed;
    await closed;
  });

  it('tells the client when to come back', async () => {
    const { anthropic, host } = await gatewayBefore([refuse(529, { 'retry-after': '120' })]);
    const error = await ask(anthropic, way).catch(
      (thrown: unknown) => thrown as InstanceType<typeof Anthropic.APIError>,
    );
    expect(error).toMatchObject({ status: 529 });
    expect((error as { headers: Headers }).headers.get('retry-after')).toBe('120');
    // It asks for more patience than a gateway should have on its client's behalf.
    expect(host.requests).toHaveLength(1);
  });
});

describe('a stream that has begun', () => {
  it.each<[string, HostTurn, object]>([
    [
      'an error event of the host',
      begin((response) =>
        response.end(eventsOf([{ type: 'error', error: { type: 'overloaded_error', message: 'Too busy.' } }])),
      ),
      { type: 'overloaded_error' },
    ],
    ['a connection that breaks', begin((response) => response.destroy()), { type: 'api_error' }],
    ['an end that comes too early', begin((response) => response.end()), { type: 'api_error' }],
    ['a host that falls silent', begin(hang as (response: ServerResponse) => void), { type: 'timeout_error' }],
  ])('ends with an error event at %s, and is not begun again', async (_, turn, error) => {
    const { anthropic, host } = await gatewayBefore([turn, answer], { upstreamTimeoutMs: 1_000 });
    const texts: string[] = [];
    const stream = anthropic.messages.stream(ASK).on('text', (text) => texts.push(text));
    await expect(stream.finalMessage()).rejects.toMatchObject(error);
    expect(texts).toEqual(['Hello.']);
    expect(host.requests).toHaveLength(1);
  });

  it('whose client does not read to the end is ended upstream', async () => {
    let onClose: (value: unknown) => void = () => undefined;
    const closed = new Promise((resolve) => {
      onClose = resolve;
    });
    const { anthropic } = await gatewayBefore([begin((response) => response.once('close', onClose))]);
    for await (const _event of await anthropic.messages.create({ ...ASK, stream: true })) break;
    await closed;
  });
});

describe('a host in trouble, asked to count tokens', () => {
  const { max_tokens: _, ...counted } = ASK;

  it('is asked again, and its error is the answer in the end', async () => {
    const { anthropic, host } = await gatewayBefore([refuse(529), refuse(529), refuse(529)]);
    await expect(anthropic.messages.countTokens(counted)).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
    expect(host.requests).toHaveLength(3);
  });

  it('that can’t be reached is no fault of the gateway’s own', async () => {
    const { anthropic, log } = await gatewayBefore([(response) => response.destroy()], { upstreamRetries: 0 });
    await expect(anthropic.messages.countTokens(counted)).rejects.toMatchObject({ status: 502 });
    expect(log.at(-1)).toMatchObject({ level: 'warn', status: 502 });
  });
});

describe('an OpenAI client', () => {
  const HELLO_OPENAI = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  const BEGUN = {
    ...CHUNK,
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hal' }, finish_reason: null }],
  };

  async function gatewayBeforeOpenai(turn: HostTurn) {
    const host = await rawHost(({ body }, response) => turn(response, body.stream === true));
    const upstream = { models: ['*'], provider: 'openai', baseUrl: `${host.url}/v1`, apiKey: 'sk-upstream' };
    return runningGateway(optionsFor({ upstreams: [upstream], limits: { upstreamRetries: 0 } }));
  }

  it('gets the text that came, and then an error, where a stream breaks', async () => {
    const { openai } = await gatewayBeforeOpenai((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(BEGUN)}\n\n`, () => response.destroy());
    });
    const texts: unknown[] = [];
    const read = async () => {
      const stream = await openai.chat.completions.create({ ...HELLO_OPENAI, stream: true });
      for await (const { choices } of stream) texts.push(choices[0]?.delta.content);
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(texts).toEqual(['Hal']);
  });

  it('gets an error event where a response breaks', async () => {
    const created = { type: 'response.created', response: { id: 'resp_1', object: 'response', output: [] } };
    const { openai } = await gatewayBeforeOpenai((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: response.created\ndata: ${JSON.stringify(created)}\n\n`, () => response.destroy());
    });
    const read = async () => {
      const stream = await openai.responses.create({ model: 'gpt-test', input: 'Hello', stream: true });
      for await (const _event of stream);
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  it('gets the status of a host that refuses', async () => {
    const { openai } = await gatewayBeforeOpenai((response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '120' });
      response.end(JSON.stringify({ error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } }));
    });
    const error = await openai.chat.completions.create(HELLO_OPENAI).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect((error as { headers: Headers }).headers.get('retry-after')).toBe('120');
  });
});

describe('a gateway that stops', () => {
  it('answers every request that it has taken, and takes no more', async () => {
    const waiting: (() => void)[] = [];
    let onAll: (value: unknown) => void = () => undefined;
    const all = new Promise((resolve) => {
      onAll = resolve;
    });
    const host = await rawHost(({ body }, response) => {
      waiting.push(() => answer(response, body.stream === true));
      if (waiting.length === 20) onAll(undefined);
    });
    const upstream = { models: ['*'], provider: 'anthropic', baseUrl: host.url };
    const { anthropic, close, url } = await runningGateway(optionsFor({ upstreams: [upstream] }));
    const asked = Array.from({ length: 20 }, (_, index) => ask(anthropic, index % 2 === 0 ? 'whole' : 'stream'));
    await all;
    const closed = close();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await expect(anthropic.messages.create(ASK)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
    for (const finish of waiting) finish();
    const answers = await Promise.all(asked);
    expect(answers.map(({ stop_reason }) => stop_reason)).toEqual(answers.map(() => 'end_turn'));
    await closed;
    expect(host.requests).toHaveLength(20);
  });
});

describe('requests that take much memory', () => {
  const OBJECTS = `[${'{},'.repeat(50_000)}{}]`;
  const bodyOf = (objects: string): string =>
    JSON.stringify(ASK).replace(/}$/, `,"metadata":{"user_id":"u","x":${objects}}}`);

  it('wait for their turn elsewhere while others of their key are in progress, and leave room for another key', async () => {
    const held: ServerResponse[] = [];
    const { post, store, url, log } = await gatewayBefore(
      [(response) => held.push(response), (response) => held.push(response), answer, answer],
      { inProgressBytes: 12 * 1024 * 1024 },
    );
    const secrets = await Promise.all(
      ['one', 'two'].map(
        async (name) => (await store.keys.create({ name, models: ['*'], catalogs: ['*'], limits: {} })).secret,
      ),
    );
    await expect.poll(async () => (await fetch(`${url}/v1/models`)).status).toBe(401);
    const ask = (key: number, objects = OBJECTS): Promise<Response> =>
      post('/v1/messages', bodyOf(objects), { 'x-api-key': secrets[key] ?? '' });
    const first = [ask(0), ask(0)];
    await expect.poll(() => held.length).toBe(2);
    const refused = await ask(0);
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
      ...[503, '1', 'true'],
    ]);
    expect(await refused.json()).toMatchObject({
      error: { type: 'api_error', message: expect.stringContaining('limits.inProgressBytes') },
    });
    expect((await ask(0, '[]')).status).toBe(200);
    expect((await ask(1)).status).toBe(200);
    for (const response of held) answer(response, false);
    for (const one of first) expect((await one).status).toBe(200);
    expect(log.filter(({ status }) => status === 500)).toEqual([]);
  });

  it('are counted with the stored conversation that a short one refers to', async () => {
    let goOn = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const rounds = responseRounds('Hi.', 'Hi.', 'Hi.').map((round) => [later, ...round]);
    const upstreams = scriptedUpstreams({ responses: rounds }, { transport: 'openai-responses' });
    const { post } = await runningGateway({ upstreams, settings: { maxInProgressBytes: 4 * 1024 * 1024 } });
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] };
    const items = [{ ...item, notes: Array.from({ length: 10_000 }, () => ({})) }];
    const { id } = (await (await post('/v1/conversations', { items })).json()) as { id: string };
    const ask = (): Promise<Response> => post('/v1/responses', { model: 'm', conversation: id, input: 'And now?' });
    const first = [ask(), ask(), ask()];
    await expect.poll(() => upstreams.requests.length).toBe(3);
    expect((await ask()).status).toBe(503);
    goOn();
    for (const one of first) expect((await one).status).toBe(200);
  });
});
