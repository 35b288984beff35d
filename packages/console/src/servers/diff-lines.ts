export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** More lines than people compare; the rest is shown as replaced. */
const MOST_LINES = 400;

/** The lines that went, came and stayed, by their longest common sequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (old.length > MOST_LINES || now.length > MOST_LINES) {
    return [...old.map((text) => ({ sign: '-' as const, text })), ...now.map((text) => ({ sign: '+' as const, text }))];
  }
  const lengths = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    const [left, right] = [old[at], now[to]];
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      at += 1;
      to += 1;
    } else if (
      left !== undefined &&
      (right === undefined || lengthAt(lengths, at + 1, to) >= lengthAt(lengths, at, to + 1))
    ) {
      lines.push({ sign: '-', text: left });
      at += 1;
    } else {
      lines.push({ sign: '+', text: right ?? '' });
      to += 1;
    }
  }
  return lines;
}

/** What a line has that the one before it did not: all between the words that both begin and both end with. */
export function diffWords(
  old: string,
  now: string,
): { readonly before: string; readonly added: string; readonly after: string } {
  const [left, right] = [old.split(WORD), now.split(WORD)];
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const cut = right.length - end;
  return {
    before: right.slice(0, start).join(''),
    added: right.slice(start, cut).join(''),
    after: right.slice(cut).join(''),
  };
}

const WORD = /(?<=\s)|(?=\s)/;

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = now.length - 1; to >= 0; to -= 1) {
      const row = table[at] ?? [];
      row[to] =
        old[at] === now[to]
          ? lengthAt(table, at + 1, to + 1) + 1
          : Math.max(lengthAt(table, at + 1, to), lengthAt(table, at, to + 1));
    }
  }
  return table;
}

function lengthAt(table: readonly (readonly number[])[], at: number, to: number): number {
  return table[at]?.[to] ?? 0;
}
