import { createServer, IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from './api-error.ts';
import {
  allocateBodyMemory,
  createRequestMemory,
  noteIncoming,
  type ReadableRequest,
  readBytes,
  releaseBodyMemory,
} from './read-bytes.ts';

const TEXT = JSON.stringify({ text: 'é'.repeat(100_000) });
const LIMIT = 1_000_000;

/** With as much memory as it needs. */
const open = (request: Request): ReadableRequest => ({ request, memory: createRequestMemory(2 ** 30).open('') });

/** Hands requests of Node's HTTP on as `serve` does, and answers with what was read, or with the refusal's status. */
async function echo(prepare: (request: Request) => Request | Promise<Request>): Promise<string> {
  const listener = getRequestListener(async (request, { incoming }) => {
    if (incoming instanceof IncomingMessage) noteIncoming(request, incoming);
    try {
      return new Response(new Uint8Array(await readBytes(open(await prepare(request)), LIMIT)));
    } catch (error) {
      return new Response(String(error), { status: error instanceof ApiError ? error.status : 500 });
    }
  });
  return listen(listener);
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readFirst(read: Request, given: Request): Promise<Request> {
  await read.text();
  return given;
}

async function send(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body: typeof body === 'string' ? body : new Uint8Array(body), headers });
}

describe('a body that came over Node’s HTTP', () => {
  it.each<[string, (request: Request) => Request | Promise<Request>]>([
    ['as it is', (request) => request],
    ['after a clone was read', (request) => readFirst(request.clone(), request)],
    ['from a clone', (request) => request.clone()],
    ['with a clone that nobody reads', (request) => request.clone() && request],
    ['in another request', (request) => new Request(request, { headers: request.headers })],
    ['after somebody has looked at its stream', (request) => (request.body === null ? request.clone() : request)],
  ])('is read whole %s', async (_, prepare) => {
    const url = await echo(prepare);
    expect(await (await send(url, TEXT)).text()).toBe(TEXT);
    expect(await (await send(url, gzipSync(TEXT), { 'content-encoding': 'gzip' })).text()).toBe(TEXT);
  });

  it('is read without a copy in between where nobody else has begun', async () => {
    const memories: ArrayBufferLike[] = [];
    const large = 'x'.repeat(2 * 1024 * 1024);
    const listener = getRequestListener(async (request, { incoming }) => {
      if (incoming instanceof IncomingMessage) noteIncoming(request, incoming);
      memories.push((await readBytes(open(request), large.length)).buffer);
      return new Response('ok');
    });
    await send(await listen(listener), large);
    expect(memories[0]).toBeInstanceOf(SharedArrayBuffer);
  });

  it('is read as well by a clone that was made before', async () => {
    const copies: Promise<string>[] = [];
    const url = await echo(async (request) => {
      const copy = request.clone();
      // As in a program that logs requests: its copy waits until the answer is there.
      await new Promise(setImmediate);
      const read = await readBytes(open(request), LIMIT);
      copies.push(copy.text());
      return new Request(request.url, { method: 'POST', body: new Uint8Array(read) });
    });
    expect(await (await send(url, TEXT)).text()).toBe(TEXT);
    expect(await copies[0]).toBe(TEXT);
  });

  it('is refused if it has been read already', async () => {
    const url = await echo((request) => readFirst(request, request));
    const response = await send(url, TEXT);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('could not be read')]);
  });

  it('is refused as soon as it is larger than allowed, compressed or not', async () => {
    const url = await echo((request) => request);
    const large = 'x'.repeat(LIMIT + 1);
    expect((await send(url, gzipSync(large), { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await send(url, 'x'.repeat(LIMIT))).status).toBe(200);
  });
});

describe('the memory that a body may take', () => {
  it.each([
    { what: 'as it arrives', sent: Buffer.from(`"${'x'.repeat(300_000)}"`), headers: {} },
    {
      what: 'as it is unpacked',
      sent: gzipSync(`"${'x'.repeat(300_000)}"`),
      headers: { 'content-encoding': 'gzip' },
    },
    { what: 'by what it becomes', sent: Buffer.from(`[${'{},'.repeat(20_000)}{}]`), headers: {} },
  ])('is counted $what, and its end refuses the request', async ({ sent, headers }) => {
    const memory = createRequestMemory(500_000);
    const shares = [memory.open('a'), memory.open('b')];
    const listener = getRequestListener(async (request, { incoming }) => {
      if (incoming instanceof IncomingMessage) noteIncoming(request, incoming);
      const share = shares.pop() ?? memory.open('c');
      return readBytes({ request, memory: share }, LIMIT).then(
        () => new Response('read'),
        (error: ApiError) => new Response(error.message, { status: error.status }),
      );
    });
    const url = await listen(listener);
    expect((await send(url, '{}')).status).toBe(200);
    expect(memory.bytes).toBeGreaterThanOrEqual(2);
    const refused = await send(url, sent, headers);
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('limits.inProgressBytes')]);
  });
});

describe('the memory of an upload', () => {
  const LENGTH = 11 * 1024 * 1024;
  const headers = { 'content-length': String(LENGTH) };

  /** An upload whose events are the test's to make. */
  function upload(): { readonly incoming: IncomingMessage; readonly read: Promise<Buffer> } {
    const incoming = new IncomingMessage(new Socket());
    const request = new Request('http://localhost/', { method: 'POST', headers });
    noteIncoming(request, incoming);
    const read = readBytes(open(request), LENGTH);
    read.catch(() => undefined);
    return { incoming, read };
  }

  /** New memory is clean, so that it can be told which was used before. */
  const beginningOf = (memory: Buffer): string => memory.toString('latin1', 0, 3);

  it('is used again where the client goes away in the middle of it', async () => {
    let onRead: (outcome: unknown) => void = () => undefined;
    const outcome = new Promise((resolve) => {
      onRead = resolve;
    });
    const listener = getRequestListener(async (request, { incoming }) => {
      if (!(incoming instanceof IncomingMessage)) throw new Error('It came from elsewhere');
      noteIncoming(request, incoming);
      const read = readBytes(open(request), LENGTH);
      incoming.once('data', () => client.destroy());
      await read.then(onRead, onRead);
      return new Response('too late');
    });
    const { port } = new URL(await listen(listener));
    const client = connect(Number(port), '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LENGTH}\r\n\r\nabc`);
    expect(await outcome).toMatchObject({ status: 400 });
    expect(beginningOf(allocateBodyMemory(LENGTH))).toBe('abc');
  });

  it.each<[string, (incoming: IncomingMessage) => void]>([
    ['fails', (incoming) => incoming.emit('error', new Error('reset'))],
    ['ends too early', (incoming) => incoming.emit('close')],
  ])('is given back once where it %s, and not written to any more', async (_, end) => {
    const { incoming, read } = upload();
    incoming.emit('data', Buffer.from('def'));
    end(incoming);
    await expect(read).rejects.toMatchObject({ status: 400 });
    const next = allocateBodyMemory(LENGTH);
    expect(beginningOf(next)).toBe('def');
    incoming.emit('data', Buffer.from('ghi'));
    incoming.emit('close');
    expect(next.toString('latin1', 3, 6)).not.toBe('ghi');
    expect(allocateBodyMemory(LENGTH).buffer).not.toBe(next.buffer);
  });

  it('is its reader’s once it was read, whatever becomes of the connection', async () => {
    const { incoming, read } = upload();
    incoming.emit('data', Buffer.from('jkl'));
    incoming.emit('end');
    incoming.emit('error', new Error('reset'));
    incoming.emit('close');
    const { buffer } = await read;
    const other = allocateBodyMemory(LENGTH);
    expect(other.buffer).not.toBe(buffer);
    releaseBodyMemory(other);
  });
});

describe('a request that another framework has made', () => {
  const make = (body: string, headers: Record<string, string> = {}): Request =>
    new Request('http://localhost/', { method: 'POST', body, headers });

  it('is read whole, whatever it says of its length', async () => {
    expect((await readBytes(open(make(TEXT)), LIMIT)).toString()).toBe(TEXT);
    expect((await readBytes(open(make(TEXT, { 'content-length': '3' })), LIMIT)).toString()).toBe(TEXT);
    expect(await readBytes(open(new Request('http://localhost/')), LIMIT)).toHaveLength(0);
  });

  it('leaves the pieces that its maker sends as they are', async () => {
    const piece = new Uint8Array(100_000).fill(0x20);
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 2; sent += 1) controller.enqueue(piece);
        controller.close();
      },
    });
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await readBytes(open(request), LIMIT)).toHaveLength(2 * piece.length);
    expect(piece).toHaveLength(100_000);
  });

  it('is refused beyond the limit, though it declares less', async () => {
    const lying = make('x'.repeat(LIMIT + 1), { 'content-length': '3' });
    await expect(readBytes(open(lying), LIMIT)).rejects.toMatchObject({ status: 413 });
  });
});
