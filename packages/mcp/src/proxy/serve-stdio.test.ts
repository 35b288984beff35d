import { PassThrough } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createHub } from '../hub/index.ts';
import { type ClientLine, createClient, textOf } from '../testing/clients.fixture.ts';
import { oddServer } from '../testing/odd-server.fixture.ts';
import { createProxy } from './create-proxy.ts';
import { serveStdio } from './serve-stdio.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('serveStdio', () => {
  it.each<ClientLine>(['v1', 'v2', 'v2-modern'])('serves a %s client over pipes, and ends with it', async (line) => {
    const hub = createHub({ servers: { plain: oddServer('plain') } });
    const proxy = createProxy({ hub, form: 'inline' });
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
});
