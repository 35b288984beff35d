import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Clock } from '@quartermaster/core/internal';

/** What a server asked in the middle of a call. */
interface Question {
  readonly method: string;
  readonly params: JsonObject;
}

/** A call that is under way at a server while its client comes and goes. */
export interface SuspendableCall {
  /** Asks the client, with its next answer. */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** Ends with the call, or when it is given up. */
  readonly signal: AbortSignal;
}

export interface Leg {
  /** What the client sent along: which call it means, and its answers. */
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** This one request's. */
  readonly signal: AbortSignal;
}

export interface SuspendedCalls {
  /** Serves one request: begins the call, or continues with the one that it means. Resolves with its result or with what it asks. */
  serve(leg: Leg, begin: (call: SuspendableCall) => Promise<JsonObject>): Promise<JsonObject>;
  /** Gives up all of them. */
  close(): void;
}

/** A question waits this long for the client to come back. */
const PATIENCE_MS = 600_000;
const MOST_SUSPENDED = 100;

/**
 * Clients of the newer revision can't be asked anything: a result says what is wanted, and the client calls again with its answers.
 * Servers of the older one ask in the middle of a call and wait. Between them the call stays under way here: what the server asks
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
    // Someone may have stopped waiting for it.
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

  /** The result, or what is asked before there is one. */
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
