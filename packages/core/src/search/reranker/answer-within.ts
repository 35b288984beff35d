import type { Compared } from './create-reranker.ts';

type Fallback = Extract<Compared, { readonly kind: 'fallback' }>;

interface WithinOptions {
  readonly timeoutMs: number;
  readonly timer: Timer;
  readonly signal: AbortSignal | undefined;
}

/** What the work gives, or a fallback if it fails or takes too long. Work that is late goes on: its result is there for the next search. */
export function answerWithin<Value>(
  work: Promise<Value>,
  { timeoutMs, timer, signal }: WithinOptions,
): Promise<{ readonly kind: 'done'; readonly value: Value } | Fallback> {
  return new Promise((resolve, reject) => {
    const cancel = timer(timeoutMs, () => {
      end();
      resolve({ kind: 'fallback', reason: `The reranker took longer than ${timeoutMs} ms` });
    });
    const abort = (): void => {
      end();
      reject(signal?.reason);
    };
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });
    work.then(
      (value) => {
        end();
        resolve({ kind: 'done', value });
      },
      (cause: unknown) => {
        end();
        resolve({ kind: 'fallback', reason: reasonOf(cause), cause });
      },
    );
  });
}

function reasonOf(cause: unknown): string {
  return `The reranker failed: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** Runs something once after a delay; the returned function calls it off. Passed in, so that tests need not wait. */
export type Timer = (delayMs: number, run: () => void) => () => void;

/** The real one. */
export const systemTimer: Timer = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
