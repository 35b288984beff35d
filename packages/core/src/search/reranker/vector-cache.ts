/**
 * Keeps vectors by the model that made them and the SHA-256 of their text, as the bytes of little-endian 32-bit floats. The
 * store of `@quartermaster/host` is one as it stands.
 */
export interface VectorCache {
  /** The vectors that are known; the others are missing from the map. */
  get(model: string, hashes: readonly string[]): Awaitable<ReadonlyMap<string, Uint8Array>>;
  put(model: string, vectors: ReadonlyMap<string, Uint8Array>): Awaitable<void>;
}

type Awaitable<Value> = Value | PromiseLike<Value>;

export interface MemoryVectorCacheOptions {
  /** Bytes of vectors that are kept, 0 or more; what was not asked for longest goes first. @default 64 MiB */
  readonly maxBytes?: number;
  /**
   * Counts the vectors in a budget that other caches share. `release` is called when that has no room for them any more, and forgets
   * them all. @default `maxBytes` alone bounds them
   */
  readonly hold?: HoldVectors | undefined;
}

/** Counts bytes until they are released; undefined if there is no room for them at all. */
export type HoldVectors = (
  bytes: number,
  release: () => void,
) => { touch(): void; resize(bytes: number): void } | undefined;

export const MEMORY_VECTOR_CACHE_DEFAULTS: Required<Omit<MemoryVectorCacheOptions, 'hold'>> = {
  maxBytes: 64 * 2 ** 20,
};

/** A cache that lasts as long as the process: 64 MiB hold some 40,000 tools at 384 dimensions. */
export class MemoryVectorCache implements VectorCache {
  readonly #maxBytes: number;
  /** In the order of their last use: a `Map` keeps the order in which its keys were set. */
  readonly #vectors: Map<string, Uint8Array> = new Map();
  readonly #hold: HoldVectors | undefined;
  #holding: ReturnType<HoldVectors>;
  #bytes = 0;

  constructor(options: MemoryVectorCacheOptions = {}) {
    this.#hold = options.hold;
    this.#maxBytes = { ...MEMORY_VECTOR_CACHE_DEFAULTS, ...options }.maxBytes;
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
