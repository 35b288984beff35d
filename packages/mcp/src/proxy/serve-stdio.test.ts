import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createHub } from '../hub/index.ts';
import { type ClientLine, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { oddServer } from '../testing/odd-server.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { createProxy } from './create-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';
import { serveStdio } from './serve-stdio.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('serveStdio', () => {
  it.each<ClientLine>(['v1', 'v2', 'v2-modern'])('serves a %s client over pipes, and ends with it', async (line) => {
    const hub = createHub({ servers: { plain: oddServer('plain') } });
    const proxy = createProxy({ hub, waits: PATIENT, form: 'inline' });
    closing.push(proxy.close, hub.close);
    const [toProxy, toClient] = [new PassThrough(), new PassThrough()];
    const connection = await serveStdio(proxy, { input: toProxy, output: toClient });
    const client = createClient(line);
    // The same framing both ways, so the server's transport serves a client as well.
    await client.connect(new StdioServerTransport(toClient, toProxy));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['plain__hello']);
    expect(textOf(await client.callTool({ name: 'plain__hello', arguments: {} }))).toBe('hello');
    toProxy.end();
    await connection.closed;
  });

  it('accepts long messages, and answers with an error where a result is longer than clients take', async () => {
    const hub = createHub({ servers: { small: smallServer(() => ({ echo: 'Says it again' })) } });
    const proxy = createProxy({ hub, waits: PATIENT, form: 'inline', maxResultBytes: 64 * 1024 * 1024 });
    closing.push(proxy.close, hub.close);
    const [toProxy, toClient] = [new PassThrough(), new PassThrough()];
    await serveStdio(proxy, { input: toProxy, output: toClient });
    const client = createClient('v2');
    await client.connect(new StdioServerTransport(toClient, toProxy));
    const say = (text: string): ReturnType<typeof client.callTool> =>
      client.callTool({ name: 'small__echo', arguments: { text } });
    await expect(say('x'.repeat(11 * 1024 * 1024))).rejects.toThrow(
      /The result has 11534\d{3} bytes, more than the 10000000 that clients take; ask for less at once$/,
    );
    expect(textOf(await say('still here'))).toBe('echo: still here');
  });

  /** The transport alone, and the lines that come out of it. */
  async function startTransport(): Promise<{ readonly transport: Transport; readonly lines: () => unknown[] }> {
    const output = new PassThrough();
    let transport: Transport | undefined;
    const proxy: Pick<McpProxy, 'connect'> = {
      connect: async (given) => {
        transport = given;
        return { close: () => given.close(), closed: Promise.resolve() };
      },
    };
    await serveStdio(proxy as McpProxy, { input: new PassThrough(), output });
    if (transport === undefined) throw new Error('nothing was connected');
    const lines = (): unknown[] =>
      String(output.read() ?? '')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    return { transport, lines };
  }

  const DEEP: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  const LONG = 'x'.repeat(10_000_000);

  it.each([
    ['result', { result: { content: LONG } }, /^The result has 100000\d\d bytes/],
    ['result', { result: { content: DEEP } }, /^The result nests too deeply to be sent$/],
    ['error', { error: { code: 1, message: 'no', data: LONG } }, /^The result has 100000\d\d bytes/],
    ['error', { error: { code: 1, message: 'no', data: DEEP } }, /^The result nests too deeply to be sent$/],
  ])('sends an error instead of what cannot be serialized: %s %#', async (_, answer, message) => {
    const { transport, lines } = await startTransport();
    await transport.send({ jsonrpc: '2.0', id: 7, ...answer } as unknown as JSONRPCMessage);
    const error = { code: -32_603, message: expect.stringMatching(message) };
    expect(lines()).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
  });

  it.each([
    ['notification', { method: 'notifications/message', params: { data: LONG } }],
    ['request', { id: 7, method: 'sampling/createMessage', params: { data: DEEP } }],
  ])('refuses a %s that cannot be serialized', async (_, message) => {
    const { transport, lines } = await startTransport();
    await expect(transport.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)).rejects.toThrow(/^The message /);
    expect(lines()).toEqual([]);
  });
});
