import type { QueryVector } from './query-vector.ts';
import type { VectorIndex } from './vector-index.ts';

/**
 * What all tools of a catalog have in common, beyond what tools anywhere have. Where every description ends in the same sentence, or
 * every tool is of one server and has little more than a name, most of each vector is what all of them share, and the cosine with
 * a tool says little of what that one does.
 */
export class CommonMeaning {
  readonly #sum: Float64Array;
  /** What the sum of the vectors is multiplied by to be the part of each that is common and more than usual. */
  readonly #share: number;
  /** How long what is left of a vector is on the average, once that part is taken away. */
  readonly #rest: number;

  constructor({ count, sum }: Pick<VectorIndex, 'count' | 'sum'>) {
    const length = Math.sqrt(sum.reduce((total, component) => total + component * component, 0));
    const mean = length / (count + DOUBT);
    const excess = mean > USUAL ? 1 - USUAL / mean : 0;
    const taken = excess * mean;
    this.#sum = sum;
    this.#share = excess / (count + DOUBT);
    this.#rest = Math.sqrt(Math.max(1 - (2 * taken * length) / Math.max(count, 1) + taken * taken, LEAST_REST));
  }

  /** The cosine of a request with what is left of each tool: `(cosine - the request's cosine with the common part) / rest`, 0 or more. */
  beyond({ components, scale }: QueryVector, cosines: Float64Array, into: Float64Array): Float64Array {
    let typical = 0;
    if (this.#share > 0) {
      for (let i = 0; i < components.length; i++) typical += (components[i] as number) * (this.#sum[i] as number);
    }
    typical *= scale * this.#share;
    for (let at = 0; at < cosines.length; at++)
      into[at] = Math.max(0, ((cosines[at] as number) - typical) / this.#rest);
    return into;
  }
}

/** As many more vectors as pointed nowhere: a few tools have something in common by chance. */
const DOUBT = 10;
/** How long the mean of a catalog's vectors is where its tools have nothing in common but to be tools. */
const USUAL = 0.3;
/** Of a catalog that says the same of everything next to nothing would be left, and that magnified. */
const LEAST_REST = 0.1;
