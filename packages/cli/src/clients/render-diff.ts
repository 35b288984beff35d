import type { Terminal } from '../terminal/index.ts';

/** How many unchanged lines are shown around a change. */
const AROUND = 3;
/** Above this size, everything between the first change and the last is shown as one change. */
const MOST_COMPARED = 2_000;

/** The difference between two texts by line, with `-` and `+`. Values that look like secrets are hidden. */
export function renderDiff(before: string, after: string, { paint }: Pick<Terminal, 'paint'>): string {
  const [old, now] = [before, after].map((text) => text.split(/\r?\n/)) as [string[], string[]];
  const steps = compareLines(old, now);
  const near = steps.map((_, index) =>
    steps.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ sign }) => sign !== ' '),
  );
  const lines: string[] = [];
  for (const [index, { sign, line }] of steps.entries()) {
    if (near[index] !== true) continue;
    if (index > 0 && near[index - 1] !== true) lines.push(paint.dim('…'));
    const shown = `${sign} ${hideSecrets(line)}`.trimEnd();
    lines.push(sign === '-' ? paint.yellow(shown) : sign === '+' ? paint.green(shown) : shown);
  }
  return lines.join('\n');
}

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

function compareLines(old: readonly string[], now: readonly string[]): readonly Step[] {
  let [start, end] = [0, 0];
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]): readonly Step[] => lines.map((line) => ({ sign: ' ', line }));
  const middle = compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

/** By the longest common subsequence. */
function compareMiddle(old: readonly string[], now: readonly string[]): readonly Step[] {
  const gone = (line: string): Step => ({ sign: '-', line });
  const come = (line: string): Step => ({ sign: '+', line });
  if (Math.max(old.length, now.length) > MOST_COMPARED) return [...old.map(gone), ...now.map(come)];
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row !== undefined) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]];
    if (left !== undefined && left === right) {
      steps.push({ sign: ' ', line: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push(gone(left));
      i += 1;
    } else if (right !== undefined) {
      steps.push(come(right));
      j += 1;
    }
  }
  return steps;
}

function hideSecrets(line: string): string {
  return line.replace(SECRET, (_, key: string, quote: string) => `${key}${quote}…${quote}`);
}

/** A value whose key names a secret. References to variables don't count. */
const SECRET =
  /((?:token|key|secret|password|passwd|auth\w*|credential\w*|cookie)["']?\s*[:=]\s*)(["'])(?!\$|\{env:)(?:[^"'\\]|\\.)+\2/gi;
