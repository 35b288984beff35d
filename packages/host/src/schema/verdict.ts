import type { Failure } from './failure.ts';

/** `unknown` means undecided: out of budget, or a pattern or a reference that can't be followed. */
export type Truth = 'valid' | 'invalid' | 'unknown';

/** Further ones are dropped: a list of ten thousand wrong items is explained by its first ones. */
const MOST_FAILURES = 50;

/**
 * What one schema says about one value, in Kleene's three-valued logic: `invalid` is certain, whatever the undecided
 * parts would have said, so a doubt never becomes a rejection.
 */
export class Verdict {
  truth: Truth = 'valid';
  readonly failures: Failure[] = [];
  #seen: Set<string | number> | undefined;
  /** False if an undecided part might have evaluated more children. */
  isSeenCertain = true;

  fail(failure: Failure): void {
    this.truth = 'invalid';
    if (this.failures.length < MOST_FAILURES) this.failures.push(failure);
  }

  doubt(): void {
    if (this.truth === 'valid') this.truth = 'unknown';
    this.isSeenCertain = false;
  }

  /** Adds the verdict of a schema that must hold for the same value. */
  include(other: Verdict): void {
    this.includeChild(other);
    this.adoptSeen(other);
  }

  /** Adds the verdict of a schema that must hold for a child. */
  includeChild(other: Verdict): void {
    if (other.truth === 'unknown' && this.truth === 'valid') this.truth = 'unknown';
    for (const failure of other.failures) this.fail(failure);
  }

  /** Marks a child as evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
  see(key: string | number): void {
    this.#seen ??= new Set();
    this.#seen.add(key);
  }

  hasSeen(key: string | number): boolean {
    return this.#seen?.has(key) === true;
  }

  adoptSeen(other: Verdict): void {
    for (const key of other.#seen ?? []) this.see(key);
    if (!other.isSeenCertain) this.isSeenCertain = false;
  }
}
