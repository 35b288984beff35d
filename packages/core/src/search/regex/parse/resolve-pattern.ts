import { type Expression, POSITION, type PositionTest } from '../expression.ts';
import type { Folding } from '../unicode/case-folding.ts';
import { ANY_CHARACTER, type CharacterSet, NOT_LINE_FEED } from '../unicode/character-set.ts';
import {
  FLAGS,
  type ParsedPattern,
  type PatternNode,
  type PatternSequence,
  type Place,
  TYPE_FLAGS,
} from './pattern-node.ts';
import { invalidPattern } from './pattern-source.ts';
import { resolveLiteral, resolveSet, type SetOptions } from './resolve-set.ts';

/**
 * Works the flags into a parsed pattern. What CPython refuses only when it compiles is refused here. Yields where it
 * may pause: after each set, because those of IGNORECASE can be much work.
 */
export function* resolvePattern(parsed: ParsedPattern): Generator<void, Expression> {
  const { sequence, flags } = parsed;
  return yield* resolveSequence(sequence, { flags, groupWidths: new Map(), wholeFlags: flags, sets: new Map() });
}

interface Scope {
  readonly flags: number;
  /** The widths of the groups met so far: a back-reference is as wide as its group. */
  readonly groupWidths: Map<number, Width>;
  /** The flags of the whole pattern, where what comes next is what every match starts with. */
  readonly wholeFlags: number | undefined;
  /** The sets made so far: equal ones are made once. */
  readonly sets: Map<string, CharacterSet>;
}

/** The least and the greatest number of characters. */
interface Width {
  readonly min: number;
  readonly max: number;
}

/** As CPython's messages name them. */
const REPEAT_NAMES = { greedy: 'MAX_REPEAT', lazy: 'MIN_REPEAT', possessive: 'POSSESSIVE_REPEAT' } as const;

/** CPython's `MAXCODE`. */
const MAX_LOOKBEHIND = 4294967295;

type Resolving<Result> = Generator<void, Result>;

function* resolveSequence(sequence: PatternSequence, scope: Scope): Resolving<Expression> {
  const later = { ...scope, wholeFlags: undefined };
  const items: Expression[] = [];
  for (const node of sequence) items.push(yield* resolveNode(node, items.length === 0 ? scope : later));
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
}

function* resolveNode(node: PatternNode, scopeHere: Scope): Resolving<Expression> {
  const { flags } = scopeHere;
  const scope = node.kind === 'group' ? scopeHere : { ...scopeHere, wholeFlags: undefined };
  switch (node.kind) {
    case 'literal':
      return { kind: 'character', set: yield* shareSet(node, scopeHere) };
    case 'any':
      return { kind: 'character', set: (flags & FLAGS.dotAll) === 0 ? NOT_LINE_FEED : ANY_CHARACTER };
    case 'set':
      return { kind: 'character', set: yield* shareSet(node, scopeHere) };
    case 'at':
      return { kind: 'position', test: resolvePlace(node.place, flags) };
    case 'branch':
      return { kind: 'branch', alternatives: yield* resolveAll(node.alternatives, scope) };
    case 'repeat':
      if ((flags & FLAGS.template) !== 0) {
        throw invalidPattern(`internal: unsupported template operator ${REPEAT_NAMES[node.mode]}`, { mode: node.mode });
      }
      return {
        kind: 'repeat',
        mode: node.mode,
        min: node.min,
        max: node.max,
        body: yield* resolveSequence(node.body, scope),
      };
    case 'group': {
      const inner = combineFlags(flags, node.addFlags, node.removeFlags);
      const body = yield* resolveSequence(node.body, { ...scope, flags: inner });
      if (node.index === undefined) return body;
      scope.groupWidths.set(node.index, widthOf(node.body, scope.groupWidths));
      return { kind: 'group', index: node.index, body };
    }
    case 'atomic':
      return { kind: 'atomic', body: yield* resolveSequence(node.body, scope) };
    case 'look': {
      const { ahead, negate } = node;
      const body = yield* resolveSequence(node.body, scope);
      return { kind: 'look', ahead, negate, width: ahead ? 0 : fixedWidth(node.body, scope.groupWidths), body };
    }
    case 'backreference':
      return { kind: 'backreference', group: node.group, folding: foldingOf(flags) };
    case 'conditional': {
      const no = node.no === undefined ? undefined : yield* resolveSequence(node.no, scope);
      return { kind: 'conditional', group: node.group, yes: yield* resolveSequence(node.yes, scope), no };
    }
  }
}

function* resolveAll(sequences: readonly PatternSequence[], scope: Scope): Resolving<Expression[]> {
  const resolved: Expression[] = [];
  for (const sequence of sequences) resolved.push(yield* resolveSequence(sequence, scope));
  return resolved;
}

function* shareSet(node: Extract<PatternNode, { kind: 'literal' | 'set' }>, scope: Scope): Resolving<CharacterSet> {
  const options = setOptions(scope);
  const key = JSON.stringify([node, options]);
  const known = scope.sets.get(key);
  if (known !== undefined) return known;
  const made = node.kind === 'literal' ? resolveLiteral(node.code, options.folding) : resolveSet(node, options);
  scope.sets.set(key, made);
  yield;
  return made;
}

function setOptions({ flags, wholeFlags }: Scope): SetOptions {
  return {
    folding: foldingOf(flags),
    ascii: (flags & FLAGS.ascii) !== 0,
    startAscii: wholeFlags === undefined ? undefined : (wholeFlags & FLAGS.ascii) !== 0,
  };
}

function foldingOf(flags: number): Folding {
  if ((flags & FLAGS.ignoreCase) === 0) return 'none';
  return (flags & FLAGS.ascii) === 0 ? 'unicode' : 'ascii';
}

function combineFlags(flags: number, add: number, remove: number): number {
  const kept = (add & TYPE_FLAGS) === 0 ? flags : flags & ~TYPE_FLAGS;
  return (kept | add) & ~remove;
}

function resolvePlace(place: Place, flags: number): PositionTest {
  const multiline = (flags & FLAGS.multiline) !== 0;
  const ascii = (flags & FLAGS.ascii) !== 0;
  switch (place) {
    case 'text-start':
      return POSITION.textStart;
    case 'text-end':
      return POSITION.textEnd;
    case 'caret':
      return multiline ? POSITION.lineStart : POSITION.textStart;
    case 'dollar':
      return multiline ? POSITION.lineEnd : POSITION.lastLineEnd;
    case 'boundary':
      return ascii ? POSITION.asciiWordBoundary : POSITION.wordBoundary;
    case 'not-boundary':
      return ascii ? POSITION.notAsciiWordBoundary : POSITION.notWordBoundary;
  }
}

function fixedWidth(body: PatternSequence, groupWidths: ReadonlyMap<number, Width>): number {
  const { min, max } = widthOf(body, groupWidths);
  if (min > MAX_LOOKBEHIND) throw invalidPattern('looks too much behind', { min });
  if (min !== max) throw invalidPattern('look-behind requires fixed-width pattern', { min, max });
  return min;
}

function widthOf(sequence: PatternSequence, groupWidths: ReadonlyMap<number, Width>): Width {
  let min = 0;
  let max = 0;
  for (const node of sequence) {
    const width = nodeWidth(node, groupWidths);
    min += width.min;
    max += width.max;
  }
  return { min, max };
}

function nodeWidth(node: PatternNode, groupWidths: ReadonlyMap<number, Width>): Width {
  switch (node.kind) {
    case 'literal':
    case 'any':
    case 'set':
      return { min: 1, max: 1 };
    case 'at':
    case 'look':
      return { min: 0, max: 0 };
    case 'branch':
      return widest(node.alternatives.map((each) => widthOf(each, groupWidths)));
    case 'repeat': {
      const { min, max } = widthOf(node.body, groupWidths);
      return { min: min * node.min, max: max === 0 || node.max === 0 ? 0 : max * node.max };
    }
    case 'group':
    case 'atomic':
      return widthOf(node.body, groupWidths);
    case 'backreference':
      return groupWidths.get(node.group) ?? { min: 0, max: 0 };
    case 'conditional':
      return widest([widthOf(node.yes, groupWidths), widthOf(node.no ?? [], groupWidths)]);
  }
}

function widest(widths: readonly Width[]): Width {
  return {
    min: Math.min(...widths.map((width) => width.min)),
    max: Math.max(...widths.map((width) => width.max)),
  };
}
