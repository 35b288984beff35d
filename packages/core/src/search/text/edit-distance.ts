/**
 * How many letters must be put in, left out, changed or swapped with their neighbour (optimal string alignment). Infinite past the
 * limit, and given up as soon as that is certain.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY;
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const cost = Math.min(
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        row > 1 && column > 1 && isSwapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
      current.push(cost);
      least = Math.min(least, cost);
    }
    // The least cost rises by at most one a row, and a swap costs one more than two rows before: nothing comes back below it.
    if (least > limit) return Number.POSITIVE_INFINITY;
    beforePrevious = previous;
    previous = current;
  }
  const distance = previous[right.length] ?? Number.POSITIVE_INFINITY;
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}
