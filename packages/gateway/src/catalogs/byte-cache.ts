import type { Holding, MemoryBudget } from './memory-budget.ts';

interface Entry<Value> {
  readonly value: Value;
  holding: Holding | undefined;
}

/** What a value costs, and whom. */
export interface EntryCost {
  readonly bytes: number;
  /** Whose request brought it: a key's id. @default '' */
  readonly owner?: string | undefined;
}

/** Values as long as the budget has room for them. One that is larger than the whole budget is not kept. */
export class ByteCache<Value> {
  readonly #budget: MemoryBudget;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** What is kept here now. */
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

  /** Says what a value takes now, if it is still kept. */
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
