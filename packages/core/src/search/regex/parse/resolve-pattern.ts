import { type Expression, POSITION, type PositionTest } from '../expression.ts';
import {
  charactersLoweringInto,
  charactersRaisingInto,
  type Folding,
  hasCased,
  isCased,
  lowerCase,
  lowerRanges,
} from '../unicode/case-folding.ts';
import {
  ANY_CHARACTER,
  type CharacterSet,
  categorySet,
  characterSet,
  complement,
  intersection,
  NOT_LINE_FEED,
  union,
} from '../unicode/character-set.ts';
import {
  FLAGS,
  type ParsedPattern,
  type PatternNode,
  type PatternSequence,
  type Place,
  type SetItem,
  TYPE_FLAGS,
} from './pattern-node.ts';
import { invalidPattern } from './pattern-source.ts';

/**
 * Applies the flags to a parsed pattern. Rejects what CPython rejects only when it compiles. Yields where it may pause: after each
 * set, because sets under IGNORECASE can be expensive.
 */
export function* resolvePattern(parsed: ParsedPattern): Generator<void, Expression> {
  const { sequence, flags } = parsed;
  return yield* resolveSequence(sequence, { flags, groupWidths: new Map(), wholeFlags: flags, sets: new Map() });
}

interface Scope {
  readonly flags: number;
  /** The widths of the groups read so far: a back-reference is as wide as its group. */
  readonly groupWidths: Map<number, Width>;
  /** The flags of the whole pattern, where what comes next is what every match starts with. */
  readonly wholeFlags: number | undefined;
  /** The sets made so far, so that equal ones are made once. */
  readonly sets: Map<string, CharacterSet>;
}

/** The least and the greatest number of characters. */
interface Width {
  readonly min: number;
  readonly max: number;
}

/** Named as in CPython's messages. */
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
    case 'any':
      return { kind: 'character', set: (flags & FLAGS.dotAll) === 0 ? NOT_LINE_FEED : ANY_CHARACTER };
    case 'literal':
    case 'set':
      return { kind: 'character', set: yield* shareSet(node, scopeHere) };
    case 'at':
      return { kind: 'position', test: resolvePlace(node.place, flags) };
    case 'branch':
      return { kind: 'branch', alternatives: yield* resolveAll(node.alternatives, scope) };
    case 'repeat': {
      const { mode } = node;
      if ((flags & FLAGS.template) !== 0) {
        throw invalidPattern(`internal: unsupported template operator ${REPEAT_NAMES[mode]}`, { mode });
      }
      return { ...node, body: yield* resolveSequence(node.body, scope) };
    }
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

type SetNode = Extract<PatternNode, { readonly kind: 'set' }>;

/** The characters that a literal stands for. */
function resolveLiteral(code: number, folding: Folding): CharacterSet {
  if (!isCased(code, folding)) return characterSet([code, code]);
  const lower = lowerCase(code, folding);
  return charactersLoweringInto(characterSet(lowerRanges(lower, lower, folding)), folding);
}

/**
 * The characters that `[…]` stands for. Under IGNORECASE, Python lowers the set and compares the lowered text with it, unless nothing
 * in the set is cased. It leaves characters beyond the Basic Multilingual Plane as written: such a capital in a set never matches,
 * and a range of them is compared with the upper case too.
 */
function resolveSet(node: SetNode, options: SetOptions): CharacterSet {
  const { folding, ascii, startAscii } = options;
  const [only] = node.items;
  if (node.items.length === 1 && only?.kind === 'literal') {
    const set = resolveLiteral(only.code, folding);
    return node.negate ? complement(set) : set;
  }
  const comparesLowered = folding !== 'none' && node.items.some((item) => isItemCased(item, folding));
  const set = writtenSet(node, folding, ascii);
  if (comparesLowered) return charactersLoweringInto(set, folding);
  if (startAscii === undefined || startAscii === ascii) return set;
  return intersection(set, writtenSet(node, 'none', startAscii));
}

interface SetOptions {
  readonly folding: Folding;
  /** Whether `\w`, `\d` and `\s` are ASCII here. */
  readonly ascii: boolean;
  /**
   * Whether they are in the whole pattern, for the set that every match starts with: CPython looks for starts by the
   * whole pattern's flags, so that `(?u:\w)` under `(?a)` finds only what both take for a word character.
   */
  readonly startAscii: boolean | undefined;
}

function writtenSet(node: SetNode, folding: Folding, ascii: boolean): CharacterSet {
  const members = union(mergeRanges(node.items).map((item) => itemSet(item, folding, ascii)));
  return node.negate ? complement(members) : members;
}

/** Ranges that overlap as one, so that naming the same characters again costs nothing. Those that end beyond the BMP stay apart. */
function mergeRanges(items: readonly SetItem[]): readonly SetItem[] {
  const ranges = items.filter((item) => item.kind === 'range');
  if (ranges.length < 2) return items;
  const inside = ranges.filter(({ high }) => high <= LAST_BMP);
  const beyond = ranges.filter(({ high }) => high > LAST_BMP);
  const others = items.filter((item) => item.kind !== 'range');
  return [...others, ...[inside, beyond].flatMap(mergeOverlaps)];
}

function mergeOverlaps(items: readonly Extract<SetItem, { kind: 'range' }>[]): SetItem[] {
  const { ranges } = characterSet(items.flatMap(({ low, high }) => [low, high]));
  return Array.from({ length: ranges.length >> 1 }, (_, index) => ({
    kind: 'range',
    low: ranges[2 * index] as number,
    high: ranges[2 * index + 1] as number,
  }));
}

const LAST_BMP = 0xffff;

function isItemCased(item: SetItem, folding: Folding): boolean {
  switch (item.kind) {
    case 'literal':
      return item.code > LAST_BMP || isCased(item.code, folding);
    case 'range':
      return item.high > LAST_BMP || hasCased(item.low, item.high, folding);
    case 'category':
      return false;
  }
}

function itemSet(item: SetItem, folding: Folding, ascii: boolean): CharacterSet {
  switch (item.kind) {
    case 'literal':
      return characterSet(item.code > LAST_BMP ? [item.code, item.code] : lowerRanges(item.code, item.code, folding));
    case 'range': {
      const { low, high } = item;
      if (high <= LAST_BMP || folding === 'none') return characterSet(lowerRanges(low, high, folding));
      const lowered = low <= LAST_BMP ? lowerRanges(low, LAST_BMP, folding) : [];
      return characterSet([...lowered, low, high, ...charactersRaisingInto(low, high)]);
    }
    case 'category': {
      const set = categorySet(item.category, ascii);
      return item.negate ? complement(set) : set;
    }
  }
}
