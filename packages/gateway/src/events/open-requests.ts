/** Enough lists to keep each short with a few thousand requests at once. A power of two. */
const BUCKETS = 512;

/**
 * Requests in progress, by id. Not a `Map`: each table that a `Map` outgrows keeps the next one alive until the whole heap is
 * collected. With entries that come and go, everything that requests held would survive that long.
 */
export class OpenRequests<Value extends { readonly requestId: string }> {
  readonly #buckets: readonly Value[][] = Array.from({ length: BUCKETS }, () => []);

  get(requestId: string): Value | undefined {
    const bucket = this.#bucketOf(requestId);
    for (const value of bucket) if (value.requestId === requestId) return value;
    return undefined;
  }

  add(value: Value): void {
    this.#bucketOf(value.requestId).push(value);
  }

  /** Takes it out. */
  take(requestId: string): Value | undefined {
    const bucket = this.#bucketOf(requestId);
    for (let at = 0; at < bucket.length; at += 1) {
      const value = bucket[at];
      if (value?.requestId !== requestId) continue;
      const last = bucket.pop();
      if (last !== undefined && at < bucket.length) bucket[at] = last;
      return value;
    }
    return undefined;
  }

  /** In no order. */
  *[Symbol.iterator](): Generator<Value> {
    for (const bucket of this.#buckets) yield* bucket;
  }

  /** Ids are random or count up: their ends differ. */
  #bucketOf(requestId: string): Value[] {
    const end = requestId.length;
    const hash =
      requestId.charCodeAt(end - 1) + 16 * requestId.charCodeAt(end - 2) + 64 * requestId.charCodeAt(end - 3);
    return this.#buckets[hash & (BUCKETS - 1)] ?? [];
  }
}
