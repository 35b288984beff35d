import { createReranker, type RerankerEvent, type RerankerOptions, type SentenceReranker } from '@quartermaster/core';

export interface ServedRerankerOptions extends Omit<RerankerOptions, 'onEvent' | 'signal'> {
  /** Ends the stage: what is being embedded would keep a process that is stopping. Nothing is told from then on. */
  readonly signal: AbortSignal;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Told of all that goes wrong. @default nobody */
  readonly count?: (event: RerankerEvent) => void;
  /** Told of each kind at most once a minute, with how often it happened since it was last told. */
  readonly tell: (event: RerankerFailure, times: number) => void;
}

/** What went wrong. */
export type RerankerFailure = Extract<RerankerEvent, { readonly kind: 'fallback' | 'store-failed' }>;

/** A reranker for as long as a process serves. A model that is broken fails every search, and must not flood the log. */
export function createServedReranker(options: ServedRerankerOptions): SentenceReranker {
  const { signal, now, count, tell, ...stage } = options;
  const untold = new Map<RerankerEvent['kind'], { times: number; quietUntil: number }>();
  return createReranker({
    ...stage,
    signal,
    onEvent(event) {
      if (signal.aborted) return;
      count?.(event);
      // What is counted elsewhere, and no failure.
      if (event.kind === 'call' || event.kind === 'skipped') return;
      const kind = untold.get(event.kind) ?? { times: 0, quietUntil: Number.NEGATIVE_INFINITY };
      untold.set(event.kind, kind);
      kind.times += 1;
      if (now() < kind.quietUntil) return;
      tell(event, kind.times);
      kind.times = 0;
      kind.quietUntil = now() + QUIET_MS;
    },
  });
}

const QUIET_MS = 60_000;
