import type { SentenceStage } from '@quartermaster/core';
import type { Clock } from './clock.ts';
import { createServedStage } from './create-served-stage.ts';
import { type GatewayOptions, SEARCH_DEFAULTS } from './gateway-options.ts';
import { originOf } from './http/index.ts';
import type { Logger } from './logger.ts';
import type { GatewayMetrics } from './metrics/index.ts';

export interface GatewayStageParts {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the gateway has closed. */
  readonly signal: AbortSignal;
}

/** The second stage of a gateway whose settings ask for one: vectors in its store, failures in its metrics and its log. */
export function createGatewayStage(
  { secondStage, search = SEARCH_DEFAULTS, store }: GatewayOptions,
  { metrics, logger, clock, signal }: GatewayStageParts,
): SentenceStage | undefined {
  if (secondStage === undefined || search.engine !== 'hybrid+reranker') return undefined;
  return createServedStage({
    ...secondStage,
    ...(store === undefined ? {} : { store: store.vectors }),
    ...{ signal, now: clock.now, count: metrics.onSecondStageEvent },
    tell({ kind, cause, ...event }, times) {
      // The words of a cause may quote what it was asked; a reason without one is ours.
      const reason = cause === undefined && 'reason' in event ? event.reason : undefined;
      logger.log({ level: 'warn', event: 'work-fail', work: 'second-stage', kind, times, reason, ...originOf(cause) });
    },
  });
}
