import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readAddressRules } from './address-rules.ts';
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';
import { isPublicAddress } from './is-public-address.ts';

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

function guarded(allow: readonly string[], options: Partial<GuardedFetchOptions> = {}): typeof fetch {
  const { fetch, close } = createGuardedFetch({ rules: readAddressRules(allow), ...options });
  onTestFinished(close);
  return fetch;
}

function later(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const standsFor =
  (...addresses: string[]): NonNullable<GuardedFetchOptions['lookup']> =>
  (_, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('the pattern', () => {
  it.each([
    ['https://*', 'https://mcp.example.com/any?x=1', true],
    ['https://*', 'https://mcp.example.com:8443/', false],
    ['https://*:*', 'https://mcp.example.com:8443/', true],
    ['https://*', 'http://mcp.example.com/', false],
    ['https://*', 'https://10.0.0.1/', false],
    ['https://*', 'https://10.0.0.1./', false],
    ['https://*', 'https://2130706433/', false],
    ['https://*', 'https://0x7f.1/', false],
    ['https://*', 'https://017700000001/', false],
    ['https://*', 'https://[::ffff:127.0.0.1]/', false],
    ['https://*', 'https://[::ffff:7f00:1]/', false],
    ['https://*.example.com', 'https://mcp.example.com./', false],
    ['https://*.example.com', 'https://mcp.example.com/', true],
    ['https://*.example.com', 'https://evil.net/.example.com', false],
    ['https://*.example.com', 'https://evil.net?.example.com', false],
    ['https://*.example.com', 'https://example.com.evil.net/', false],
    ['https://mcp.example.com/v1/*', 'https://mcp.example.com/v1/mcp', true],
    ['https://mcp.example.com/v1/*', 'https://mcp.example.com/v2/mcp', false],
    ['https://mcp.example.com/v1/*', 'https://mcp.example.com/v1/../v2', false],
    ['https://MCP.example.com', 'https://mcp.EXAMPLE.com/', true],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/mcp', true],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9001/mcp', false],
    ['http://[::1]:9000', 'http://[::1]:9000/mcp', true],
    ['https://mcp.example.com', 'https://someone@mcp.example.com/', false],
    ['nonsense', 'https://mcp.example.com/', false],
  ])('%s covers %s: %s', (pattern, url, expected) => {
    expect(readAddressRules([pattern]).find(new URL(url)) !== undefined).toBe(expected);
  });
});

describe('an address is public:', () => {
  it.each([
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.16.0.1', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['2606:4700::1111', true],
    ['::1', false],
    ['::', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2001:db8::1', false],
    ['mcp.example.com', false],
  ])('%s %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe('a request to an address from untrusted input', () => {
  it.each([['127.0.0.1'], ['10.0.0.7'], ['::1'], ['169.254.169.254'], ['::ffff:127.0.0.1'], ['168.63.129.16']])(
    'goes nowhere when its name stands for %s',
    async (address) => {
      let arrived = 0;
      const port = await listening((_, response) => {
        arrived += 1;
        response.end();
      });
      const fetch = guarded(['http://*:*'], { lookup: standsFor(address) });
      await expect(fetch(`http://rebound.example:${port}/`)).rejects.toThrow('does not resolve to a public address');
      expect(arrived).toBe(0);
    },
  );

  it('is sent as it was made where its host was named', async () => {
    const port = await listening(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.writeHead(201, { 'x-method': request.method ?? '', 'x-token': request.headers.authorization ?? '' });
      response.end(Buffer.concat(chunks));
    });
    const response = await guarded(['http://127.0.0.1:*'])(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { authorization: 'Bearer t' },
      body: 'hello',
    });
    expect(response.status).toBe(201);
    expect([response.headers.get('x-method'), response.headers.get('x-token')]).toEqual(['POST', 'Bearer t']);
    expect(await response.text()).toBe('hello');
  });

  it('follows no redirect', async () => {
    const port = await listening((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/' });
      response.end();
    });
    expect((await guarded(['http://127.0.0.1:*'])(`http://127.0.0.1:${port}/`)).status).toBe(302);
  });

  it('reads no more of a response than it may', async () => {
    const port = await listening((_, response) => void response.end('x'.repeat(10_000)));
    const response = await guarded(['http://127.0.0.1:*'], { maxBytes: 1_000 })(`http://127.0.0.1:${port}/`);
    await expect(response.text()).rejects.toThrow();
  });

  it('of which the rest can’t be read is not kept open', async () => {
    const { promise: isClosed, resolve: close } = later();
    const port = await listening((request, response) => {
      request.socket.once('close', close);
      response.writeHead(999).write('part');
    });
    await expect(guarded(['http://127.0.0.1:*'])(`http://127.0.0.1:${port}/`)).rejects.toThrow(RangeError);
    await isClosed;
  });

  it('keeps its connection no longer than it may', async () => {
    const { promise: isClosed, resolve: close } = later();
    const port = await listening((request, response) => {
      request.socket.once('close', close);
      response.end('ok');
    });
    const response = await guarded(['http://127.0.0.1:*'], { idleMs: 1 })(`http://127.0.0.1:${port}/`);
    expect(await response.text()).toBe('ok');
    await isClosed;
  });

  it.each(['constructor', '__proto__', 'gzip, br'])(
    'reads a body that says it is coded as %s as it is',
    async (coding) => {
      const port = await listening(
        (_, response) => void response.writeHead(200, { 'content-encoding': coding }).end('ok'),
      );
      expect(await (await guarded(['http://127.0.0.1:*'])(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
    },
  );

  it('reads no more than it may of what grows when it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const port = await listening(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const response = await guarded(['http://127.0.0.1:*'], { maxBytes: 10_000 })(`http://127.0.0.1:${port}/`);
    await expect(response.text()).rejects.toThrow('longer than 10000 bytes');
  });

  it('ends when it is called off', async () => {
    const stop = new AbortController();
    const port = await listening(() => stop.abort(new Error('called off')));
    await expect(
      guarded(['http://127.0.0.1:*'])(`http://127.0.0.1:${port}/`, { signal: stop.signal }),
    ).rejects.toThrow();
  });
});
