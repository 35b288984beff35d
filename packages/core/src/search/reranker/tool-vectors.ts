import type { Tool } from '../../catalog/index.ts';
import { sha256 } from '../../catalog/internal.ts';
import { memoized } from '../../memoized.ts';
import type { EmbeddingQueue } from './embedding-queue.ts';
import { toolSentence } from './tool-sentence.ts';

interface ToolVectorsOptions {
  readonly modelId: string;
  readonly queue: EmbeddingQueue;
  readonly cacheBytes: number;
  readonly hold: HoldVectors | undefined;
  /** Read for what is not in memory; new vectors are written to it. */
  readonly store: VectorCache | undefined;
  /** Called when the store fails, which costs time but never an answer. */
  readonly onStoreFailure: (cause: unknown) => void;
}

/** The vectors of tools: from memory, from the store, or from the embedder, which is asked once per text. */
export class ToolVectors {
  readonly #options: ToolVectorsOptions;
  readonly #memory: MemoryVectorCache;
  /** What is being embedded, by hash: a second search that needs it waits for the same call. */
  readonly #pending: Map<string, Promise<Float32Array>> = new Map();

  constructor(options: ToolVectorsOptions) {
    this.#options = options;
    this.#memory = new MemoryVectorCache({ maxBytes: options.cacheBytes, hold: options.hold });
  }

  /**
   * One unit vector of `dimensions` for each tool or sentence, in their order. A cached vector of another length is replaced; if the
   * length is not known yet, any is accepted.
   */
  async read(tools: readonly (Tool | string)[], dimensions: number | undefined): Promise<readonly Float32Array[]> {
    const { modelId, queue } = this.#options;
    const sentences = tools.map((tool) => (typeof tool === 'string' ? hashed(tool) : sentenceOf(tool)));
    const byHash = new Map(sentences.map((sentence) => [sentence.hash, sentence]));
    const batchSize = await queue.batchSize();
    const recalled = await this.#recall([...byHash.keys()], dimensions);
    // No `await` from here until the missing ones are marked as pending, so that no other search requests them too.
    const late = toVectors(this.#memory.get(modelId, [...byHash.keys()]), dimensions);
    const vectors = new Map<string, Float32Array | Promise<Float32Array>>([...this.#pending, ...recalled, ...late]);
    const missing = [...byHash.values()].filter(({ hash }) => !vectors.has(hash));
    for (const [hash, vector] of this.#embed(missing, batchSize)) vectors.set(hash, vector);
    return Promise.all(sentences.map(({ hash }) => vectors.get(hash) as Float32Array | Promise<Float32Array>));
  }

  async #recall(hashes: readonly string[], dimensions: number | undefined): Promise<Map<string, Float32Array>> {
    const { modelId, store } = this.#options;
    const found = toVectors(this.#memory.get(modelId, hashes), dimensions);
    const missing = hashes.filter((hash) => !found.has(hash));
    if (store === undefined || missing.length === 0) return found;
    try {
      const stored = toVectors(await store.get(modelId, missing), dimensions);
      this.#memory.put(modelId, toBytes(stored));
      for (const [hash, vector] of stored) found.set(hash, vector);
    } catch (cause) {
      this.#options.onStoreFailure(cause);
    }
    return found;
  }

  #embed(sentences: readonly Sentence[], batchSize: number): Map<string, Promise<Float32Array>> {
    const started = new Map<string, Promise<Float32Array>>();
    const texts = sentences.map(({ text }) => text);
    for (const { start, count, vectors } of this.#options.queue.embed(texts, batchSize)) {
      const batch = sentences.slice(start, start + count);
      for (const [at, { hash }] of batch.entries()) {
        const vector = vectors.then((all) => all[at] as Float32Array);
        // Remaining waiters get the failure; it must not end the process when there are none.
        vector.catch(() => {});
        started.set(hash, vector);
        this.#pending.set(hash, vector);
      }
      void this.#keep(batch, vectors);
    }
    return started;
  }

  /** Continues even if no search waits any more: a late vector is cached for the next one. */
  async #keep(batch: readonly Sentence[], vectors: Promise<readonly Float32Array[]>): Promise<void> {
    const { modelId } = this.#options;
    try {
      const made = await vectors;
      const bytes = toBytes(new Map(batch.map(({ hash }, at) => [hash, made[at] as Float32Array])));
      this.#memory.put(modelId, bytes);
      await this.#putAway(bytes);
    } catch {
      // The searches that need these vectors get the error from their own promises.
    } finally {
      for (const { hash } of batch) this.#pending.delete(hash);
    }
  }

  async #putAway(bytes: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const { modelId, store, onStoreFailure } = this.#options;
    try {
      await store?.put(modelId, bytes);
    } catch (cause) {
      onStoreFailure(cause);
    }
  }
}

interface Sentence {
  readonly text: string;
  readonly hash: string;
}

const sentenceOf = memoized((tool: Tool) => hashed(toolSentence(tool)));

function hashed(text: string): Sentence {
  return { text, hash: sha256([text]) };
}

/** Leaves out what can't be a vector of this model. */
function toVectors(found: ReadonlyMap<string, Uint8Array>, wanted: number | undefined): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  for (const [hash, bytes] of found) {
    const dimensions = wanted ?? Math.floor(bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
    if (dimensions === 0 || bytes.byteLength !== dimensions * Float32Array.BYTES_PER_ELEMENT) continue;
    // A view has to start at a multiple of four, which bytes from a database may not do.
    const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
    const vector = new Float32Array(aligned.buffer, aligned.byteOffset, dimensions);
    if (vector.every(Number.isFinite)) vectors.set(hash, vector);
  }
  return vectors;
}

function toBytes(vectors: ReadonlyMap<string, Float32Array>): Map<string, Uint8Array> {
  return new Map(
    [...vectors].map(([hash, { buffer, byteOffset, byteLength }]) => [
      hash,
      new Uint8Array(buffer, byteOffset, byteLength),
    ]),
  );
}

/**
 * Keeps vectors by the model that made them and the SHA-256 of their text, as the bytes of little-endian 32-bit floats. The store of
 * `@quartermaster/host` is one.
 */
export interface VectorCache {
  /** The known vectors; others are missing from the map. */
  get(model: string, hashes: readonly string[]): Awaitable<ReadonlyMap<string, Uint8Array>>;
  put(model: string, vectors: ReadonlyMap<string, Uint8Array>): Awaitable<void>;
}

type Awaitable<Value> = Value | PromiseLike<Value>;

interface MemoryVectorCacheOptions {
  /** Bytes of vectors that are kept, 0 or more; the least recently used are dropped first. @default 64 MiB */
  readonly maxBytes?: number;
  /**
   * Counts the vectors in a budget that other caches share. `release` is called when the budget has no room for them any more, and
   * drops them all. @default `maxBytes` alone bounds them
   */
  readonly hold?: HoldVectors | undefined;
}

/** Counts bytes until they are released; undefined if there is no room for them at all. */
export type HoldVectors = (
  bytes: number,
  release: () => void,
) => { touch(): void; resize(bytes: number): void } | undefined;

export const DEFAULT_CACHE_BYTES: number = 64 * 2 ** 20;

/** A cache that lasts as long as the process: 64 MiB hold some 40,000 tools at 384 dimensions. */
export class MemoryVectorCache implements VectorCache {
  readonly #maxBytes: number;
  /** In the order of their last use: a `Map` keeps the order in which its keys were set. */
  readonly #vectors: Map<string, Uint8Array> = new Map();
  readonly #hold: HoldVectors | undefined;
  #holding: ReturnType<HoldVectors>;
  #bytes = 0;

  constructor({ maxBytes = DEFAULT_CACHE_BYTES, hold }: MemoryVectorCacheOptions = {}) {
    this.#hold = hold;
    this.#maxBytes = maxBytes;
  }

  get(model: string, hashes: readonly string[]): Map<string, Uint8Array> {
    const found = new Map<string, Uint8Array>();
    for (const hash of hashes) {
      const key = keyOf(model, hash);
      const vector = this.#vectors.get(key);
      if (vector === undefined) continue;
      this.#vectors.delete(key);
      this.#vectors.set(key, vector);
      found.set(hash, vector);
    }
    return found;
  }

  put(model: string, vectors: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, vector] of vectors) {
      const key = keyOf(model, hash);
      this.#remove(key);
      this.#vectors.set(key, vector);
      this.#bytes += sizeOf(key, vector);
    }
    for (const key of this.#vectors.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(key);
    }
    this.#count();
  }

  #count(): void {
    if (this.#hold === undefined) return;
    if (this.#holding !== undefined) {
      this.#holding.touch();
      this.#holding.resize(this.#bytes);
      return;
    }
    let isReleased = false;
    const holding = this.#hold(this.#bytes, () => {
      isReleased = true;
      this.#forget();
    });
    if (holding === undefined) this.#forget();
    else if (!isReleased) this.#holding = holding;
  }

  #forget(): void {
    this.#vectors.clear();
    this.#bytes = 0;
    this.#holding = undefined;
  }

  #remove(key: string): void {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return;
    this.#vectors.delete(key);
    this.#bytes -= sizeOf(key, vector);
  }
}

/** A hash has no colon, so that no two pairs have the same key. */
function keyOf(model: string, hash: string): string {
  return `${hash}:${model}`;
}

function sizeOf(key: string, vector: Uint8Array): number {
  return key.length + vector.byteLength;
}
