import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an authorization server sent with its redirect. */
export interface Callback {
  readonly params: URLSearchParams;
  /** What the user reads in the browser. */
  reply(text: string, isError: boolean): void;
}

export interface CallbackListener {
  /** The redirect address. */
  readonly url: string;
  /** Waits for the callback with this state, and rejects others. */
  wait(state: string, signal: AbortSignal): Promise<Callback>;
  close(): Promise<void>;
}

const PATH = '/callback';

/** Listens on this machine only, as native programs do to receive the OAuth redirect (RFC 8252, 7.3). */
export async function listenForCallback(port: number): Promise<CallbackListener> {
  let take: ((callback: Callback, state: string) => boolean) | undefined;
  const { url, close } = await takeCallbacks(port, (callback) => {
    if (take?.(callback, callback.params.get('state') ?? '') === true) return;
    callback.reply('This sign-in is unknown or has already ended.', true);
  });
  return {
    url,
    close,
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
  };
}

/** Listens for OAuth redirects, once a sign-in is about to begin. Does not keep the process alive. */
export function createSignInListener(finish: (callback: URLSearchParams) => Promise<unknown>): {
  redirectUrl(): Promise<string>;
  close(): Promise<void>;
} {
  let listening: ReturnType<typeof takeCallbacks> | undefined;
  const handle = ({ params, reply }: Callback): void => {
    finish(params).then(
      () => reply('You are signed in. You can close this window.', false),
      () => reply('The sign-in failed or is unknown. Start it again.', true),
    );
  };
  return {
    async redirectUrl() {
      listening ??= takeCallbacks(0, handle);
      return (await listening).url;
    },
    async close() {
      await (await listening)?.close();
    },
  };
}

async function takeCallbacks(
  port: number,
  handle: (callback: Callback) => void,
): Promise<Pick<CallbackListener, 'url' | 'close'>> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (!isCallback(request, url)) return answer(response, 404, 'There is nothing here.');
    handle({ params: url.searchParams, reply: (text, isError) => answer(response, isError ? 400 : 200, text) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
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

/** Plain text: nothing from the address is shown. */
function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
