import { type Progress, type RequestOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Clock } from '@quartermaster/core/internal';
import type { Connection } from './connection.ts';

/** Times the calls on one connection. The clock stops while the user is asked something, because people take longer than servers. */
export interface CallClock {
  /** Asks the user. The timeouts of all calls pause meanwhile and then restart, because the question may belong to any of them. */
  whileAsking<Value>(ask: () => Promise<Value>): Promise<Value>;
  /** The connection, with this clock's timeouts. */
  watch(connection: Connection): Connection;
}

export function createCallClock(clock: Clock): CallClock {
  const limits = new Set<Limit>();
  let questions = 0;

  const run = async <Value>(
    options: RequestOptions,
    send: (options: RequestOptions) => Promise<Value>,
  ): Promise<Value> => {
    const { timeout, signal, onprogress, resetTimeoutOnProgress } = options;
    if (timeout === undefined) return send(options);
    const restart = (progress: Progress): void => {
      if (questions === 0) limit.begin();
      onprogress?.(progress);
    };
    const limit = new Limit(clock, timeout);
    const giveUp = (): void => limit.end(signal?.reason);
    limits.add(limit);
    if (questions === 0) limit.begin();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    try {
      const restarting = onprogress !== undefined && resetTimeoutOnProgress === true ? { onprogress: restart } : {};
      return await send({ ...options, timeout: NEVER_MS, signal: limit.signal, ...restarting });
    } finally {
      signal?.removeEventListener('abort', giveUp);
      limits.delete(limit);
      limit.stop();
    }
  };

  return {
    async whileAsking(ask) {
      questions += 1;
      for (const limit of limits) limit.stop();
      try {
        return await ask();
      } finally {
        questions -= 1;
        if (questions === 0) for (const limit of limits) limit.begin();
      }
    },
    watch: (connection) => ({
      ...connection,
      request: (outgoing, options = {}) => run(options, (limited) => connection.request(outgoing, limited)),
      call: (params, tool, options = {}) => run(options, (limited) => connection.call(params, tool, limited)),
    }),
  };
}

/** The longest delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;

class Limit {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  #cancel: () => void = () => {};

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts or restarts the timeout. */
  begin(): void {
    this.#cancel();
    const late = (): void =>
      this.end(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', { timeout: this.#timeoutMs }));
    this.#cancel = this.#clock.after(this.#timeoutMs, late);
  }

  stop(): void {
    this.#cancel();
  }

  end(reason: unknown): void {
    this.#controller.abort(reason);
  }
}
