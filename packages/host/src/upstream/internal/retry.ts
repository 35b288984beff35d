import { UpstreamError } from '@quartermaster/core/errors';
import { type Clock, pause, SYSTEM_CLOCK } from '@quartermaster/core/internal';
import type { UpstreamClient } from '../dialect.ts';

/** How failed requests are retried. */
export interface RetrySettings {
  /** How often a failed request is sent again, at most. @default 2 */
  readonly maxRetries?: number;
  /** From 0 to 1: shortens a pause by up to a quarter, so that clients don't all return at once. @default Math.random */
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** The default settings of retries. */
const RETRY_DEFAULTS: Required<RetrySettings> = { maxRetries: 2, random: Math.random, clock: SYSTEM_CLOCK };

/** Each further pause is twice as long. */
const FIRST_PAUSE_MS = 500;

/** The longest pause that an upstream may ask for: if it asks for more, the error goes to the client at once. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Attempts something until it works, is not worth another attempt, or was attempted often enough. Only for what has had no
 * effect yet: a response whose first part has been sent can't be restarted.
 */
export async function retry<Value>(
  attempt: () => Promise<Value>,
  signal: AbortSignal,
  settings: RetrySettings = {},
): Promise<Value> {
  const { maxRetries, clock, random } = { ...RETRY_DEFAULTS, ...settings };
  for (let retries = 0; ; retries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UpstreamError) error.wasRetried = retries > 0;
      if (!(error instanceof UpstreamError) || !error.isRetryable || retries >= maxRetries) throw error;
      const pauseMs = pauseBefore(error, retries, random);
      if (pauseMs === undefined) throw error;
      await pause(clock, pauseMs, signal);
    }
  }
}

/** The parts of a stream that is begun again as long as nothing of it has arrived but pings. */
export async function* retryStream<Part extends object>(
  begin: () => AsyncGenerator<Part, void, undefined>,
  signal: AbortSignal,
  settings: RetrySettings,
): AsyncGenerator<Part, void, undefined> {
  const attempt = async () => {
    const parts = begin();
    let first = await parts.next();
    while (first.done !== true && isPing(first.value)) first = await parts.next();
    return { first, rest: parts };
  };
  const { first, rest } = await retry(attempt, signal, settings);
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function isPing(part: object): boolean {
  return 'type' in part && part.type === 'ping';
}

/**
 * The settings for one client's request. The AI SDK repeats every failed request, whatever `x-should-retry` says: what it
 * will repeat is not also repeated here.
 */
export function retriesFor(
  settings: RetrySettings | undefined,
  { headers, hasBegun }: UpstreamClient,
  kind: 'stream' | 'whole',
): RetrySettings {
  const isReading = kind === 'stream' && hasBegun?.() === true;
  const repeatsItself = AI_SDK.test(headers?.get('user-agent') ?? '') && !isReading;
  return repeatsItself ? { ...settings, maxRetries: 0 } : { ...settings };
}

/** `ai/7.0.0`, `ai-sdk/anthropic/2.0.0`, `ai-sdk-provider-utils/5.0.0`: its versions and functions send different ones. */
const AI_SDK = /(?:^| )ai(?:-sdk[a-z-]*)?\//;

function pauseBefore(error: UpstreamError, retries: number, random: () => number): number | undefined {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= LONGEST_PAUSE_MS ? error.retryAfterMs : undefined;
  return Math.min(FIRST_PAUSE_MS * 2 ** retries, FIRST_PAUSE_MS * 16) * (1 - random() * 0.25);
}

/** One step, and who waits for it. */
export interface Step {
  readonly clock: Clock;
  /** Aborts when no one waits any more. */
  readonly signal: AbortSignal;
  /** An error of the step itself, for its caller. @default unchanged */
  explain?(error: unknown): unknown;
}

/** A signal that also aborts when a step takes too long. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time limit for the next part of the step; the previous one no longer counts. */
  allow(timeoutMs: number, what: string): void;
  /** Why the step failed: its caller left, it took too long, or the error itself as explained. */
  reasonFor(error: unknown): unknown;
  /** Ends the watch. The signal no longer aborts. */
  stop(): void;
}

export function createDeadline({ clock, signal: outer, explain = (error) => error }: Step): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const forward = (): void => controller.abort(outer.reason);
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  let cancel: () => void = () => undefined;
  return {
    signal,
    allow(timeoutMs, what) {
      cancel();
      cancel = clock.after(timeoutMs, () => {
        const message = `The upstream sent ${what} in ${timeoutMs} ms: raise the timeout if it is known to be slow`;
        // A caller that has waited this long does not wait as long again.
        controller.abort(new UpstreamError({ code: 'timed_out', message, shouldRetry: false }));
      });
    },
    reasonFor(error) {
      if (outer.aborted) return outer.reason;
      return signal.aborted ? signal.reason : explain(error);
    },
    stop() {
      cancel();
      outer.removeEventListener('abort', forward);
    },
  };
}

/** Does a step under a deadline. Throws the reason of its failure. */
export async function withinDeadline<Value>(step: Step, work: (deadline: Deadline) => Promise<Value>): Promise<Value> {
  const deadline = createDeadline(step);
  try {
    return await work(deadline);
  } catch (error) {
    throw deadline.reasonFor(error);
  } finally {
    deadline.stop();
  }
}
