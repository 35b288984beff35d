import type { Clock } from '@quartermaster/core/internal';
import type { RerankerEvent, SentenceReranker } from '@quartermaster/core/search';
import type { SearchSettings } from '@quartermaster/host/config';
import { createServedReranker } from '@quartermaster/host/search';
import type { MemoryBudget } from './catalogs/index.ts';
import type { GatewayEvent } from './events/index.ts';
import { type GatewayOptions, SEARCH_DEFAULTS } from './gateway-options.ts';
import { originOf } from './http/index.ts';
import type { Logger } from './logger.ts';

export interface GatewayRerankerParts {
  readonly onEvent: (event: GatewayEvent) => void;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Counts the vectors in memory. */
  readonly memory: MemoryBudget;
  /** Aborts when the gateway has closed. */
  readonly signal: AbortSignal;
}

/** The reranker of a gateway whose engine uses one: vectors in its store, failures in its events and its log. */
export function createGatewayReranker(
  { reranker, search = SEARCH_DEFAULTS, store }: GatewayOptions,
  { onEvent, logger, clock, memory, signal }: GatewayRerankerParts,
): SentenceReranker | undefined {
  if (reranker === undefined || !RERANKING.has(search.engine)) return undefined;
  return createServedReranker({
    ...reranker,
    ...(store === undefined ? {} : { store: store.vectors }),
    ...{ signal, now: clock.now, count: (event) => emitRerankerEvent(event, onEvent) },
    hold: (bytes, release) => memory.hold(SHARED, bytes, release),
    tell({ kind, cause, ...event }, times) {
      // The message of a cause may quote a query; a reason without a cause is ours.
      const reason = cause === undefined && 'reason' in event ? event.reason : undefined;
      logger.log({ level: 'warn', event: 'work-fail', work: 'reranker', kind, times, reason, ...originOf(cause) });
    },
  });
}

/** Vectors are stored by text, not by key: they have their own owner, with an equal share. */
const SHARED = 'reranker';

const RERANKING: ReadonlySet<SearchSettings['engine']> = new Set(['auto', 'hybrid+reranker']);

/** The message of a cause may quote a query; a reason without a cause is ours. */
function emitRerankerEvent(event: RerankerEvent, onEvent: (event: GatewayEvent) => void): void {
  if (event.kind === 'call') onEvent({ kind: 'reranker-call', texts: event.texts });
  else if (event.kind === 'store-failed') onEvent({ kind: 'reranker-fallback', of: 'store' });
  else if (event.kind === 'fallback') {
    const reason = event.cause === undefined ? { reason: event.reason } : {};
    onEvent({ kind: 'reranker-fallback', of: 'search', ...reason });
  }
}
