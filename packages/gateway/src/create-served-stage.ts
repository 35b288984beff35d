import {
  createSecondStage,
  type SecondStageEvent,
  type SecondStageOptions,
  type SentenceStage,
} from '@quartermaster/core';

export interface ServedStageOptions extends Omit<SecondStageOptions, 'onEvent' | 'signal'> {
  /** Ends the stage: what is being embedded would keep a process that is stopping. Nothing is told from then on. */
  readonly signal: AbortSignal;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Told of all that goes wrong. @default nobody */
  readonly count?: (event: SecondStageEvent) => void;
  /** Told of each kind at most once a minute, with how often it happened since it was last told. */
  readonly tell: (event: SecondStageEvent, times: number) => void;
}

/** A second stage for as long as a process serves. A model that is broken fails every search, and must not flood the log. */
export function createServedStage(options: ServedStageOptions): SentenceStage {
  const { signal, now, count, tell, ...stage } = options;
  const untold = new Map<SecondStageEvent['kind'], { times: number; quietUntil: number }>();
  return createSecondStage({
    ...stage,
    signal,
    onEvent(event) {
      if (signal.aborted) return;
      count?.(event);
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
