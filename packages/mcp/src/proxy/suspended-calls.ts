import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Clock } from '@quartermaster/core/internal';

/** A server's question in the middle of a call. */
interface Question {
  readonly method: string;
  readonly params: JsonObject;
}

/** A call in progress at a server, between the requests of its client. */
export interface SuspendableCall {
  /** Asks the client, in its next answer. */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** Ends with the call, or when it is abandoned. */
  readonly signal: AbortSignal;
}

export interface Leg {
  /** What the client sent along: which call it means, and its answers. */
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** The signal of this request. */
  readonly signal: AbortSignal;
}

export interface SuspendedCalls {
  /** Serves one request: begins a call, or continues the one that it names. Resolves with its result or with a question. */
  serve(leg: Leg, begin: (call: SuspendableCall) => Promise<JsonObject>): Promise<JsonObject>;
  /** Abandons all of them. */
  close(): void;
}

/** How long a question waits for the client to return. */
const PATIENCE_MS = 600_000;
const MOST_SUSPENDED = 100;

/**
 * Clients of the newer revision can't be sent requests: a result says what input is needed, and the client calls again with its answers.
 * Servers of the older one ask in the middle of a call and wait. To bridge the two, the call stays in progress here: the server's question
 * becomes a result, and the client's next request, which names the call by `requestState`, becomes the answer.
 */
export function createSuspendedCalls(clock: Clock): SuspendedCalls {
  const running = new Map<string, RunningCall>();

  const start = (begin: (call: SuspendableCall) => Promise<JsonObject>): RunningCall => {
    const call = new RunningCall(randomUUID(), () => running.delete(call.id));
    running.set(call.id, call);
    const [oldest] = running.values();
    if (running.size > MOST_SUSPENDED) oldest?.giveUp('Too many calls are waiting for an answer');
    call.begin(begin);
    return call;
  };

  return {
    async serve(leg, begin) {
      const known = leg.requestState === undefined ? undefined : running.get(leg.requestState);
      const call = known ?? start(begin);
      known?.answer(leg.inputResponses ?? {});
      const onAbort = (): void => call.giveUp(leg.signal.reason);
      leg.signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await call.next(clock);
      } finally {
        leg.signal.removeEventListener('abort', onAbort);
      }
    },
    close() {
      for (const call of running.values()) call.giveUp('The connection has ended');
    },
  };
}

interface Pending extends Question {
  readonly resolve: (answer: JsonObject) => void;
}

class RunningCall implements SuspendableCall {
  readonly id: string;
  readonly #controller = new AbortController();
  readonly #onEnd: () => void;
  readonly #pending = new Map<string, Pending>();
  #count = 0;
  #result: Promise<JsonObject> = Promise.resolve({});
  #wake: () => void = () => {};
  #cancelPatience: () => void = () => {};

  constructor(id: string, onEnd: () => void) {
    this.id = id;
    this.#onEnd = onEnd;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(begin: (call: SuspendableCall) => Promise<JsonObject>): void {
    this.#result = begin(this).finally(() => {
      this.#cancelPatience();
      this.#onEnd();
    });
    // The caller may have stopped waiting for it.
    this.#result.catch(() => {});
  }

  ask(question: Question, signal: AbortSignal): Promise<JsonObject> {
    this.#count += 1;
    const key = `${question.method} ${this.#count}`;
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#pending.delete(key);
        reject(new Error('The question was withdrawn'));
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.signal.addEventListener('abort', withdraw, { once: true });
      this.#pending.set(key, { ...question, resolve });
      this.#wake();
    });
  }

  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { resolve }] of this.#pending) {
      if (!Object.hasOwn(responses, key)) continue;
      this.#pending.delete(key);
      resolve(responses[key] as JsonObject);
    }
  }

  /** The result, or a question that comes before it. */
  async next(clock: Clock): Promise<JsonObject> {
    this.#cancelPatience();
    const asked = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined);
      if (this.#pending.size > 0) resolve(undefined);
    });
    const result = await Promise.race([this.#result, asked]);
    if (result !== undefined) return result;
    this.#cancelPatience = clock.after(PATIENCE_MS, () => this.giveUp('The client did not answer'));
    const questions = [...this.#pending].map(([key, { method, params }]) => [key, { method, params }] as const);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(questions), requestState: this.id };
  }

  giveUp(reason: unknown): void {
    this.#cancelPatience();
    this.#controller.abort(reason);
  }
}
