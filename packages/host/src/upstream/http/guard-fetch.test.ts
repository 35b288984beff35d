import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedServer, type ServerTurn, startServer } from '../scripted-server.fixture.ts';
import { guardFetch } from './guard-fetch.ts';
import type { HttpLimits } from './http-upstream-options.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(turn: ServerTurn): Promise<string> {
  const server = await startServer([turn]);
  servers.push(server);
  return server.url;
}

/** The text of an answer that comes in these chunks, through the guard. */
async function read(
  chunks: readonly Uint8Array[],
  limits: HttpLimits,
  init: ResponseInit = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const ask = guardFetch(async () => new Response(body, init), limits);
  return (await ask('http://host')).text();
}

function bytesOf(text: string, size = text.length || 1): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

describe('a guarded fetch', () => {
  it('returns an answer unchanged', async () => {
    const url = await serve({ status: 201, headers: { 'request-id': 'req_1' }, body: { a: 'é😀' } });
    const response = await guardFetch()(url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(201);
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(await response.json()).toEqual({ a: 'é😀' });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect with status %i', async (status) => {
    const elsewhere = await serve({ body: {} });
    const url = await serve({ status, headers: { location: `${elsewhere}/steal` } });
    await expect(guardFetch()(url, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      code: 'malformed',
      status: 502,
      isRetryable: false,
      message: `The upstream redirects to ${elsewhere}/steal with status ${status}: set baseUrl to where its API is`,
    });
    expect(servers[0]?.requests).toEqual([]);
  });

  it('returns an answer without a body', async () => {
    const response = await guardFetch(async () => new Response(null, { status: 204 }))('http://host');
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('refuses an invalid status', async () => {
    const url = await serve({ status: 799, body: {} });
    await expect(guardFetch()(url)).rejects.toMatchObject({ code: 'malformed', status: 502 });
  });

  it.each(['application/json', 'text/event-stream'])('ends an answer of %s that is too large', async (type) => {
    const init = { headers: { 'content-type': type } };
    const lines = bytesOf('data: a\n\n'.repeat(20), 9);
    await expect(read(lines, { maxBodyBytes: 179 }, init)).rejects.toMatchObject({
      code: 'malformed',
      message: "The upstream's answer is larger than 179 bytes",
      isRetryable: false,
    });
    expect(await read(lines, { maxBodyBytes: 180 }, init)).toHaveLength(180);
  });

  it.each([
    ['one line', `data: ${'x'.repeat(200)}`],
    ['many lines', 'data: xxxxxxxxx\n'.repeat(30)],
    ['lines that end in returns', 'data: xxxxxxxxx\r'.repeat(30)],
    ['lines that end in both', 'data: xxxxxxxxx\r\n'.repeat(30)],
    ['an event among others', `data: a\n\ndata: ${'x'.repeat(200)}\n\ndata: b\n\n`],
  ])('ends a stream with an event that is too long in %s', async (_what, text) => {
    for (const size of [1, 7, 10_000]) {
      await expect(read(bytesOf(text, size), { maxEventLength: 100 })).rejects.toMatchObject({
        code: 'malformed',
        message: "An event of the upstream's stream is longer than 100 characters",
        isRetryable: false,
      });
    }
  });

  it.each(['\n', '\r', '\r\n'])('lets any number of events pass whose lines end in %j', async (end) => {
    const text = `data: ${'x'.repeat(90)}${end}${end}`.repeat(30);
    for (const size of [1, 7, 10_000]) {
      expect(await read(bytesOf(text, size), { maxEventLength: 100 })).toHaveLength(text.length);
    }
  });

  it('counts characters as a string does, for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat({ max: 5 }), async (text, extra) => {
        const line = text.replace(/[\r\n\uFEFF]/g, ' ');
        const chunks = bytesOf(line, 1 + extra);
        expect(await read(chunks, { maxEventLength: line.length })).toBe(line);
        await expect(read(chunks, { maxEventLength: line.length - 1 })).rejects.toThrow('is longer than');
      }),
      { numRuns: 200 },
    );
  });

  it('does not count events outside of streams', async () => {
    const init = { headers: { 'content-type': 'application/json' } };
    expect(await read(bytesOf('x'.repeat(500)), { maxEventLength: 100 }, init)).toHaveLength(500);
  });

  it('returns the start of an error body of any length', async () => {
    const text = await read(bytesOf('x'.repeat(1_000_000), 60_000), {}, { status: 500 });
    expect(text).toBe('x'.repeat(256 * 1024));
  });

  it('returns an error body without the credentials of its request', async () => {
    const url = await serve({ status: 403, body: { error: { message: 'No model for key AIza-secret' } } });
    const response = await guardFetch()(url, { headers: { 'x-goog-api-key': 'AIza-secret' } });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ error: { message: 'No model for key [hidden]' } });
  });

  it('closes the connection when its reader stops', async () => {
    const url = await serve({ chunks: ['data: a\n\n'], after: 'hang' });
    const response = await guardFetch()(url);
    await response.body?.cancel();
    await expect(servers[0]?.closed).resolves.toBeUndefined();
  });
});
