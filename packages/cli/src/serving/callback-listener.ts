import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an authorization server sent the browser back with. */
export interface Callback {
  readonly params: URLSearchParams;
  /** What the person in front of the browser gets to read. */
  reply(text: string, isError: boolean): void;
}

export interface CallbackListener {
  /** The redirect address. */
  readonly url: string;
  /** The callback of the sign-in that has this state. Others are refused, and it goes on waiting. */
  wait(state: string, signal: AbortSignal): Promise<Callback>;
  close(): Promise<void>;
}

const PATH = '/callback';

/** Listens on this machine alone, as native programs do to hear the end of a sign-in (RFC 8252, 7.3). */
export async function listenForCallback(port: number): Promise<CallbackListener> {
  let take: ((callback: Callback, state: string) => boolean) | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (!isCallback(request, url)) return answer(response, 404, 'There is nothing here.');
    const callback: Callback = {
      params: url.searchParams,
      reply: (text, isError) => answer(response, isError ? 400 : 200, text),
    };
    if (take?.(callback, url.searchParams.get('state') ?? '') !== true) {
      answer(response, 400, 'This sign-in is not known, or is over already.');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    wait: (state, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          take = undefined;
          reject(signal.reason);
        };
        take = (callback, given) => {
          if (given !== state) return false;
          take = undefined;
          signal.removeEventListener('abort', abort);
          resolve(callback);
          return true;
        };
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function isCallback({ method }: IncomingMessage, { pathname }: URL): boolean {
  return method === 'GET' && pathname === PATH;
}

/** Plain text: whatever stands in the address, nothing of it is shown. */
function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
