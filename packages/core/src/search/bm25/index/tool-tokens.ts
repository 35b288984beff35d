import { type ChosenBase, chooseBase, type Marked } from '../../kept/index.ts';
import { NO_LIST } from './bm25-index.ts';
import { scratchUint32 } from './scratch-array.ts';
import type { TermTable } from './term-table.ts';
import { type TokenStore, TWO_UNITS } from './token-store.ts';

/** The tokens that an index was built from. An index of mostly the same tools takes theirs over, and only reads the others. */
export interface ToolTokens extends Marked {
  /** See `TokenStore`; terms are those of the index. */
  readonly units: Uint16Array;
  /** See `ReadTools`. */
  readonly fieldEnds: Uint32Array;
}

/** An index that other indexes can be built from. */
export interface TokenSource {
  readonly tokens: ToolTokens | undefined;
  readonly terms: TermTable;
  readonly data: { readonly nameTerms: Uint32Array };
}

/** What a new index takes tokens over from, if it can. */
export interface TokenReuse extends Marked {
  /** Indexes of other catalogs. */
  readonly others: readonly TokenSource[];
}

interface MarkedSource extends Marked {
  readonly source: TokenSource;
  readonly tokens: ToolTokens;
}

/** Writes the tokens of known tools to a store, under the numbers that their terms have there. */
export class TokenCopier {
  readonly #chosen: ChosenBase<MarkedSource>;
  readonly #marks: Uint32Array;
  /** Per token of the source, the same token in the store plus one; 0 for one that was not met so far. */
  readonly #tokens: Uint32Array;

  private constructor(chosen: ChosenBase<MarkedSource>, marks: Uint32Array) {
    this.#chosen = chosen;
    this.#marks = marks;
    this.#tokens = scratchUint32(4 * chosen.base.source.terms.size);
  }

  /** Undefined where no other index has any of the tools. */
  static from({ marks, others }: TokenReuse): TokenCopier | undefined {
    const sources = others.flatMap((source) =>
      source.tokens === undefined ? [] : [{ source, tokens: source.tokens, marks: source.tokens.marks }],
    );
    const chosen = chooseBase(marks, sources);
    return chosen === undefined ? undefined : new TokenCopier(chosen, marks);
  }

  /** The number of a tool in the source, or -1. */
  find(tool: number): number {
    return this.#chosen.find(this.#marks[2 * tool] as number, this.#marks[2 * tool + 1] as number);
  }

  /** Copies a field, whose entry in `fieldEnds` is given. */
  copy(store: TokenStore, entry: number): void {
    const { tokens: base, source } = this.#chosen.base;
    const { units, fieldEnds } = base;
    const { terms } = source;
    const tokens = this.#tokens;
    const end = fieldEnds[entry] ?? 0;
    for (let at = entry === 0 ? 0 : (fieldEnds[entry - 1] ?? 0); at < end; at += 1) {
      let token = units[at] ?? 0;
      if (token >= TWO_UNITS) {
        at += 1;
        token = ((token - TWO_UNITS) << 16) | (units[at] ?? 0);
      }
      const known = tokens[token] ?? 0;
      if (known > 0) {
        store.addKnown(known - 1);
      } else {
        store.addTerm(store.terms.internFrom(terms, token >>> 2), token & 3);
        tokens[token] = store.last + 1;
      }
    }
  }

  /** The key of a copied tool's name. It is one of the tool's tokens, which are in the store. */
  nameTerm(known: number): number {
    const term = this.#chosen.base.source.data.nameTerms[known] ?? NO_LIST;
    for (let token = 4 * term; token < 4 * term + 4; token += 1) {
      const copied = this.#tokens[token] ?? 0;
      if (copied > 0) return (copied - 1) >>> 2;
    }
    return NO_LIST;
  }
}
