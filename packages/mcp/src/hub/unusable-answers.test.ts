import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { rawServer } from '../testing/raw-server.fixture.ts';
import {
  eventStream,
  jsonAnswer,
  type RemoteAnswer,
  type ScriptedRemote,
  scriptedRemote,
} from '../testing/scripted-remote.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub } from './hub.ts';
import type { RemoteSettings } from './server-settings.ts';

const MIB = 1024 * 1024;
const hubs: Hub[] = [];

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});

/** Calls the one tool that there is. No call here gets an answer from the clock: it stands still. */
async function call(hub: Hub, args = {}, signal?: AbortSignal): Promise<string> {
  const [tool] = hub.snapshot().tools;
  if (tool === undefined) throw new Error(`There is no tool: ${JSON.stringify(hub.unavailable())}`);
  return textOf(await hub.call({ tool, arguments: args, signal }));
}

describe('a call to a process', () => {
  async function startRaw(): Promise<Hub> {
    const hub = createHub({ servers: { raw: rawServer() }, clock: manualClock() });
    hubs.push(hub);
    await hub.start();
    return hub;
  }

  it('fails at once if its answer is invalid, and the next call works', async () => {
    const hub = await startRaw();
    const answered = (rest: string): Promise<string> => call(hub, { line: `{"jsonrpc":"2.0","id":$ID,${rest}}` });
    await expect(answered('"result":null')).rejects.toThrow('The server answered with nothing in place of a result');
    await expect(answered('"error":{"code":-1.5}')).rejects.toThrow('The server answered with an error and no reason');
    expect(await answered('"result":{"content":[{"type":"text","text":"fine"}]}')).toBe('fine');
  });

  it.each([
    ['before', '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"$LONG"}]}}'],
    ['after', '{"result":{"content":[{"type":"text","text":"$LONG"}]},"jsonrpc":"2.0","id":$ID}'],
  ])('fails with the size of an answer that is too long, its id %s the result', async (_, line) => {
    const hub = await startRaw();
    await expect(call(hub, { line, long: 33 * MIB })).rejects.toThrow(
      /^The server's answer has 346\d{5} bytes, more than 33554432; ask for less at once$/,
    );
    expect(hub.status()[0]?.noise).toMatchObject({
      count: 1,
      last: expect.stringMatching(/^a message of 346\d{5} bytes/),
    });
    expect(await call(hub, { line, long: 3 })).toBe('xxx');
  });

  it('fails if its result has more values than are read at once', async () => {
    const hub = await startRaw();
    const many = `[${'{},'.repeat(200_000)}{}]`;
    const calling = call(hub, { line: `{"jsonrpc":"2.0","id":$ID,"result":{"structuredContent":{"a":${many}}}}` });
    await expect(calling).rejects.toThrow('has more than 200000 JSON values (mcp.messageValues); ask for less at once');
    expect(
      await call(hub, { line: '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"}]}}' }),
    ).toBe('fine');
  });

  it('fails if its result is nested too deeply to be forwarded', async () => {
    const hub = await startRaw();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const calling = call(hub, { line: `{"jsonrpc":"2.0","id":$ID,"result":{"structuredContent":{"a":${deep}}}}` });
    await expect(calling).rejects.toThrow('Server "raw" answered with a result that nests deeper than 1000 levels');
  });
});

interface Remote extends ScriptedRemote {
  readonly hub: Hub;
  readonly clock: ManualClock;
}

async function startRemote(
  answers: Readonly<Record<string, RemoteAnswer>>,
  settings: Partial<RemoteSettings> = {},
): Promise<Remote> {
  const remote = scriptedRemote(answers);
  const clock = manualClock();
  const servers = { remote: { type: 'http' as const, url: 'http://remote.test/mcp', ...settings } };
  const hub = createHub({ servers, fetch: remote.fetch, clock });
  hubs.push(hub);
  await hub.start();
  return { ...remote, hub, clock };
}

const RESULT = { result: { content: [{ type: 'text', text: 'gone' }] } };
/** An event by which a stream can be asked for again from there on. */
const PRIMING = 'id: 1\ndata: \n\n';
const ENDED = 'The connection ended before the answer came';
const NO_ANSWER = 'The server accepted the request but did not answer it';

describe('a call over HTTP', () => {
  it.each<[string, RemoteAnswer, string]>([
    ['the server only takes it', () => new Response(null, { status: 202 }), NO_ANSWER],
    ['another one is answered', () => jsonAnswer({ id: 777 }, RESULT), NO_ANSWER],
    ['another one is answered on the stream', () => eventStream([event({ id: 777, ...RESULT })]), ENDED],
    ['the stream ends', () => eventStream([': working\n\n']), ENDED],
    ['the stream breaks', () => eventStream([': working\n\n'], 'break'), ENDED],
    ['the stream has an answer that is none', ({ id }) => eventStream([event({ id, result: null })]), ENDED],
  ])('fails at once when %s', async (_, answer, reason) => {
    const { hub } = await startRemote({ 'tools/call': answer });
    await expect(call(hub)).rejects.toThrow(reason);
  });

  it.each<[string, RemoteAnswer]>([
    ['as the response', (message) => jsonAnswer(message, RESULT)],
    ['on a stream that ends', ({ id }) => eventStream([event({ id, ...RESULT })])],
    ['on a stream that breaks after it', ({ id }) => eventStream([event({ id, ...RESULT })], 'break')],
  ])('returns only its result if that comes %s', async (_, answer) => {
    const { hub } = await startRemote({ 'tools/call': answer });
    expect(await call(hub)).toBe('gone');
    expect(hub.status()[0]?.noise.last ?? '').not.toContain('unknown message ID');
  });

  it.each([
    ['response', 'application/json', '{"jsonrpc":"2.0","id":0,"result":{"text":"'],
    ['event', 'text/event-stream', `${PRIMING}data: `],
  ])('fails with the limit if the %s does not end, and stops reading', async (_, type, beginning) => {
    let chunks = 0;
    let isCancelled = false;
    const filler = Buffer.alloc(MIB, 'x');
    const answer: RemoteAnswer = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from(beginning)),
        pull(controller) {
          chunks += 1;
          controller.enqueue(filler);
        },
        cancel() {
          isCancelled = true;
        },
      });
      return new Response(body, { headers: { 'content-type': type } });
    };
    const { hub, asked, clock } = await startRemote({ 'tools/call': answer });
    await expect(call(hub)).rejects.toThrow("The server's answer is longer than 33554432 bytes; ask for less at once");
    await until(() => isCancelled);
    expect(chunks).toBeLessThan(40);
    // What was given up is not asked for again, though the stream said how.
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.filter((method) => method === 'GET')).toHaveLength(1);
  });

  it.each([
    ['goes on', false, 2],
    ['was given up', true, 1],
  ])('that %s is resumed or not if the server supports resuming', async (_, isGivenUp, streams) => {
    const { hub, asked, clock } = await startRemote({ 'tools/call': () => eventStream([PRIMING]) });
    const caller = new AbortController();
    const calling = call(hub, {}, caller.signal);
    calling.catch(() => {});
    await until(() => clock.pending.includes(1_000));
    if (isGivenUp) {
      caller.abort(new Error('enough'));
      await expect(calling).rejects.toThrow('enough');
    }
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.filter((method) => method === 'GET')).toHaveLength(streams);
  });

  it('may have any number of events within the size limit', async () => {
    const comment = `: ${'x'.repeat(MIB)}\n\n`;
    const { hub } = await startRemote({
      'tools/call': ({ id }) => eventStream([...Array.from({ length: 40 }, () => comment), event({ id, ...RESULT })]),
    });
    expect(await call(hub)).toBe('gone');
  });
});

describe('a request other than a call', () => {
  it('also fails if its result is nested too deeply to be forwarded', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(1_500)}${']'.repeat(1_500)}`);
    const { hub } = await startRemote({ 'prompts/get': (message) => jsonAnswer(message, { result: { deep } }) });
    const asking = hub.request({ server: 'remote', method: 'prompts/get', params: {} });
    await expect(asking).rejects.toThrow('Server "remote" answered with a result that nests deeper than 1000 levels');
  });
});

describe('a stream that a server asks to reopen', () => {
  it.each([
    ['at once', 0, 1_000],
    ['after a while', 5_000, 5_000],
    ['later than a timer can wait', 1e12, 3_600_000],
  ])('%s is reopened after at least a second', async (_, retry, waitMs) => {
    const { asked, clock } = await startRemote({ GET: () => eventStream([`id: 1\nretry: ${retry}\n\n`]) });
    const opened = (): number => asked.filter((method) => method === 'GET').length;
    await until(() => clock.pending.length === 1);
    expect(clock.pending).toEqual([waitMs]);
    expect(opened()).toBe(1);
    clock.advance(waitMs);
    await until(() => opened() === 2);
  });
});

describe('a call over the older SSE transport', () => {
  /** The server's end of the latest stream. */
  function oldServer(): { readonly answers: Record<string, RemoteAnswer>; write(text: string): void; end(): void } {
    const encoder = new TextEncoder();
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
    const write = (text: string): void => stream?.enqueue(encoder.encode(text));
    const accepted = new Response(null, { status: 202 });
    const answerWith =
      (answer: object): RemoteAnswer =>
      ({ id }) => {
        write(event({ id, ...answer }));
        return accepted.clone();
      };
    return {
      write,
      end: () => stream?.close(),
      answers: {
        GET: () => {
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              stream = controller;
              write('event: endpoint\ndata: /messages\n\n');
            },
          });
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        },
        'server/discover': answerWith({ error: { code: -32_601, message: 'Method not found' } }),
        initialize: answerWith({
          result: {
            protocolVersion: '2024-11-05',
            capabilities: { tools: {} },
            serverInfo: { name: 'old', version: '1' },
          },
        }),
        'tools/list': answerWith({ result: { tools: [{ name: 'go', inputSchema: { type: 'object' } }] } }),
        'tools/call': () => accepted.clone(),
      },
    };
  }

  it.each<[string, (server: ReturnType<typeof oldServer>) => void, string]>([
    ['ends', ({ end }) => end(), ENDED],
    [
      'has an event that is too long',
      ({ write }) => {
        write('data: ');
        for (let count = 0; count < 33; count += 1) write('x'.repeat(MIB));
      },
      "The server's answer is longer than 33554432 bytes",
    ],
  ])('fails at once when the stream %s, and the server is initialized again', async (_, happen, reason) => {
    const server = oldServer();
    const { hub, asked, clock } = await startRemote(server.answers, { type: 'sse' });
    const calling = call(hub);
    await until(() => asked.includes('tools/call'));
    happen(server);
    await expect(calling).rejects.toThrow(reason);
    await until(() => hub.status()[0]?.state === 'down');
    clock.advance(1_000);
    await until(() => hub.status()[0]?.state === 'ready');
    expect(asked.filter((method) => method === 'initialize')).toHaveLength(2);
  });
});

describe('a list that fails', () => {
  it('is in the status until a list succeeds', async () => {
    let isLocked = true;
    const error = { code: -32_603, message: 'the database is locked' };
    const result = { tools: [{ name: 'go', inputSchema: { type: 'object' } }] };
    const { hub, clock } = await startRemote({
      'tools/list': (message) => jsonAnswer(message, isLocked ? { error } : { result }),
    });
    const listingFailure = "its tools can't be listed: the database is locked";
    expect(hub.status()).toMatchObject([{ state: 'ready', tools: 0, listingFailure }]);
    const told: unknown[] = [];
    hub.subscribe(() => told.push(hub.status()[0]?.listingFailure));
    isLocked = false;
    clock.advance(10_000);
    await until(() => hub.status()[0]?.tools === 1);
    expect(told).toEqual([undefined]);
  });
});

function event(message: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}
