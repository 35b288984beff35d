import { IncomingMessage, Agent as PlainAgent, request as requestPlain, type Server } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createAdaptorServer } from '@hono/node-server';
import { SettingError } from '@quartermaster/core/errors';
import { checkOptionNames } from '@quartermaster/core/internal';
import { isLoopback } from './access/index.ts';
import type { Gateway } from './create-gateway.ts';
import { noteIncoming } from './http/index.ts';
import { nextTurn } from './http/take-turns.ts';

/** Options of `serve`. */
export interface ServeOptions {
  readonly gateway: Gateway;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** 0 uses any free port. @default 8787 */
  readonly port?: number;
  /** Whether requests need API keys. Without them only this machine is served. */
  readonly hasKeys: boolean;
  /** How long closing waits for streams in progress, in milliseconds. Then they are cut. @default 30_000 */
  readonly graceMs?: number;
}

/** A gateway that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Accepts no more connections, finishes the streams in progress, and loses no request. */
  close(): Promise<void>;
}

/** The default address of a gateway. */
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
  /** Closes idle connections now, and each of the others as soon as it is idle. */
  end(): void;
}

/** Knows which of a server's connections are busy: the server itself would wait for clients that keep theirs open. */
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
      // If the client has left, its connection was closed before its response, and must not be kept.
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

/**
 * `fetch` on Node's own client, for the JSON that is sent to models: half the CPU time of the built-in one, which is a good part of
 * what a request costs here. Other uses (bodies that are streams or forms, redirects) are left to the built-in one.
 */
export const nodeFetch: typeof fetch = async (input, init = {}) => {
  const { method = 'GET', body } = init;
  if (input instanceof Request || (body !== undefined && body !== null && !isPlain(body))) {
    return fetch(input, init);
  }
  const signal = init.signal ?? undefined;
  const headers: Record<string, string> = { ...HEADERS };
  new Headers(init.headers).forEach((value, name) => {
    headers[name] = value;
  });
  if (body !== undefined && body !== null) headers['content-length'] = String(Buffer.byteLength(body));
  const sending = { method, headers, body: body ?? undefined, agents: AGENTS, signal };
  const response = await sendRequest(new URL(input), sending).catch((cause: unknown) => {
    // In the format that callers of `fetch` expect.
    throw signal?.aborted === true ? cause : new TypeError('fetch failed', { cause });
  });
  if (!REDIRECTS.has(response.statusCode ?? 0) || response.headers.location === undefined) {
    return responseOf(response, { signal });
  }
  response.destroy();
  return fetch(input, init);
};

function isPlain(body: BodyInit): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** Events must be readable as they arrive, which compression would delay. */
const HEADERS = { accept: '*/*', 'user-agent': 'node', 'accept-encoding': 'identity' };

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Idle connections are closed before most hosts do it: a connection closed during a request fails the request. */
const SETTINGS = { keepAlive: true, noDelay: true, timeout: 4_000 };

const AGENTS: Agents = { plain: new PlainAgent(SETTINGS), secure: new SecureAgent(SETTINGS) };

/** One per scheme. */
interface Agents {
  readonly plain: PlainAgent;
  readonly secure: SecureAgent;
}

interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly agents: Agents;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request on Node's own client. Follows no redirects; rejects with the error, or with the signal's reason. */
export function sendRequest(url: URL, { method, headers, body, agents, signal }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request =
      url.protocol === 'https:'
        ? requestSecure(url, { method, headers, agent: agents.secure })
        : requestPlain(url, { method, headers, agent: agents.plain });
    const abort = (): void => {
      request.destroy(new Error('aborted'));
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', abort));
    request.once('response', resolve);
    request.on('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
    request.end(body);
  });
}

interface Reading {
  /** The body fails with its reason once it aborts. */
  readonly signal: AbortSignal | undefined;
  /** The longest accepted body, decompressed. @default no limit */
  readonly maxBytes?: number;
}

/** A response of Node's own client, as `fetch` returns it. */
export function responseOf(incoming: IncomingMessage, reading: Reading): Response {
  try {
    const headers = new Headers();
    for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
      headers.append(String(incoming.rawHeaders[at]), String(incoming.rawHeaders[at + 1]));
    }
    const { statusCode: status = 0 } = incoming;
    if (!EMPTY.has(status)) return new Response(bodyOf(decoded(incoming), reading), { status, headers });
    incoming.resume();
    return new Response(null, { status, headers });
  } catch (error) {
    // Not a valid status. The rest will not be read, and would hold the connection.
    incoming.destroy();
    throw error;
  }
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** How much of one body is read before others have a turn: Node reads up to 2 MiB of a connection in one go. */
const TURN_BYTES = 64 * 1024;

/** Produces as fast as its reader reads, and no faster. */
function bodyOf(
  source: Readable,
  { signal, maxBytes = Number.POSITIVE_INFINITY }: Reading,
): ReadableStream<Uint8Array> {
  let size = 0;
  let sinceTurn = 0;
  // Node may have more events pending when the stream is over, and a controller throws on them.
  let isOver = false;
  const once = (finish: () => void): void => {
    if (!isOver) finish();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      source.on('data', (chunk: Buffer) => {
        if (isOver) return;
        size += chunk.length;
        if (size > maxBytes) {
          once(() => controller.error(new Error(`its response is longer than ${maxBytes} bytes`)));
          source.destroy();
          return;
        }
        sinceTurn += chunk.length;
        controller.enqueue(chunk);
        if (sinceTurn >= TURN_BYTES || (controller.desiredSize ?? 0) <= 0) source.pause();
      });
      source.on('end', () => once(() => controller.close()));
      source.on('error', (cause) => {
        once(() => controller.error(signal?.aborted === true ? signal.reason : new TypeError('terminated', { cause })));
      });
    },
    async pull() {
      if (sinceTurn >= TURN_BYTES) {
        await nextTurn();
        sinceTurn = 0;
      }
      source.resume();
    },
    cancel() {
      once(() => source.destroy());
    },
  });
}

/** Some hosts compress although they were asked not to. */
function decoded(incoming: IncomingMessage): Readable {
  const decoder = DECODERS.get(incoming.headers['content-encoding']?.toLowerCase() ?? '');
  if (decoder === undefined) return incoming;
  const stream = decoder();
  incoming.on('error', (error) => stream.destroy(error));
  stream.once('close', () => incoming.destroy());
  return incoming.pipe(stream);
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
