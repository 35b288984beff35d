/** Round values that an axis from `least` to `most` is marked at, zero among them. */
export function axisMarks(least: number, most: number, count = 4): readonly number[] {
  const range = most - least;
  if (range <= 0) return [0];
  const rough = range / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const marks: number[] = [];
  for (let mark = Math.ceil(least / step); mark * step <= most; mark++) marks.push(mark * step + 0);
  return marks;
}
