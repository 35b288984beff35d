/**
 * Values by several names each, such as the labels of a metric. At most so many: further ones share one, so that names from outside
 * can't fill the memory. Looked up name by name: joining the names would take longer than counting.
 */
export class Series<Value> {
  readonly #most: number;
  readonly #others: (names: readonly string[]) => readonly string[];
  readonly #make: (names: readonly string[]) => Value;
  readonly #root: Place<Value> = { next: new Map(), value: undefined };
  readonly #all: Value[] = [];

  constructor(options: {
    readonly most: number;
    /** The names that further ones share. */
    others(names: readonly string[]): readonly string[];
    make(names: readonly string[]): Value;
  }) {
    this.#most = options.most;
    this.#others = options.others;
    this.#make = options.make;
  }

  /** The oldest first. */
  get all(): readonly Value[] {
    return this.#all;
  }

  /** Made when it is first asked for. */
  at(names: readonly string[]): Value {
    return this.#find(names) ?? this.#add(this.#all.length < this.#most ? names : this.#others(names));
  }

  #find(names: readonly string[]): Value | undefined {
    let place: Place<Value> | undefined = this.#root;
    for (const name of names) place = place?.next.get(name);
    return place?.value;
  }

  #add(names: readonly string[]): Value {
    let place = this.#root;
    for (const name of names) {
      const next = place.next.get(name) ?? { next: new Map(), value: undefined };
      place.next.set(name, next);
      place = next;
    }
    if (place.value !== undefined) return place.value;
    const value = this.#make(names);
    place.value = value;
    this.#all.push(value);
    return value;
  }
}

/** What a name leads to: the next one, or the value. */
interface Place<Value> {
  readonly next: Map<string, Place<Value>>;
  value: Value | undefined;
}
