import { type Expression, POSITION, type PositionTest } from './expression.ts';

/**
 * The simplest possible matcher: every node is a function from a place and a continuation to an end, alternatives in order. For
 * small inputs only, and without back-references, whose captures have rules of their own in CPython.
 */
export function naiveSpan(expression: Expression, text: string): readonly [number, number] | null {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  for (let start = 0; start <= codes.length; start++) {
    const end = match(expression, codes, start, (at) => at);
    if (end !== null) return [start, end];
  }
  return null;
}

type Continue = (at: number) => number | null;

function match(node: Expression, codes: readonly number[], at: number, next: Continue): number | null {
  switch (node.kind) {
    case 'character': {
      const code = codes[at];
      return code !== undefined && contains(node.set.ranges, code) ? next(at + 1) : null;
    }
    case 'position':
      return holds(node.test, codes, at) ? next(at) : null;
    case 'group':
      return match(node.body, codes, at, next);
    case 'sequence':
      return matchAll(node.items, codes, at, next);
    case 'branch':
      for (const alternative of node.alternatives) {
        const end = match(alternative, codes, at, next);
        if (end !== null) return end;
      }
      return null;
    case 'atomic': {
      const end = match(node.body, codes, at, (place) => place);
      return end === null ? null : next(end);
    }
    case 'look': {
      const from = at - node.width;
      const found = from >= 0 && match(node.body, codes, from, (place) => place) !== null;
      return found !== node.negate ? next(at) : null;
    }
    case 'repeat':
      return matchRepeat(node, { codes, at, done: 0, roundStart: -1 }, next);
    case 'backreference':
    case 'conditional':
      throw new Error('not for the naive matcher');
  }
}

function matchAll(items: readonly Expression[], codes: readonly number[], at: number, next: Continue): number | null {
  const [first, ...rest] = items;
  return first === undefined ? next(at) : match(first, codes, at, (place) => matchAll(rest, codes, place, next));
}

interface Rounds {
  readonly codes: readonly number[];
  readonly at: number;
  readonly done: number;
  /** Where the last optional round started: one that ends there was empty, and is the last. */
  readonly roundStart: number;
}

function matchRepeat(node: Extract<Expression, { kind: 'repeat' }>, rounds: Rounds, next: Continue): number | null {
  const { codes, at, done, roundStart } = rounds;
  if (node.mode === 'possessive') return matchPossessive(node, codes, at, next);
  const isRequired = done < node.min;
  const round = (): number | null =>
    match(node.body, codes, at, (place) => {
      const started = isRequired ? roundStart : at;
      return matchRepeat(node, { codes, at: place, done: done + 1, roundStart: started }, next);
    });
  if (isRequired) return round();
  const canRepeat = done < node.max && at !== roundStart;
  if (node.mode === 'lazy') return next(at) ?? (canRepeat ? round() : null);
  return (canRepeat ? round() : null) ?? next(at);
}

function matchPossessive(
  node: Extract<Expression, { kind: 'repeat' }>,
  codes: readonly number[],
  at: number,
  next: Continue,
): number | null {
  let place = at;
  for (let done = 0; done < node.max; done++) {
    const end = match(node.body, codes, place, (each) => each);
    if (end === null && done < node.min) return null;
    if (end === null || (end === place && done >= node.min)) break;
    place = end;
  }
  return next(place);
}

function contains(ranges: readonly number[], code: number): boolean {
  return ranges.some((low, index) => index % 2 === 0 && low <= code && code <= (ranges[index + 1] ?? -1));
}

function holds(test: PositionTest, codes: readonly number[], at: number): boolean {
  const isWord = (code: number | undefined): boolean => code !== undefined && /\w/.test(String.fromCodePoint(code));
  const isBoundary = isWord(codes[at - 1]) !== isWord(codes[at]);
  switch (test) {
    case POSITION.textStart:
      return at === 0;
    case POSITION.lineStart:
      return at === 0 || codes[at - 1] === 10;
    case POSITION.textEnd:
      return at === codes.length;
    case POSITION.lastLineEnd:
      return at === codes.length || (at === codes.length - 1 && codes[at] === 10);
    case POSITION.lineEnd:
      return at === codes.length || codes[at] === 10;
    case POSITION.wordBoundary:
    case POSITION.asciiWordBoundary:
      return isBoundary;
    case POSITION.notWordBoundary:
    case POSITION.notAsciiWordBoundary:
      return codes.length > 0 && !isBoundary;
  }
}
