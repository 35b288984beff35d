import { IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { SettingError } from '@quartermaster/core/errors';
import { isLoopback } from './access/index.ts';
import type { Gateway } from './create-gateway.ts';
import { noteIncoming } from './http/index.ts';
import { trackConnections } from './track-connections.ts';

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
