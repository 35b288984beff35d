import type { CatalogFigures, ToolIndex } from '../../store/index.ts';

/** How many tools have each term that was asked for, of one catalog as it is now. Bounded: a catalog may have a million words. */
export class TermCache {
  readonly #index: ToolIndex;
  readonly #catalog: CatalogFigures;
  readonly #counts = new Map<string, number>();

  constructor(index: ToolIndex, catalog: CatalogFigures) {
    this.#index = index;
    this.#catalog = catalog;
  }

  /** Makes sure that {@link count} knows these. */
  async load(terms: Iterable<string>): Promise<void> {
    const missing = [...new Set(terms)].filter((term) => !this.#counts.has(term));
    if (missing.length === 0) return;
    const found = await this.#index.countTerms(this.#catalog, missing);
    if (this.#counts.size + missing.length > MOST_TERMS) this.#counts.clear();
    for (const term of missing) this.#counts.set(term, found.get(term) ?? 0);
  }

  /** 0 for one that no tool has, undefined for one that was not loaded. */
  count(term: string): number | undefined {
    return this.#counts.get(term);
  }
}

const MOST_TERMS = 20_000;
