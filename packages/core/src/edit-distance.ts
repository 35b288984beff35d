/**
 * How many letters must be inserted, omitted, changed or swapped with their neighbour (optimal string alignment). Infinite above the
 * limit, and stopped as soon as that is certain.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY;
  const width = right.length + 1;
  if (rows.length < 3 * width) rows = new Uint32Array(6 * width);
  // The start of the rows of costs that are two back, one back, and being filled; the three take turns.
  let [beforePrevious, previous, current] = [0, width, 2 * width];
  for (let column = 0; column < width; column += 1) rows[previous + column] = column;
  for (let row = 1; row <= left.length; row += 1) {
    const letter = left.charCodeAt(row - 1);
    const letterBefore = row > 1 ? left.charCodeAt(row - 2) : NO_LETTER;
    rows[current] = row;
    let least = row;
    for (let column = 1; column < width; column += 1) {
      const other = right.charCodeAt(column - 1);
      let cost = (rows[previous + column - 1] as number) + (letter === other ? 0 : 1);
      cost = Math.min(cost, (rows[previous + column] as number) + 1, (rows[current + column - 1] as number) + 1);
      if (letterBefore === other && column > 1 && letter === right.charCodeAt(column - 2)) {
        cost = Math.min(cost, (rows[beforePrevious + column - 2] as number) + 1);
      }
      rows[current + column] = cost;
      least = Math.min(least, cost);
    }
    // The lowest cost rises by at most one per row, and a swap costs one more than two rows before: nothing falls below it again.
    if (least > limit) return Number.POSITIVE_INFINITY;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  const distance = rows[previous + right.length] as number;
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

/** Kept from one call to the next: a misspelled word is compared with hundreds. */
let rows: Uint32Array = new Uint32Array(128);

const NO_LETTER = -1;
