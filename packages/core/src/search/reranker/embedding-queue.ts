import { withTimeout } from '../../clock.ts';
import { malformed, type UpstreamError } from '../../upstream-error.ts';
import type { Embedder } from '../semantic/embedder.ts';
import type { RerankerCall, Timer } from './create-reranker.ts';

export interface EmbeddingQueueOptions {
  readonly embedder: Embedder;
  readonly timer: Timer;
  /** After how long a call without an answer is aborted, so that it doesn't hold its slot forever. */
  readonly abandonMs: number;
  /** Aborts calls in progress and those that are waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each call that was answered. */
  readonly onEvent?: ((event: RerankerCall) => void) | undefined;
}

/** Calls at the same time: one batch can be in progress while the next is written, and every provider accepts two. */
const CONCURRENCY = 2;
/** Texts in one call where the embedder sets no lower limit. */
const BATCH = 64;
/** Texts that may wait. A search adds a few hundred at most; more than this means that the model does not respond. */
const MOST_WAITING = 4_000;
const MOST_DIMENSIONS = 16_384;

/** Embeds texts in calls of the size that the embedder accepts, a few at a time, and checks the answers. */
export class EmbeddingQueue {
  readonly #options: EmbeddingQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #waitingTexts = 0;
  #dimensions: number | undefined;

  constructor(options: EmbeddingQueueOptions) {
    this.#options = options;
  }

  /** How many texts one call takes. */
  async batchSize(): Promise<number> {
    return readBatchSize(await this.#options.embedder.maxEmbeddingsPerCall);
  }

  /**
   * Starts at once and returns a promise for each call, in the order of the texts, so that the result of one call is not lost if the
   * next one fails.
   */
  embed(texts: readonly string[], batchSize: number): readonly Batch[] {
    if (this.#waitingTexts + texts.length > MOST_WAITING) {
      throw this.#failure(`is behind by ${this.#waitingTexts} texts`);
    }
    const batches: Batch[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      const values = texts.slice(start, start + batchSize);
      batches.push({ start, count: values.length, vectors: this.#call(values) });
    }
    return batches;
  }

  async #call(values: string[]): Promise<Float32Array<ArrayBuffer>[]> {
    this.#waitingTexts += values.length;
    try {
      await this.#takeTurn();
      try {
        const answer = await this.#ask(values);
        this.#report(values, answer);
        return this.#read(answer, values.length);
      } finally {
        this.#passTurn();
      }
    } finally {
      this.#waitingTexts -= values.length;
    }
  }

  async #takeTurn(): Promise<void> {
    if (this.#running < CONCURRENCY) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the slot directly to the next in the queue, so that no later caller can take it. */
  #passTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  /** Ends after `abandonMs` or on the signal, even if the embedder ignores its own signal. */
  async #ask(values: string[]): Promise<unknown> {
    const { embedder, timer, abandonMs, signal } = this.#options;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abandon = (): Promise<never> => Promise.reject(this.#failure(`gave no answer within ${abandonMs} ms`));
    try {
      const asked = embedder.doEmbed({ values, abortSignal: controller.signal });
      return await withTimeout(asked, { timeoutMs: abandonMs, after: timer, signal }, abandon);
    } catch (error) {
      controller.abort(error);
      throw error;
    }
  }

  #report(values: readonly string[], answer: unknown): void {
    const { embedder, onEvent } = this.#options;
    const tokens = (answer as { readonly usage?: { readonly tokens?: unknown } } | undefined | null)?.usage?.tokens;
    onEvent?.({
      kind: 'call',
      modelId: embedder.modelId,
      texts: values.length,
      characters: values.reduce((sum, { length }) => sum + length, 0),
      ...(typeof tokens === 'number' ? { tokens } : {}),
    });
  }

  /** Unit vectors from a model's answer, which is not trusted. */
  #read(answer: unknown, count: number): Float32Array<ArrayBuffer>[] {
    const embeddings = (answer as { readonly embeddings?: unknown } | undefined | null)?.embeddings;
    if (!Array.isArray(embeddings) || embeddings.length !== count) {
      const given = Array.isArray(embeddings) ? `${embeddings.length} vectors` : 'no list of vectors';
      throw this.#failure(`gave ${given} for ${count} texts`);
    }
    return embeddings.map((embedding: unknown) => this.#readVector(embedding));
  }

  #readVector(embedding: unknown): Float32Array<ArrayBuffer> {
    if (!isNumbers(embedding)) throw this.#failure(`gave ${typeof embedding} where a vector belongs`);
    const { length } = embedding;
    if (length === 0 || length > MOST_DIMENSIONS) throw this.#failure(`gave a vector of ${length} components`);
    if (length !== (this.#dimensions ?? length)) {
      throw this.#failure(`gave a vector of ${length} components after others of ${this.#dimensions}`);
    }
    const vector = Float32Array.from(embedding);
    let square = 0;
    for (const component of vector) square += component * component;
    if (!Number.isFinite(square)) throw this.#failure('gave a vector with a component that is not a finite number');
    this.#dimensions = length;
    // All zeros is the vector of a text without meaning: it is similar to nothing.
    const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
    return vector.map((component) => component * scale);
  }

  #failure(what: string): UpstreamError {
    const { modelId } = this.#options.embedder;
    return malformed(`The embedder "${modelId}" ${what}`, { context: { modelId } });
  }
}

/** The texts of one call, from `start` on. */
export interface Batch {
  readonly start: number;
  readonly count: number;
  readonly vectors: Promise<readonly Float32Array<ArrayBuffer>[]>;
}

function isNumbers(value: unknown): value is readonly number[] | Float32Array | Float64Array {
  return Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array;
}

/** An invalid limit is treated as one text per call: slow, but every model accepts that. */
function readBatchSize(limit: unknown): number {
  if (limit === undefined || limit === Number.POSITIVE_INFINITY) return BATCH;
  return typeof limit === 'number' && limit >= 1 ? Math.min(BATCH, Math.floor(limit)) : 1;
}
