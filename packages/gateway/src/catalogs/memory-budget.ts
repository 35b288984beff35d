/** Something that takes memory until its cache or the budget drops it. */
export interface Holding {
  /** The size that was last reported. */
  readonly bytes: number;
  /** It was used: other entries of its owner are dropped first. */
  touch(): void;
  /** Its size has changed. May drop it, or others. */
  resize(bytes: number): void;
  /** It is gone. Does not call `release`. */
  end(): void;
}

interface Held {
  bytes: number;
  readonly release: () => void;
}

interface OwnerShare {
  bytes: number;
  /** The least recently used first. */
  readonly held: Set<Held>;
}

/**
 * One limit in bytes for all caches of a thread and all owners. When it is exceeded, the owner that holds most loses its least
 * recently used entries: an owner below an equal share loses nothing to others.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  readonly #owners = new Map<string, OwnerShare>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** How much is held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How much one owner holds now. */
  bytesOf(owner: string): number {
    return this.#owners.get(owner)?.bytes ?? 0;
  }

  /**
   * Counts something until it is dropped. Undefined for anything larger than the whole budget, so that it displaces nothing.
   * @param release drops it, so that its memory is freed; called once, when there is no room for it any more, perhaps before this returns
   */
  hold(owner: string, bytes: number, release: () => void): Holding | undefined {
    if (bytes > this.maxBytes) return undefined;
    const share = this.#owners.get(owner) ?? { bytes: 0, held: new Set<Held>() };
    this.#owners.set(owner, share);
    const held: Held = { bytes, release };
    share.held.add(held);
    this.#count(share, bytes);
    this.#makeRoom();
    return {
      get bytes() {
        return held.bytes;
      },
      touch() {
        if (share.held.delete(held)) share.held.add(held);
      },
      resize: (size) => {
        if (!share.held.has(held)) return;
        this.#count(share, size - held.bytes);
        held.bytes = size;
        this.#makeRoom();
      },
      end: () => {
        this.#drop(owner, share, held);
      },
    };
  }

  #makeRoom(): void {
    while (this.#bytes > this.maxBytes) {
      const [owner, share] = this.#largest();
      const [oldest] = share.held;
      if (oldest === undefined) return;
      this.#drop(owner, share, oldest);
      oldest.release();
    }
  }

  #largest(): readonly [string, OwnerShare] {
    let largest: readonly [string, OwnerShare] = ['', { bytes: 0, held: new Set() }];
    for (const entry of this.#owners) if (entry[1].bytes > largest[1].bytes) largest = entry;
    return largest;
  }

  #drop(owner: string, share: OwnerShare, held: Held): void {
    if (!share.held.delete(held)) return;
    this.#count(share, -held.bytes);
    if (share.held.size === 0 && this.#owners.get(owner) === share) this.#owners.delete(owner);
  }

  #count(share: OwnerShare, bytes: number): void {
    share.bytes += bytes;
    this.#bytes += bytes;
  }
}

interface Entry<Value> {
  readonly value: Value;
  holding: Holding | undefined;
}

/** The size of a value, and its owner. */
export interface EntryCost {
  readonly bytes: number;
  /** Whose request brought it: a key's id. @default '' */
  readonly owner?: string | undefined;
}

/** Keeps values as long as the budget has room for them. One that is larger than the whole budget is not kept. */
export class ByteCache<Value> {
  readonly #budget: MemoryBudget;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** How much is kept here now. */
  get bytes(): number {
    let bytes = 0;
    for (const { holding } of this.#entries.values()) bytes += holding?.bytes ?? 0;
    return bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.holding?.touch();
    return entry.value;
  }

  /** The value, without counting as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value, { bytes, owner = '' }: EntryCost): void {
    this.delete(key);
    const entry: Entry<Value> = { value, holding: undefined };
    this.#entries.set(key, entry);
    const holding = this.#budget.hold(owner, bytes, () => this.#forget(key, entry));
    if (holding === undefined) this.#forget(key, entry);
    else entry.holding = holding;
  }

  /** Updates the size of a value, if it is still kept. */
  resize(key: string, value: Value, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry?.value === value) entry.holding?.resize(bytes);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    entry.holding?.end();
  }

  /** The latest first. */
  values(): readonly Value[] {
    return [...this.#entries.values()].map((entry) => entry.value).reverse();
  }

  #forget(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
