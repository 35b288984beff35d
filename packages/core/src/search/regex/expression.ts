import type { RepeatMode } from './parse/pattern-node.ts';
import type { Folding } from './unicode/case-folding.ts';
import type { CharacterSet } from './unicode/character-set.ts';

/** A pattern with its flags applied: the input of the engines. */
export type Expression =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'branch'; readonly alternatives: readonly Expression[] }
  | {
      readonly kind: 'repeat';
      readonly mode: RepeatMode;
      readonly min: number;
      readonly max: number;
      readonly body: Expression;
    }
  | { readonly kind: 'group'; readonly index: number; readonly body: Expression }
  | { readonly kind: 'atomic'; readonly body: Expression }
  | {
      readonly kind: 'look';
      readonly ahead: boolean;
      readonly negate: boolean;
      readonly width: number;
      readonly body: Expression;
    }
  | { readonly kind: 'position'; readonly test: PositionTest }
  | { readonly kind: 'backreference'; readonly group: number; readonly folding: Folding }
  | {
      readonly kind: 'conditional';
      readonly group: number;
      readonly yes: Expression;
      readonly no: Expression | undefined;
    };

/** The tests of a position between characters, which consume none. */
export const POSITION = {
  textStart: 0,
  lineStart: 1,
  textEnd: 2,
  /** `$` without MULTILINE: the end, or before a line feed that is the last character. */
  lastLineEnd: 3,
  lineEnd: 4,
  wordBoundary: 5,
  notWordBoundary: 6,
  asciiWordBoundary: 7,
  notAsciiWordBoundary: 8,
} as const;

export type PositionTest = (typeof POSITION)[keyof typeof POSITION];

/** The expression and everything inside it, outermost first. */
export function* walkExpression(expression: Expression): Generator<Expression> {
  yield expression;
  for (const part of partsOf(expression)) yield* walkExpression(part);
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'sequence':
      return expression.items;
    case 'branch':
      return expression.alternatives;
    case 'conditional':
      return expression.no === undefined ? [expression.yes] : [expression.yes, expression.no];
    default:
      return 'body' in expression ? [expression.body] : [];
  }
}

/** The number of a set in a program's list of them, to which it is added unless it is in it. */
export function setNumber(sets: CharacterSet[], set: CharacterSet): number {
  const known = sets.indexOf(set);
  return known < 0 ? sets.push(set) - 1 : known;
}

/** What is left of a budget. Engines deduct their steps from it and stop when it is used up, to be resumed or abandoned. */
export interface StepMeter {
  left: number;
}
