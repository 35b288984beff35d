import Anthropic from '@anthropic-ai/sdk';
import { openStore, type Store } from '@quartermaster/host/store';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { createGateway } from './create-gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { LogEntry } from './logger.ts';
import { serve } from './serve.ts';

export interface RunningGateway {
  readonly url: string;
  readonly anthropic: Anthropic;
  readonly openai: OpenAI;
  readonly store: Store;
  readonly log: readonly LogEntry[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stops it, and leaves the store open. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const SEARCH = { engine: 'bm25', whenNothingFits: 'empty' } as const;

/** A gateway on a free port of this machine with a store in memory, and the real SDKs as its clients. Stops when the test has finished. */
export async function runningGateway(options: GatewayOptions, apiKey = 'none'): Promise<RunningGateway> {
  const store = await openStore({ path: ':memory:' });
  const log: LogEntry[] = [];
  const gateway = createGateway({
    store,
    workerUrl: false,
    search: SEARCH,
    logger: { log: (entry) => log.push(entry) },
    ...options,
  });
  const server = await serve({ gateway, port: 0, hasKeys: false });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.close();
    return stopped;
  };
  const close = async (): Promise<void> => {
    await stop();
    await store.close();
  };
  onTestFinished(close);
  return {
    url: server.url,
    anthropic: new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 }),
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 }),
    store,
    log,
    post: (path, body, headers = {}) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    stop,
    close,
  };
}
