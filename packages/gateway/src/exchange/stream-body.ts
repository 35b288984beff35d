import type { DialectName, DialectOf, PartOf } from '@quartermaster/host/upstream';
import type { UsedUp } from '../access/index.ts';
import { type ApiError, toApiError } from '../http/index.ts';
import type { OpenExchange } from './model-service.ts';

export interface StreamOptions<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  /** The first part is there already: an upstream that refuses must be able to answer with its own status. */
  readonly first: IteratorResult<PartOf<Name>>;
  readonly rest: AsyncIterator<PartOf<Name>>;
  /** After so long without a part a ping is sent. */
  readonly pingMs: number;
  readonly onPart: (part: PartOf<Name>) => void;
  /** Called once, however it ends: without an error where it ended well, or where the client went away. */
  readonly onEnd: (error?: ApiError) => void;
  /** Ends the work upstream. */
  readonly abort: () => void;
}

/** A stream of events. Parts are made as fast as the client reads them, and no faster. */
export function streamBody<Name extends DialectName>(options: StreamOptions<Name>): ReadableStream<Uint8Array> {
  const { dialect, rest, pingMs, onPart, onEnd, abort } = options;
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<PartOf<Name>>> = Promise.resolve(options.first);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        const result = await within(pending, pingMs);
        if (result === 'late') return send(dialect.endpoint.ping);
        if (result.done === true) {
          if (dialect.endpoint.streamEnd !== '') send(dialect.endpoint.streamEnd);
          controller.close();
          onEnd();
          return;
        }
        onPart(result.value);
        send(dialect.endpoint.writePart(result.value));
        pending = rest.next();
        pending.catch(() => undefined);
      } catch (error) {
        const told = toApiError(error);
        send(dialect.api.writeError(told));
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

/** What a response says of its own use, read from its parts as they pass. */
interface Tally<Part> {
  add(part: Part): void;
  readonly used: UsedUp;
  /** The ids of all tools that it calls, for events: the first hundred. */
  readonly called: readonly string[];
}

const MOST_CALLS = 100;

export function tallyUse<Name extends DialectName>(
  dialect: DialectOf<Name>,
  { identify }: Pick<OpenExchange<Name>, 'identify'>,
): Tally<PartOf<Name>> {
  const tools: string[] = [];
  const called: string[] = [];
  let used: UsedUp = { inputTokens: 0, outputTokens: 0, searches: 0, tools };
  return {
    get used() {
      return used;
    },
    called,
    add(part) {
      for (const name of dialect.api.readCalls(part)) {
        const { id, isFromCatalog } = identify(name);
        if (isFromCatalog) tools.push(name);
        if (called.length < MOST_CALLS) called.push(id);
      }
      const told = dialect.api.readUsage(part);
      if (told !== undefined) used = { ...used, ...told };
    },
  };
}
