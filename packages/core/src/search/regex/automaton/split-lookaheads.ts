import { type Expression, POSITION } from '../expression.ts';
import { ANY_CHARACTER, NOT_LINE_FEED } from '../unicode/character-set.ts';

/** A pattern taken apart into regular ones that are decided one by one, all from the same place. */
export interface SplitPattern {
  readonly parts: readonly SplitPart[];
  /** Where they can start: with the text only, or with any line. */
  readonly start: 'text' | 'line';
}

export interface SplitPart {
  readonly expression: Expression;
  /** Whether it has to match, or must not. */
  readonly expected: boolean;
}

/**
 * `^(?=A)(?!B)C` matches where `^A` and `^C` do and `^B` doesn't. Without the `^`, `(?=.*A)(?=.*B)` matches somewhere in
 * a line if it matches at the line's start, because what `.*` skips from there includes what it skips from anywhere else.
 */
export function splitLookaheads(expression: Expression): SplitPattern | undefined {
  const items = expression.kind === 'sequence' ? expression.items : [expression];
  const looks: Extract<Expression, { kind: 'look' }>[] = [];
  let isAnchored = false;
  let index = 0;
  for (; index < items.length; index++) {
    const item = items[index];
    if (item?.kind === 'look' && item.ahead) looks.push(item);
    else if (item?.kind === 'position' && item.test === POSITION.textStart) isAnchored = true;
    else break;
  }
  if (looks.length === 0) return undefined;
  const rest: Expression = { kind: 'sequence', items: items.slice(index) };
  const parts = [
    ...looks.map((look) => ({ expression: look.body, expected: !look.negate })),
    ...(rest.items.length === 0 ? [] : [{ expression: rest, expected: true }]),
  ];
  if (isAnchored) return { parts, start: 'text' };
  const skips = parts.map((part) => (part.expected ? leadingSkip(part.expression) : 'none'));
  if (skips.includes('none')) return undefined;
  return { parts, start: skips.includes('line') ? 'line' : 'text' };
}

/** What an expression may skip before it starts: nothing, the rest of a line, or anything. */
function leadingSkip(expression: Expression): 'none' | 'line' | 'all' {
  if (expression.kind === 'sequence') {
    const [first] = expression.items;
    return first === undefined ? 'none' : leadingSkip(first);
  }
  if (expression.kind === 'group') return leadingSkip(expression.body);
  if (expression.kind !== 'repeat' || expression.mode === 'possessive') return 'none';
  if (expression.min !== 0 || expression.max !== Number.POSITIVE_INFINITY || expression.body.kind !== 'character') {
    return 'none';
  }
  const { ranges } = expression.body.set;
  if (ranges.join() === ANY_CHARACTER.ranges.join()) return 'all';
  return ranges.join() === NOT_LINE_FEED.ranges.join() ? 'line' : 'none';
}
