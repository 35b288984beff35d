import { runLoop, runWhole, type TranscriptStore } from '@quartermaster/core';
import type { Dialect, DialectShapes, DialectUpstream } from '@quartermaster/host/upstream';
import type { PlannedExchange } from './plan-exchange.ts';
import type { Surface } from './surface.ts';

export interface RunOptions<Name extends Dialect> {
  readonly surface: Surface<Name>;
  readonly planned: PlannedExchange<DialectShapes[Name]['request']>;
  readonly exchange: DialectUpstream<Name>;
  readonly signal: AbortSignal;
  readonly maxRounds: number;
  /** What the client's key has kept of earlier responses. */
  readonly transcript?: TranscriptStore | undefined;
  readonly onTranscriptError?: ((error: unknown) => void) | undefined;
}

/** The parts of one response. */
export function streamExchange<Name extends Dialect>(
  options: RunOptions<Name>,
): AsyncIterator<DialectShapes[Name]['part']> {
  const { surface, planned, exchange, signal } = options;
  if (planned.kind === 'once') return exchange.stream(planned.request, signal)[Symbol.asyncIterator]();
  const { request, toolbox, plan } = planned;
  const loop = { ...{ toolbox, plan, request, signal }, ...loopSettings(options) };
  return runLoop({ wire: surface.wire, upstream: exchange.stream, ...loop });
}

/** One whole response. */
export function runExchange<Name extends Dialect>(options: RunOptions<Name>): Promise<DialectShapes[Name]['response']> {
  const { surface, planned, exchange, signal } = options;
  if (planned.kind === 'once') return exchange.whole(planned.request, signal);
  const { request, toolbox, plan } = planned;
  return runWhole({
    ...{ wire: surface.wire, whole: surface.whole, upstream: exchange.whole },
    ...{ toolbox, plan, request, signal },
    ...loopSettings(options),
  });
}

function loopSettings({
  maxRounds,
  transcript,
  onTranscriptError,
}: Pick<RunOptions<Dialect>, 'maxRounds' | 'transcript' | 'onTranscriptError'>): {
  readonly maxRounds: number;
  readonly transcript?: TranscriptStore;
  readonly onTranscriptError?: (error: unknown) => void;
} {
  return {
    maxRounds,
    ...(transcript === undefined ? {} : { transcript }),
    ...(onTranscriptError === undefined ? {} : { onTranscriptError }),
  };
}
