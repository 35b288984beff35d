import type { Category } from '../unicode/character-set.ts';

/** Python's flags, as bits. */
export const FLAGS = {
  ignoreCase: 1,
  multiline: 2,
  dotAll: 4,
  verbose: 8,
  ascii: 16,
  unicode: 32,
  template: 64,
} as const;

/** `a` and `u` exclude each other: a scoped one replaces the other. */
export const TYPE_FLAGS: number = FLAGS.ascii | FLAGS.unicode;

/** A quantifier without an upper bound. */
export const UNBOUNDED: number = Number.POSITIVE_INFINITY;

export type PatternNode =
  | { readonly kind: 'literal'; readonly code: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly negate: boolean; readonly items: readonly SetItem[] }
  | { readonly kind: 'at'; readonly place: Place }
  | { readonly kind: 'branch'; readonly alternatives: readonly PatternSequence[] }
  | {
      readonly kind: 'repeat';
      readonly mode: RepeatMode;
      readonly min: number;
      readonly max: number;
      readonly body: PatternSequence;
    }
  | {
      readonly kind: 'group';
      /** From 1; undefined for one that captures nothing. */
      readonly index: number | undefined;
      readonly addFlags: number;
      readonly removeFlags: number;
      readonly body: PatternSequence;
    }
  | { readonly kind: 'atomic'; readonly body: PatternSequence }
  | { readonly kind: 'look'; readonly ahead: boolean; readonly negate: boolean; readonly body: PatternSequence }
  | { readonly kind: 'backreference'; readonly group: number }
  | {
      readonly kind: 'conditional';
      readonly group: number;
      readonly yes: PatternSequence;
      readonly no: PatternSequence | undefined;
    };

export type PatternSequence = readonly PatternNode[];

export type RepeatMode = 'greedy' | 'lazy' | 'possessive';

export type Place = 'text-start' | 'caret' | 'dollar' | 'text-end' | 'boundary' | 'not-boundary';

export type SetItem =
  | { readonly kind: 'literal'; readonly code: number }
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  | { readonly kind: 'category'; readonly category: Category; readonly negate: boolean };

/** What a parser hands over: flags are known only once the whole pattern is read. */
export interface ParsedPattern {
  readonly sequence: PatternSequence;
  readonly flags: number;
  /** How many groups capture, the whole match not counted. */
  readonly groups: number;
}
