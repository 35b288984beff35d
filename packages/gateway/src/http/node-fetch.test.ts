import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeFetch } from '../serve.ts';

async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const ECHO: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json', 'x-two': ['a', 'b'] });
  response.end(JSON.stringify({ method, url, headers, body: await textOf(request) }));
};

describe('nodeFetch', () => {
  it('sends text and headers, and answers like fetch', async () => {
    const url = await serverOf(ECHO);
    const init = { method: 'POST', headers: new Headers({ 'x-key': 'k' }), body: '{"a":"é"}' };
    const response = await nodeFetch(`${url}/path?q=1`, init);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-two')).toBe('a, b');
    const echoed = await response.json();
    expect(echoed).toMatchObject({ method: 'POST', url: '/path?q=1', body: '{"a":"é"}' });
    expect((echoed as { headers: object }).headers).toMatchObject({ 'x-key': 'k', 'content-length': '10' });
    expect(await (await fetch(`${url}/path?q=1`, init)).json()).toMatchObject({ body: '{"a":"é"}' });
  });

  it.each([
    ['a body that is no text', { method: 'POST', body: new Uint8Array([0x68, 0x69]) }, 'hi'],
    ['a form', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }, 'a=b'],
  ])('leaves %s to the built-in one', async (_, init, body) => {
    const url = await serverOf(ECHO);
    expect(await (await nodeFetch(url, init)).json()).toMatchObject({ body });
  });

  it('an answer with an error status is an answer', async () => {
    const url = await serverOf((_, response) => response.writeHead(529, { 'retry-after': '3' }).end('busy'));
    const response = await nodeFetch(url);
    expect([response.ok, response.status, response.headers.get('retry-after')]).toEqual([false, 529, '3']);
    expect(await response.text()).toBe('busy');
  });

  it('an answer without a body has none', async () => {
    const url = await serverOf((_, response) => response.writeHead(204).end());
    expect((await nodeFetch(url)).body).toBeNull();
  });

  it('follows a redirect with the same body', async () => {
    const target = await serverOf(ECHO);
    const url = await serverOf((_, response) => response.writeHead(307, { location: `${target}/there` }).end());
    const response = await nodeFetch(url, { method: 'POST', body: 'text' });
    expect(await response.json()).toMatchObject({ url: '/there', body: 'text' });
  });

  it('reads what is compressed though it did not ask for that', async () => {
    const url = await serverOf(({ headers }, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(String(headers['accept-encoding'])));
    });
    expect(await (await nodeFetch(url)).text()).toBe('identity');
  });

  it('gives the parts of a stream as they come', async () => {
    let send: (text: string) => void = () => undefined;
    const url = await serverOf((_, response) => {
      response.writeHead(200).write('one');
      send = (text) => response.end(text);
    });
    const reader = (await nodeFetch(url)).body?.getReader();
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('one');
    send('two');
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('names the cause if no server responds', async () => {
    const error: unknown = await nodeFetch('http://127.0.0.1:1/').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('a connection that is cut fails the body, and not with its end', async () => {
    const url = await serverOf((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('part', () => response.destroy());
    });
    const response = await nodeFetch(url);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  it.each(['before', 'while waiting', 'while reading'])('an abort %s ends it with the reason', async (when) => {
    const controller = new AbortController();
    const reason = new Error('gone');
    let isClosed: Promise<unknown> = Promise.resolve();
    const url = await serverOf((_, response) => {
      isClosed = new Promise((resolve) => response.once('close', resolve));
      if (when === 'while reading') response.writeHead(200).write('part');
      else controller.abort(reason);
    });
    if (when === 'before') controller.abort(reason);
    const asked = nodeFetch(url, { signal: controller.signal });
    if (when === 'while reading') {
      const reading = (await asked).text();
      controller.abort(reason);
      await expect(reading).rejects.toBe(reason);
    } else {
      await expect(asked).rejects.toBe(reason);
    }
    await isClosed;
  });

  it('a body that is given up closes its connection', async () => {
    let isClosed: Promise<unknown> = Promise.resolve();
    const url = await serverOf((_, response) => {
      isClosed = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200).write('part');
    });
    await (await nodeFetch(url)).body?.cancel();
    await isClosed;
  });

  it('bodies that arrive faster than they are read leave everyone else a turn', async () => {
    const worker = new Worker(FAST_HOST, { eval: true });
    onTestFinished(async () => void (await worker.terminate()));
    const [port] = (await once(worker, 'message')) as [number];
    let read = 0;
    let most = 0;
    let isOver = false;
    const watch = (): void => {
      most = Math.max(most, read);
      read = 0;
      if (!isOver) setImmediate(watch);
    };
    const readAll = async (): Promise<void> => {
      const { body } = await nodeFetch(`http://127.0.0.1:${port}/`);
      for await (const chunk of body ?? []) read += chunk.byteLength;
    };
    watch();
    await Promise.all(Array.from({ length: 6 }, readAll));
    isOver = true;
    expect(most).toBeLessThan(1024 * 1024);
  });
});

/** Sends 8 MiB to each client, as fast as they go out. */
const FAST_HOST = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((_, response) => response.end(Buffer.alloc(8 * 1024 * 1024)));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
