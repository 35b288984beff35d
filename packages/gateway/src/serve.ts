import { IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { SettingError } from '@quartermaster/core/errors';
import { checkOptionNames } from '@quartermaster/core/internal';
import { isLoopback } from './access/index.ts';
import type { Gateway } from './create-gateway.ts';
import { noteIncoming } from './http/index.ts';

/** Options of `serve`. */
export interface ServeOptions {
  readonly gateway: Gateway;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** 0 takes any that is free. @default 8787 */
  readonly port?: number;
  /** Whether requests need API keys. Without them only this machine is served. */
  readonly hasKeys: boolean;
  /** How long closing waits for streams under way, in milliseconds. Then they are cut. @default 30_000 */
  readonly graceMs?: number;
}

/** A gateway that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, finishes the streams under way, and loses no request. */
  close(): Promise<void>;
}

/** Where a gateway listens, unless the options say otherwise. */
export const SERVE_DEFAULTS = { host: '127.0.0.1', port: 8787, graceMs: 30_000 } as const;

/** Listens on Node's HTTP server. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  checkOptionNames('serve', options, { ...SERVE_DEFAULTS, gateway: true, hasKeys: true });
  const { gateway, hasKeys } = options;
  const { host, port, graceMs } = { ...SERVE_DEFAULTS, ...options };
  if (!hasKeys && !isLoopback(host)) {
    throw new SettingError(
      'invalid_setting',
      `Without API keys the gateway listens on loopback only, not on ${host}; create a key or use 127.0.0.1`,
      { context: { setting: 'listen.host', value: host } },
    );
  }
  const server = createAdaptorServer({
    fetch(request, { incoming }) {
      if (incoming instanceof IncomingMessage) noteIncoming(request, incoming);
      return gateway.fetch(request);
    },
  }) as Server;
  // A long answer is not a slow client: only the request's head and body have a deadline.
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  const connections = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      connections.end();
      await gateway.close();
      await closed;
      clearTimeout(deadline);
    },
  };
}

const REQUEST_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 30_000;

interface Connections {
  /** Ends those that have nothing under way now, and each of the others as soon as that is so. */
  end(): void;
}

/** Knows what a server's connections have under way: the server itself would wait for clients that keep theirs open. */
export function trackConnections(server: Server): Connections {
  const busy = new Map<Socket, number>();
  let isEnding = false;
  server.on('connection', (socket) => {
    busy.set(socket, 0);
    socket.once('close', () => busy.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const before = busy.get(socket);
    if (before === undefined) return;
    busy.set(socket, before + 1);
    response.once('close', () => {
      const count = busy.get(socket);
      // Where the client has gone, its connection was closed before its response, and is not to be kept.
      if (count === undefined) return;
      busy.set(socket, count - 1);
      if (isEnding && count === 1) socket.destroy();
    });
  });
  return {
    end() {
      isEnding = true;
      for (const [socket, count] of busy) if (count === 0) socket.destroy();
    },
  };
}
