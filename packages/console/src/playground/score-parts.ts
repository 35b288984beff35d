import type { Explanation } from '@quartermaster/client';

/** A part of a score: a feature times its weight, or a bonus. */
export interface ScorePart {
  readonly label: string;
  /** What the label means, where the gateway says so. */
  readonly note?: string;
  /** `14.3 × 0.572`, where the part is a product. */
  readonly product?: string;
  readonly value: number;
}

/** The parts that add up to a score, largest first. */
export function scoreParts(explanation: Explanation | undefined): readonly ScorePart[] {
  if (explanation === undefined) return [];
  return flatten(explanation)
    .filter(({ value }) => value !== 0)
    .sort((left, right) => Math.abs(right.value) - Math.abs(left.value));
}

/** The part in which one score exceeds another most: why it is the higher one. */
export function largestGap(
  higher: Explanation | undefined,
  lower: Explanation | undefined,
): { readonly label: string; readonly other: number; readonly own: number } | undefined {
  const own = new Map(scoreParts(lower).map(({ label, value }) => [label, value]));
  const gaps = scoreParts(higher).map(({ label, value }) => ({ label, other: value, own: own.get(label) ?? 0 }));
  const [largest] = gaps.sort((left, right) => right.other - right.own - (left.other - left.own));
  return largest === undefined || largest.other <= largest.own ? undefined : largest;
}

function flatten({ details, what, value }: Explanation): readonly ScorePart[] {
  const product = /^(-?[\d.]+ × -?[\d.]+): (.+)$/.exec(what);
  if (product?.[1] !== undefined && product[2] !== undefined) {
    const [label = '', ...rest] = product[2].split(': ');
    const note = rest.join(': ');
    return [{ label: capital(label), product: product[1], value, ...(note === '' ? {} : { note: capital(note) }) }];
  }
  if (details.length === 0) return [{ label: capital(what), value }];
  const parts = details.flatMap(flatten);
  const sum = parts.reduce((total, part) => total + part.value, 0);
  // Where the details don't add up (a factor, a maximum), only the whole is a part of the score.
  return Math.abs(sum - value) < 0.01 * Math.max(1, Math.abs(value)) ? parts : [{ label: capital(what), value }];
}

/** A tool that the query names is put first by a bonus far above any score, which no bar can show. */
const NAME_BONUS = 100_000;

/** A score with two digits; that of a tool which the query names can't be compared with the others. */
export function showScore(score: number): string {
  return score >= NAME_BONUS ? 'named' : score.toFixed(2);
}

/** The parts that are to one scale in all rows, and whether there is also a bonus. */
export function comparableParts(parts: readonly ScorePart[]): {
  readonly parts: readonly ScorePart[];
  readonly isNamed: boolean;
  readonly sum: number;
} {
  const comparable = parts.filter(({ value }) => value < NAME_BONUS);
  const sum = comparable.reduce((total, { value }) => total + value, 0);
  return { parts: comparable, isNamed: comparable.length < parts.length, sum };
}

/** How many steps of its hue a bar has. */
export const STEPS = 4;

/** What the steps of the bars stand for, the same in all rows: the labels that most of the scores come from. The last step is shared. */
export function stepLabels(rows: readonly (readonly ScorePart[])[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { label, value } of rows.flat()) sums.set(label, (sums.get(label) ?? 0) + Math.max(0, value));
  return [...sums].sort(([, left], [, right]) => right - left).map(([label]) => label);
}

/** The step of a part, from 1 on. */
export function stepOf(labels: readonly string[], { label }: Pick<ScorePart, 'label'>): number {
  const at = labels.indexOf(label);
  return at < 0 ? STEPS : Math.min(at + 1, STEPS);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
