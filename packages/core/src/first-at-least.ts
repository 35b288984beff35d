/** The place of the first number that is not below the bound, among ascending ones. */
export function firstAtLeast(numbers: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
