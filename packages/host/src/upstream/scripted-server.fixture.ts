import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export interface ServerTurn {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are, one write each. */
  readonly chunks?: readonly string[];
  /** What happens after that. @default end */
  readonly after?: 'end' | 'hang' | 'reset';
}

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Settles when the client has closed the connection of a turn that hangs. */
  readonly closed: Promise<void>;
  /** Settles when as many requests have come in. */
  received(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** A local HTTP server that follows a script, one turn to a request. The last turn is repeated. */
export async function startServer(turns: readonly ServerTurn[]): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let isClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const turn = turns[Math.min(requests.length, turns.length - 1)] ?? {};
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? {} : JSON.parse(text),
    });
    response.on('close', () => isClosed());
    answer(response, turn);
    for (const { resolve } of waiting.filter(({ count }) => requests.length >= count)) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    closed,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, turn: ServerTurn): void {
  const { status = 200, headers = {}, body, chunks, after = 'end' } = turn;
  if (chunks === undefined && body === undefined && after === 'hang') return;
  const type = chunks === undefined ? 'application/json' : 'text/event-stream';
  response.writeHead(status, { 'content-type': type, ...headers });
  if (body !== undefined) response.write(typeof body === 'string' ? body : JSON.stringify(body));
  for (const chunk of chunks ?? []) response.write(chunk);
  if (after === 'end') response.end();
  if (after === 'reset') setImmediate(() => response.destroy());
}

/** Events as a server sends them, each in its own chunk. */
export function eventChunks(parts: readonly object[], options: { readonly isNamed?: boolean } = {}): readonly string[] {
  return parts.map((part) => {
    const name = options.isNamed === true && 'type' in part ? `event: ${String(part.type)}\n` : '';
    return `${name}data: ${JSON.stringify(part)}\n\n`;
  });
}
