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
  type CharacterSet,
  categorySet,
  characterSet,
  complement,
  intersection,
  union,
} from '../unicode/character-set.ts';
import type { PatternNode, SetItem } from './pattern-node.ts';

type SetNode = Extract<PatternNode, { readonly kind: 'set' }>;

/** The characters that a literal stands for. */
export function resolveLiteral(code: number, folding: Folding): CharacterSet {
  if (!isCased(code, folding)) return characterSet([code, code]);
  const lower = lowerCase(code, folding);
  return charactersLoweringInto(characterSet(lowerRanges(lower, lower, folding)), folding);
}

/**
 * The characters that `[…]` stands for. Under IGNORECASE, Python lowers the set and compares the lowered text with it,
 * unless nothing in the set is cased. It leaves what lies beyond the Basic Multilingual Plane as written: such a capital
 * in a set never matches, and a range of them is compared with the upper case too.
 */
export function resolveSet(node: SetNode, options: SetOptions): CharacterSet {
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

export interface SetOptions {
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
