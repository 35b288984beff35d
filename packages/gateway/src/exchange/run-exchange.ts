import { runLoop, runWhole } from '@quartermaster/core';
import type { Dialect, DialectShapes, DialectUpstream } from '@quartermaster/host/upstream';
import type { PlannedExchange } from './plan-exchange.ts';
import type { Surface } from './surface.ts';

export interface RunOptions<Name extends Dialect> {
  readonly surface: Surface<Name>;
  readonly planned: PlannedExchange<DialectShapes[Name]['request']>;
  readonly exchange: DialectUpstream<Name>;
  readonly signal: AbortSignal;
  readonly maxRounds: number;
}

/** The parts of one response. */
export function streamExchange<Name extends Dialect>(
  options: RunOptions<Name>,
): AsyncIterator<DialectShapes[Name]['part']> {
  const { surface, planned, exchange, signal, maxRounds } = options;
  if (planned.kind === 'once') return exchange.stream(planned.request, signal)[Symbol.asyncIterator]();
  const { request, toolbox, plan } = planned;
  return runLoop({ wire: surface.wire, upstream: exchange.stream, toolbox, plan, request, signal, maxRounds });
}

/** One whole response. */
export function runExchange<Name extends Dialect>(options: RunOptions<Name>): Promise<DialectShapes[Name]['response']> {
  const { surface, planned, exchange, signal, maxRounds } = options;
  if (planned.kind === 'once') return exchange.whole(planned.request, signal);
  const { request, toolbox, plan } = planned;
  return runWhole({
    ...{ wire: surface.wire, whole: surface.whole, upstream: exchange.whole },
    ...{ toolbox, plan, request, signal, maxRounds },
  });
}
