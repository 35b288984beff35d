import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { trackConnections } from './serve.ts';

/** A server that leaves its responses to the test, and a client in the middle of a request. */
async function askedServer() {
  const server = createServer();
  const connections = trackConnections(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [{ socket }, response] = (await once(server, 'request')) as [{ socket: Socket }, ServerResponse];
  return { connections, client, socket, response, destroy: vi.spyOn(socket, 'destroy') };
}

describe('connections', () => {
  it('of clients that went away during their request are forgotten', async () => {
    const { connections, client, socket, response, destroy } = await askedServer();
    const closed = Promise.all([once(socket, 'close'), once(response, 'close')]);
    client.destroy();
    await closed;
    destroy.mockClear();
    connections.end();
    expect(destroy).not.toHaveBeenCalled();
  });

  it('that wait for their next request are ended at once', async () => {
    const { connections, response, destroy } = await askedServer();
    response.end();
    await once(response, 'close');
    expect(destroy).not.toHaveBeenCalled();
    connections.end();
    expect(destroy).toHaveBeenCalledOnce();
  });

  it('with a response under way are ended after it', async () => {
    const { connections, client, response, destroy } = await askedServer();
    connections.end();
    expect(destroy).not.toHaveBeenCalled();
    let said = '';
    client.on('data', (chunk) => {
      said += String(chunk);
    });
    const closed = once(client, 'close');
    response.end('all of it');
    await closed;
    expect(destroy).toHaveBeenCalled();
    expect(said).toContain('all of it');
  });
});
