/**
 * How many letters must be inserted, omitted, changed or swapped with their neighbour (optimal string alignment). Infinite above the
 * limit, and stopped as soon as that is certain.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY;
  // What both begin and end with costs nothing: names of one server often share most of their letters.
  let start = 0;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (start < leftEnd && start < rightEnd && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  while (leftEnd > start && rightEnd > start && left.charCodeAt(leftEnd - 1) === right.charCodeAt(rightEnd - 1)) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const height = leftEnd - start;
  const width = rightEnd - start;
  if (height === 0 || width === 0) return height + width;
  const size = width + 2;
  if (rows.length < 3 * size) rows = new Uint32Array(6 * size);
  // The start of the rows of costs that are two back, one back, and being filled; the three take turns.
  let [beforePrevious, previous, current] = [0, size, 2 * size];
  for (let column = 0; column <= width; column += 1) rows[previous + column] = column;
  for (let row = 1; row <= height; row += 1) {
    const letter = left.charCodeAt(start + row - 1);
    const letterBefore = row > 1 ? left.charCodeAt(start + row - 2) : NO_LETTER;
    // Cells further from the diagonal cost more than the limit.
    const first = Math.max(1, row - limit);
    const last = Math.min(width, row + limit);
    rows[current + first - 1] = first === 1 ? row : limit + 1;
    let least = rows[current + first - 1] as number;
    for (let column = first; column <= last; column += 1) {
      const other = right.charCodeAt(start + column - 1);
      let cost = (rows[previous + column - 1] as number) + (letter === other ? 0 : 1);
      const omitted = (rows[previous + column] as number) + 1;
      if (omitted < cost) cost = omitted;
      const inserted = (rows[current + column - 1] as number) + 1;
      if (inserted < cost) cost = inserted;
      if (letterBefore === other && column > 1 && letter === right.charCodeAt(start + column - 2)) {
        const swapped = (rows[beforePrevious + column - 2] as number) + 1;
        if (swapped < cost) cost = swapped;
      }
      rows[current + column] = cost;
      if (cost < least) least = cost;
    }
    rows[current + last + 1] = limit + 1;
    // The lowest cost rises by at most one per row, and a swap costs one more than two rows before: nothing falls below it again.
    if (least > limit) return Number.POSITIVE_INFINITY;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  const distance = rows[previous + width] as number;
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

/** Kept from one call to the next: a misspelled word is compared with hundreds. */
let rows: Uint32Array = new Uint32Array(128);

const NO_LETTER = -1;
