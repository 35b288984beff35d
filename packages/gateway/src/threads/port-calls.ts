import type { MessagePort } from 'node:worker_threads';

/** Functions for the other side, by name. The signal aborts when the caller no longer waits for the answer. */
export type Handlers = Readonly<Record<string, (argument: never, signal: AbortSignal) => unknown>>;

/** How errors are sent: converted to something that can be copied, and back. */
export interface ErrorCodec {
  write(error: unknown): unknown;
  read(written: unknown): unknown;
}

export interface PortCalls {
  /** Rejects with the signal's reason as soon as it aborts, and notifies the other side. */
  call(name: string, argument?: unknown, signal?: AbortSignal): Promise<unknown>;
  close(): void;
}

interface Message {
  readonly kind: 'call' | 'answer' | 'error' | 'abort';
  readonly id: number;
  readonly name?: string;
  readonly value?: unknown;
}

/** Calls over a port, in both directions. When the other side is gone, unanswered calls reject with `lost`. */
export function portCalls(
  port: MessagePort,
  options: { readonly handlers: Handlers; readonly errors: ErrorCodec; lost(): unknown },
): PortCalls {
  const { handlers, errors } = options;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  /** The calls in progress for the other side, by its ids. */
  const running = new Map<number, AbortController>();
  let lastId = 0;
  let isClosed = false;

  async function answer({ id, name, value }: Message): Promise<void> {
    const send = (message: Message): void => {
      if (!isClosed) port.postMessage(message);
    };
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const handler = name !== undefined && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (handler === undefined) throw new Error(`The other side called "${name}", which is not there`);
      send({ kind: 'answer', id, value: await handler(value as never, controller.signal) });
    } catch (error) {
      send({ kind: 'error', id, value: errors.write(error) });
    } finally {
      running.delete(id);
    }
  }

  port.on('message', (message: Message) => {
    if (message.kind === 'call') {
      void answer(message);
      return;
    }
    if (message.kind === 'abort') {
      running.get(message.id)?.abort();
      return;
    }
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'answer') caller?.resolve(message.value);
    else caller?.reject(errors.read(message.value));
  });
  port.on('close', () => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(options.lost());
    waiting.clear();
    for (const controller of running.values()) controller.abort();
  });

  return {
    async call(name, argument, signal) {
      signal?.throwIfAborted();
      if (isClosed) throw options.lost();
      lastId += 1;
      const id = lastId;
      let abort = (): void => undefined;
      try {
        return await new Promise((resolve, reject) => {
          abort = () => {
            waiting.delete(id);
            port.postMessage({ kind: 'abort', id } satisfies Message);
            reject(signal?.reason);
          };
          waiting.set(id, { resolve, reject });
          signal?.addEventListener('abort', abort, { once: true });
          port.postMessage({ kind: 'call', id, name, value: argument } satisfies Message);
        });
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    close() {
      port.close();
    },
  };
}
