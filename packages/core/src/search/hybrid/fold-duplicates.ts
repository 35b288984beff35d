import type { Tool } from '../../catalog/index.ts';
import type { VectorIndex } from '../semantic/index.ts';
import { nameKey } from '../text/index.ts';

/** A place in an answer, and the tools that say the same under the same name. */
export interface Folded<Item> {
  readonly item: Item;
  readonly also: readonly Item[];
}

/** From this cosine on, two tools with the same name are the same tool from two servers. */
const SAME = 0.95;

/**
 * Folds near-duplicates into the best of them, so that an answer of five is not one tool five times. They are named beside
 * it and stay loadable.
 */
export function foldDuplicates<Item>(
  items: readonly Item[],
  limit: number,
  of: { readonly tool: (item: Item) => Tool; readonly position: (item: Item) => number; readonly vectors: VectorIndex },
): Folded<Item>[] {
  const folded: { item: Item; also: Item[]; key: string }[] = [];
  for (const item of items) {
    const key = nameKey(of.tool(item).name);
    const same = folded.find((other) => {
      return other.key === key && between(of.vectors, of.position(other.item), of.position(item)) >= SAME;
    });
    if (same !== undefined) same.also.push(item);
    else if (folded.length < limit) folded.push({ item, also: [], key });
    else break;
  }
  return folded.map(({ item, also }) => ({ item, also }));
}

/** The cosine of two indexed vectors. */
function between({ components, dimensions, scales }: VectorIndex, left: number, right: number): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i += 1) {
    sum += (components[left * dimensions + i] as number) * (components[right * dimensions + i] as number);
  }
  return sum * (scales[left] as number) * (scales[right] as number);
}
