import type { Tool } from '../../catalog/index.ts';
import { checkOptionNames, readWholeNumber } from '../../check-option-names.ts';
import { SYSTEM_CLOCK, withTimeout } from '../../clock.ts';
import { QUERY_LIMITS } from '../query/read-request.ts';
import type { Embedder } from '../semantic/embedder.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { DEFAULT_CACHE_BYTES, type HoldVectors, ToolVectors, type VectorCache } from './tool-vectors.ts';

/** Options of `createReranker`. */
export interface RerankerOptions {
  /** Any sentence embedding model: the one of `@quartermaster/reranker`, or an `EmbeddingModel` of the AI SDK. */
  readonly embedder: RerankerEmbedder;
  /** How many of the first stage's best tools are reranked, 1 to 200. @default 50 */
  readonly depth?: number;
  /** How many milliseconds a search waits before it returns the result without reranking, 1 or more. @default 2_000 */
  readonly timeoutMs?: number;
  /** Bytes of tool vectors that are kept in memory, 0 or more. @default 64 MiB */
  readonly cacheBytes?: number;
  /** Counts them in a budget that other caches share; the budget may evict them. @default `cacheBytes` alone bounds them */
  readonly hold?: HoldVectors;
  /** Where vectors are kept beyond the life of the process. @default nowhere */
  readonly store?: VectorCache;
  /** When it aborts, calls in progress end and no new ones begin. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Called when a search was answered without the model, and when the store failed. */
  readonly onEvent?: (event: RerankerEvent) => void;
  /** @default `setTimeout` */
  readonly timer?: Timer;
  /** Whether a catalog's tools are embedded before the first search. @default where the embedder is local */
  readonly isPreparing?: boolean;
}

/** An embedder that may know its limits. */
export interface RerankerEmbedder extends Embedder {
  /** Whether the model can read a request: an English model makes the results of a Chinese request worse. @default always */
  canRead?(request: string): boolean;
  /** Whether it runs in this process, so that embedding a whole catalog ahead of time costs only CPU time. @default false */
  readonly isLocal?: boolean;
  /**
   * How its cosines indicate whether anything fits; their scale differs from model to model. @default nothing, and the
   * verdict is the first stage's
   */
  readonly fitModel?: FitModel;
}

/** `fallback` and `skipped`: a search was answered without reranking. `call`: texts were sent to the model, which may cost money. */
export type RerankerEvent =
  | { readonly kind: 'fallback'; readonly reason: string; readonly cause?: unknown }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'store-failed'; readonly cause: unknown }
  | RerankerCall;

/** One call to a reranker's model, for `onEvent`. */
export interface RerankerCall {
  readonly kind: 'call';
  readonly modelId: string;
  readonly texts: number;
  readonly characters: number;
  /** As the model reports them. */
  readonly tokens?: number;
}

/**
 * Reorders the best tools of a ranking with a model that is too slow for a whole catalog. Vectors of tools are cached by the content
 * of their text, so no text is embedded twice. One reranker can serve the searchers of many snapshots.
 */
export interface Reranker {
  readonly depth: number;
  /** The embedder's. */
  readonly fitModel?: FitModel | undefined;
  /** The cosines, or why there are none: a model that fails or is slow never fails a search. Rejects only on `signal`. */
  compare(asked: readonly Asked[], signal?: AbortSignal): Promise<Compared>;
  /** Prepares what the first searches of these tools would otherwise wait for. Never rejects. */
  prepare?(tools: readonly Tool[]): Promise<void>;
  /** Whether each clause of a request is compared separately. @default true */
  readonly readsClauses?: boolean | undefined;
}

/**
 * Accepts the sentence of a tool, as `toolSentence` writes it, in place of the tool, so that only the sentence has to be sent from
 * another thread.
 */
export interface SentenceReranker extends Reranker {
  compare(asked: readonly Asked<Tool | string>[], signal?: AbortSignal): Promise<Compared>;
  prepare?(tools: readonly (Tool | string)[]): Promise<void>;
}

/** One query, and the tools to compare it with. */
export interface Asked<Candidate = Tool> {
  readonly text: string;
  readonly tools: readonly Candidate[];
}

/** What a reranker says about the candidates, or why it says nothing. */
export type Compared =
  /** For each query the cosine (or score) of each of its tools; undefined for one that the model can't read. */
  | { readonly kind: 'compared'; readonly cosines: readonly (Float32Array | undefined)[] }
  | { readonly kind: 'fallback'; readonly reason: string; readonly cause?: unknown };

/** How a reranker works, unless the options say otherwise. */
export const RERANKER_DEFAULTS: Required<Pick<RerankerOptions, 'depth' | 'timeoutMs' | 'cacheBytes' | 'timer'>> = {
  depth: 50,
  timeoutMs: 2_000,
  cacheBytes: DEFAULT_CACHE_BYTES,
  timer: SYSTEM_CLOCK.after,
};

/**
 * A reranker that compares sentences: embeds the queries and the best candidates, and keeps what it has embedded.
 *
 * @example
 * const reranker = createReranker({ embedder });
 */
export function createReranker(options: RerankerOptions): SentenceReranker {
  checkOptionNames('createReranker', options, 'embedder hold store signal onEvent isPreparing', RERANKER_DEFAULTS);
  const { embedder, hold, store, signal: ended, onEvent, isPreparing = embedder.isLocal === true } = options;
  const { depth, timeoutMs, cacheBytes, timer } = { ...RERANKER_DEFAULTS, ...options };
  checkRerankerNumbers({ depth, timeoutMs, cacheBytes });
  const queue = new EmbeddingQueue({ embedder, timer, abandonMs: timeoutMs * PATIENCE, signal: ended, onEvent });
  const toolVectors = new ToolVectors({
    modelId: embedder.modelId,
    queue,
    cacheBytes,
    hold,
    store,
    onStoreFailure: (cause) => onEvent?.({ kind: 'store-failed', cause }),
  });

  /** The requests are embedded first, in separate calls: if that fails, no tool is sent. */
  async function compareAll(asked: readonly Asked<Tool | string>[]): Promise<readonly Float32Array[]> {
    const texts = [...new Set(asked.map(({ text }) => text))];
    const batches = queue.embed(texts, await queue.batchSize());
    const made = (await Promise.all(batches.map((batch) => batch.vectors))).flat();
    const requests = new Map(texts.map((text, at) => [text, made[at] as Float32Array]));
    const dimensions = made[0]?.length ?? 0;
    const tools = [...new Set(asked.flatMap((one) => one.tools))];
    const vectors = await toolVectors.read(tools, dimensions);
    const vectorOf = new Map(tools.map((tool, at) => [tool, vectors[at] as Float32Array]));
    return asked.map(({ text, tools: some }) => {
      const request = requests.get(text) as Float32Array;
      return Float32Array.from(some, (tool) => dot(request, vectorOf.get(tool) as Float32Array));
    });
  }

  /** In small batches, one at a time, so that a search waits for one batch at most. */
  async function prepareTools(tools: readonly (Tool | string)[]): Promise<void> {
    for (let start = 0; start < tools.length && ended?.aborted !== true; start += PREPARED_AT_ONCE) {
      try {
        await toolVectors.read(tools.slice(start, start + PREPARED_AT_ONCE), undefined);
      } catch {
        // The search that needs these vectors asks again and reports the error.
        return;
      }
    }
  }

  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  /** One catalog at a time. If too many are waiting, later ones are not prepared: their searches embed what they need. */
  async function prepare(tools: readonly (Tool | string)[]): Promise<void> {
    if (waiting >= MOST_PREPARING) return;
    waiting += 1;
    last = last
      .then(() => prepareTools(tools))
      .finally(() => {
        waiting -= 1;
      });
    await last;
  }

  return {
    depth,
    fitModel: embedder.fitModel,
    compare: (asked, signal) => {
      const canRead = (text: string): boolean => embedder.canRead?.(text) !== false;
      return compareWithin(asked, compareAll, { timeoutMs, timer, signal, onEvent, canRead });
    },
    ...(isPreparing ? { prepare } : {}),
  };
}

interface CompareOptions
  extends Required<Pick<RerankerOptions, 'timeoutMs' | 'timer'>>,
    Pick<RerankerOptions, 'signal'> {
  readonly onEvent: RerankerOptions['onEvent'] | undefined;
  readonly canRead?: (text: string) => boolean;
}

/**
 * Compares every query that is readable and has candidates. `work` gets those queries; if it fails or takes too long, there is a
 * fallback. The result of late work is cached for the next search.
 */
export async function compareWithin(
  asked: readonly Asked<Tool | string>[],
  work: (readable: readonly Asked<Tool | string>[]) => Promise<readonly Float32Array[]>,
  options: CompareOptions,
): Promise<Compared> {
  const { timeoutMs, timer: after, signal, onEvent, canRead = () => true } = options;
  signal?.throwIfAborted();
  const values = asked.map(({ text, tools }) => ({ text: toValue(text), tools }));
  const given = values.filter(({ text, tools }) => text !== '' && tools.length > 0);
  const readable = given.filter(({ text }) => canRead(text));
  if (readable.length === 0) {
    if (given.length > 0) onEvent?.({ kind: 'skipped', reason: UNREADABLE });
    return { kind: 'compared', cosines: values.map(() => undefined) };
  }
  const compared = work(readable).then(
    (cosines): Compared => ({ kind: 'compared', cosines: values.map((one) => cosines[readable.indexOf(one)]) }),
    (cause: unknown): Compared => ({ kind: 'fallback', reason: reasonOf(cause), cause }),
  );
  const reason = `The reranker took longer than ${timeoutMs} ms`;
  const late = (): Compared => ({ kind: 'fallback', reason });
  const outcome = await withTimeout(compared, { timeoutMs, after, signal }, late);
  if (outcome.kind === 'fallback') onEvent?.(outcome);
  return outcome;
}

/** Providers refuse half a surrogate pair. */
function toValue(text: string): string {
  return text
    .slice(0, QUERY_LIMITS.characters)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .trim();
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] as number) * (right[i] as number);
  return sum;
}

/** Throws if a setting is out of its range. */
export function checkRerankerNumbers(numbers: Record<'depth' | 'timeoutMs' | 'cacheBytes', number>): void {
  readWholeNumber('depth', numbers.depth, 1, MOST_DEPTH);
  readWholeNumber('timeoutMs', numbers.timeoutMs, 1, Number.MAX_SAFE_INTEGER);
  readWholeNumber('cacheBytes', numbers.cacheBytes, 0, Number.MAX_SAFE_INTEGER);
}

/** Why a request was not reranked. */
export const UNREADABLE = 'The reranker does not read the language of this request';
const PREPARED_AT_ONCE = 8;
const MOST_PREPARING = 64;
const MOST_DEPTH = 200;
/** How many times `timeoutMs` a call may take before it is aborted. */
const PATIENCE = 15;

/**
 * How whether anything fits is judged: the weight of each kind of evidence, 0 or more, and the sum at which a match is as likely as
 * not.
 */
export interface FitModel {
  /** The embedded model's cosine with the tool, without what all tools of the catalog have in common. */
  readonly meaning: number;
  /** Neighbouring words in common. */
  readonly bigrams: number;
  /** The reranker's cosine. */
  readonly cosine: number;
  readonly threshold: number;
  /**
   * How much more evidence is required if the catalog has ten times as many tools, because in a large catalog something is always
   * near. Up to 500 tools, `threshold` applies unchanged. @default 0
   */
  readonly perTenfold?: number;
}

function reasonOf(cause: unknown): string {
  return `The reranker failed: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** Runs something once after a delay; the returned function cancels it. Passed in, so that tests don't have to wait. */
export type Timer = (delayMs: number, run: () => void) => () => void;
