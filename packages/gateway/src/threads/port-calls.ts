import type { MessagePort } from 'node:worker_threads';

/** Functions of the other side, by name. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

/** How errors cross: as something that can be copied, and back. */
export interface ErrorCodec {
  write(error: unknown): unknown;
  read(written: unknown): unknown;
}

export interface PortCalls {
  call(name: string, argument?: unknown): Promise<unknown>;
  close(): void;
}

interface Message {
  readonly kind: 'call' | 'answer' | 'error';
  readonly id: number;
  readonly name?: string;
  readonly value?: unknown;
}

/** Calls over a port, in both directions. When the other side is gone, what it has not answered fails with `lost`. */
export function portCalls(
  port: MessagePort,
  options: { readonly handlers: Handlers; readonly errors: ErrorCodec; lost(): unknown },
): PortCalls {
  const { handlers, errors } = options;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let lastId = 0;
  let isClosed = false;

  async function answer({ id, name, value }: Message): Promise<void> {
    const send = (message: Message): void => {
      if (!isClosed) port.postMessage(message);
    };
    try {
      const handler = name !== undefined && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (handler === undefined) throw new Error(`The other side called "${name}", which is not there`);
      send({ kind: 'answer', id, value: await handler(value as never) });
    } catch (error) {
      send({ kind: 'error', id, value: errors.write(error) });
    }
  }

  port.on('message', (message: Message) => {
    if (message.kind === 'call') {
      void answer(message);
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
  });

  return {
    call(name, argument) {
      if (isClosed) return Promise.reject(options.lost());
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        port.postMessage({ kind: 'call', id, name, value: argument } satisfies Message);
      });
    },
    close() {
      port.close();
    },
  };
}
