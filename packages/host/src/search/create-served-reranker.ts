import { once } from '@quartermaster/core/internal';
import {
  createReranker,
  RERANKER_DEFAULTS,
  type RerankerEmbedder,
  type RerankerEvent,
  type RerankerOptions,
  type SentenceReranker,
} from '@quartermaster/core/search';
import type { ChosenEngine } from './choose-engine.ts';

interface ServingOptions extends Omit<RerankerOptions, 'embedder' | 'onEvent' | 'signal'> {
  /** Stops the reranker: embedding in progress would keep a stopping process alive. No events follow. */
  readonly signal: AbortSignal;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Receives every failure. @default failures are ignored */
  readonly count?: (event: RerankerEvent) => void;
  /** Called for each kind at most once a minute, with the number of times since the last call. */
  readonly tell: (event: RerankerFailure, times: number) => void;
}

/** The model, or a function that chooses it when a search first needs it. */
export type ServedRerankerOptions = ServingOptions &
  ({ readonly embedder: RerankerEmbedder } | { readonly choose: () => Promise<ChosenEngine> });

/** What went wrong. */
export type RerankerFailure = Extract<RerankerEvent, { readonly kind: 'fallback' | 'store-failed' }>;

/** A reranker for the lifetime of a server. A broken model fails every search, and must not flood the log. */
export function createServedReranker(options: ServedRerankerOptions): SentenceReranker {
  const { signal, now, count, tell, ...stage } = options;
  const untold = new Map<RerankerEvent['kind'], { times: number; quietUntil: number }>();
  const serving = {
    ...stage,
    signal,
    onEvent(event: RerankerEvent) {
      if (signal.aborted) return;
      count?.(event);
      // Counted elsewhere, and not failures.
      if (event.kind === 'call' || event.kind === 'skipped') return;
      const kind = untold.get(event.kind) ?? { times: 0, quietUntil: Number.NEGATIVE_INFINITY };
      untold.set(event.kind, kind);
      kind.times += 1;
      if (now() < kind.quietUntil) return;
      tell(event, kind.times);
      kind.times = 0;
      kind.quietUntil = now() + QUIET_MS;
    },
  };
  if (!('choose' in serving)) return createReranker(serving);
  const { choose, ...others } = serving;
  return createLazyReranker(choose, others);
}

const QUIET_MS = 60_000;

/**
 * A reranker whose model is loaded by the first search that needs it. If `choose` returns none, searches are answered without it, and
 * say why.
 */
export function createLazyReranker(
  choose: () => Promise<ChosenEngine>,
  options: Omit<RerankerOptions, 'embedder'> = {},
): SentenceReranker {
  const { depth = RERANKER_DEFAULTS.depth } = options;
  let loaded: SentenceReranker | undefined;

  const load = once(async (): Promise<Loaded> => {
    const { embedder, reason } = await choose();
    if (embedder === undefined) return { reason };
    loaded = createReranker({ ...options, embedder });
    return { reranker: loaded };
  });

  return {
    depth,
    get fitModel() {
      return loaded?.fitModel;
    },
    async compare(asked, signal) {
      const found = await load();
      return 'reranker' in found ? found.reranker.compare(asked, signal) : { kind: 'fallback', reason: found.reason };
    },
    async prepare(tools) {
      const found = await load().catch(() => undefined);
      if (found !== undefined && 'reranker' in found) await found.reranker.prepare?.(tools);
    },
  };
}

type Loaded = { readonly reranker: SentenceReranker } | { readonly reason: string };
