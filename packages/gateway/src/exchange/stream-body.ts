import type { Dialect, DialectShapes } from '@quartermaster/host/upstream';
import { type ApiError, toApiError } from '../http/index.ts';
import type { Surface } from './surface.ts';

export interface StreamOptions<Name extends Dialect> {
  readonly surface: Surface<Name>;
  /** The first part is there already: an upstream that refuses must be able to answer with its own status. */
  readonly first: IteratorResult<DialectShapes[Name]['part']>;
  readonly rest: AsyncIterator<DialectShapes[Name]['part']>;
  /** After so long without a part a ping is sent. */
  readonly pingMs: number;
  readonly onPart: (part: DialectShapes[Name]['part']) => void;
  /** Called once, however it ends: without an error where it ended well, or where the client went away. */
  readonly onEnd: (error?: ApiError) => void;
  /** Ends the work upstream. */
  readonly abort: () => void;
}

/** A stream of events. Parts are made as fast as the client reads them, and no faster. */
export function streamBody<Name extends Dialect>(options: StreamOptions<Name>): ReadableStream<Uint8Array> {
  const { surface, rest, pingMs, onPart, onEnd, abort } = options;
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<DialectShapes[Name]['part']>> = Promise.resolve(options.first);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        const result = await within(pending, pingMs);
        if (result === 'late') return send(surface.ping);
        if (result.done === true) {
          if (surface.streamEnd !== '') send(surface.streamEnd);
          controller.close();
          onEnd();
          return;
        }
        onPart(result.value);
        send(surface.writePart(result.value));
        pending = rest.next();
        pending.catch(() => undefined);
      } catch (error) {
        const told = toApiError(error);
        send(surface.writeError(told));
        controller.close();
        onEnd(told);
      }
    },
    async cancel() {
      // Before anything is waited for: an iterator's return waits behind its pending step.
      abort();
      onEnd();
      await rest.return?.();
    },
  });
}

function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
