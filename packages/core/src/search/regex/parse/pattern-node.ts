import type { Category } from '../unicode/character-set.ts';
import { codePointLength, type PatternSource } from './pattern-source.ts';

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

/** The result of parsing: flags are known only once the whole pattern has been read. */
export interface ParsedPattern {
  readonly sequence: PatternSequence;
  readonly flags: number;
  /** How many groups capture, the whole match not counted. */
  readonly groups: number;
}

/** `(?aimsux)` for the whole pattern, or `(?aimsux-imsx:` for one group. */
type FlagGroup =
  | { readonly kind: 'global'; readonly flags: number }
  | { readonly kind: 'scoped'; readonly addFlags: number; readonly removeFlags: number };

/** The flags of a group, from their first letter (taken already) to the `)` or `:` after them. */
export function parseFlagGroup(source: PatternSource, first: string): FlagGroup {
  if (flagOf(first) === undefined && first !== 'L' && first !== '-') {
    throw source.error(`unknown extension ?${first}`, codePointLength(first) + 1);
  }
  let addFlags = 0;
  let mark = first;
  while (mark !== '-' && mark !== ')' && mark !== ':') {
    if (mark === 'L') throw source.error("bad inline flags: cannot use 'L' flag with a str pattern");
    const flag = flagOf(mark) ?? 0;
    addFlags |= flag;
    if ((flag & TYPE_FLAGS) !== 0 && (addFlags & TYPE_FLAGS) !== flag) {
      throw source.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible");
    }
    mark = takeFlag(source, ['-', ')', ':'], 'missing -, : or )');
  }
  if (mark === ')') return { kind: 'global', flags: addFlags };
  if ((addFlags & FLAGS.template) !== 0) throw source.error('bad inline flags: cannot turn on global flag', 1);
  const removeFlags = mark === '-' ? parseRemoved(source) : 0;
  if ((removeFlags & FLAGS.template) !== 0) throw source.error('bad inline flags: cannot turn off global flag', 1);
  if ((addFlags & removeFlags) !== 0) throw source.error('bad inline flags: flag turned on and off', 1);
  return { kind: 'scoped', addFlags, removeFlags };
}

/** The bit of a flag's letter. */
export function flagOf(letter: string): number | undefined {
  return FLAG_LETTERS.get(letter);
}

const FLAG_LETTERS: ReadonlyMap<string, number> = new Map<string, number>([
  ['i', FLAGS.ignoreCase],
  ['m', FLAGS.multiline],
  ['s', FLAGS.dotAll],
  ['x', FLAGS.verbose],
  ['a', FLAGS.ascii],
  ['u', FLAGS.unicode],
  ['t', FLAGS.template],
]);

function parseRemoved(source: PatternSource): number {
  let removeFlags = 0;
  let mark = takeFlag(source, [], 'missing flag');
  while (mark !== ':') {
    const flag = flagOf(mark) ?? TYPE_FLAGS;
    if ((flag & TYPE_FLAGS) !== 0) throw source.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
    removeFlags |= flag;
    mark = takeFlag(source, [':'], 'missing :');
  }
  return removeFlags;
}

/** The next letter, which is a flag or one of the `ends`. */
function takeFlag(source: PatternSource, ends: readonly string[], missing: string): string {
  const mark = source.take();
  if (mark === undefined) throw source.error(missing);
  if (ends.includes(mark) || mark === 'L' || flagOf(mark) !== undefined) return mark;
  const isLetter = /^\p{L}$/u.test(mark);
  throw source.error(isLetter ? 'unknown flag' : missing, codePointLength(mark));
}
