import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { IndexCache } from '@quartermaster/core/search';
import { type ErrorCodec, portCalls } from './port-calls.ts';

/** Answers one worker's questions to the cache, which stays on the main thread with the store. */
export function serveIndexCache(cache: IndexCache): MessagePort {
  const { port1, port2 } = new MessageChannel();
  portCalls(port1, {
    errors: ERRORS,
    lost: () => new Error('The worker has ended'),
    handlers: {
      load: (key: string) => cache.load(key),
      save: ({ key, bytes }: { readonly key: string; readonly bytes: Uint8Array }) => cache.save(key, bytes),
    },
  });
  port1.unref();
  return port2;
}

/** The cache as a worker knows it. */
export function remoteIndexCache(port: MessagePort, digest: NonNullable<IndexCache['digest']>): IndexCache {
  const main = portCalls(port, { errors: ERRORS, lost: () => new Error('The main thread is gone'), handlers: {} });
  return {
    digest,
    load: async (key) => (await main.call('load', key)) as Uint8Array | undefined,
    async save(key, bytes) {
      await main.call('save', { key, bytes });
    },
  };
}

const ERRORS: ErrorCodec = {
  write: (error) => (error instanceof Error ? error.message : String(error)),
  read: (written) => new Error(String(written)),
};
