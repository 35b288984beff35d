import type { Logger } from '@quartermaster/gateway';

/** The source of faults: the process, or a test's stand-in. */
export interface FaultSource {
  on(event: FaultEvent, listener: (error: unknown) => void): unknown;
  off(event: FaultEvent, listener: (error: unknown) => void): unknown;
}

type FaultEvent = 'uncaughtException' | 'unhandledRejection';

export interface LastResortOptions {
  readonly logger: Logger;
  /** Called once, if there are too many faults to assume that each concerns only one request. */
  readonly onTooMany: () => void;
  /** @default the process */
  readonly source?: FaultSource;
  /** Milliseconds. @default the system's clock */
  readonly now?: () => number;
}

/** More faults than this within a minute are not isolated. */
const MOST_FAULTS = 20;
const MINUTE_MS = 60_000;

/**
 * One request's fault must not end the others: an unhandled error is logged, and serving continues. After too many of them
 * in a minute, responses in progress are finished and the process ends, so that its supervisor can restart it. Returns a
 * function that removes the handlers.
 */
export function installLastResort({
  logger,
  onTooMany,
  source = process,
  now = Date.now,
}: LastResortOptions): () => void {
  let faults: number[] = [];
  const take = (kind: FaultEvent) => (thrown: unknown) => {
    faults = [...faults.filter((at) => now() - at < MINUTE_MS), now()];
    logger.log({ level: 'error', event: 'work-fail', work: kind, ...factsOf(thrown) });
    if (faults.length === MOST_FAULTS) onTooMany();
  };
  const listeners = EVENTS.map((event) => [event, take(event)] as const);
  for (const [event, listener] of listeners) source.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) source.off(event, listener);
  };
}

const EVENTS: readonly FaultEvent[] = ['uncaughtException', 'unhandledRejection'];

/** Only the kind and the place of an error: its message may quote a request. */
function factsOf(thrown: unknown): Readonly<Record<string, string | undefined>> {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const place = thrown.stack
    ?.replace(thrown.message, '')
    .split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim();
  return { error: thrown.name, code: 'code' in thrown ? String(thrown.code) : undefined, place };
}
