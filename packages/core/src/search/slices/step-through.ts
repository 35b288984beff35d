/**
 * Goes through things numbered from 0 and yields between steps. A step is given the first number that is not done, does as
 * many as take well below a millisecond, and returns the next; the work goes into loops of plain functions, which run as
 * fast as without steps.
 */
export function* stepThrough(count: number, step: (first: number) => number): Generator<void, void> {
  for (let next = 0; next < count; ) {
    if (next > 0) yield;
    next = step(next);
  }
}
