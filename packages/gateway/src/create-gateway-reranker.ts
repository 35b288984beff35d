import type { SentenceReranker } from '@quartermaster/core/search';
import type { SearchSettings } from '@quartermaster/host/config';
import { createServedReranker } from '@quartermaster/host/search';
import type { Clock } from './clock.ts';
import { type GatewayOptions, SEARCH_DEFAULTS } from './gateway-options.ts';
import { originOf } from './http/index.ts';
import type { Logger } from './logger.ts';
import type { GatewayMetrics } from './metrics/index.ts';

export interface GatewayRerankerParts {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the gateway has closed. */
  readonly signal: AbortSignal;
}

/** The reranker of a gateway whose engine uses one: vectors in its store, failures in its metrics and its log. */
export function createGatewayReranker(
  { reranker, search = SEARCH_DEFAULTS, store }: GatewayOptions,
  { metrics, logger, clock, signal }: GatewayRerankerParts,
): SentenceReranker | undefined {
  if (reranker === undefined || !RERANKING.has(search.engine)) return undefined;
  return createServedReranker({
    ...reranker,
    ...(store === undefined ? {} : { store: store.vectors }),
    ...{ signal, now: clock.now, count: metrics.onRerankerEvent },
    tell({ kind, cause, ...event }, times) {
      // The words of a cause may quote what it was asked; a reason without one is ours.
      const reason = cause === undefined && 'reason' in event ? event.reason : undefined;
      logger.log({ level: 'warn', event: 'work-fail', work: 'reranker', kind, times, reason, ...originOf(cause) });
    },
  });
}

const RERANKING: ReadonlySet<SearchSettings['engine']> = new Set(['auto', 'hybrid+reranker']);
