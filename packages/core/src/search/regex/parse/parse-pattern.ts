import { isDigit, parseCharacterSet, parseEscape } from './parse-escape.ts';
import { GroupRegister, parseGroup } from './parse-group.ts';
import {
  FLAGS,
  flagOf,
  type ParsedPattern,
  type PatternNode,
  type PatternSequence,
  type RepeatMode,
  type SetItem,
  TYPE_FLAGS,
  UNBOUNDED,
} from './pattern-node.ts';
import { invalidPattern, PatternSource } from './pattern-source.ts';

/** CPython's own stack overflows at roughly this depth of parentheses. */
const MAX_NESTING = 450;

/** CPython's `MAXREPEAT`. */
const MAX_REPEAT = 4294967295;

/** Reads a pattern by the rules of Python 3.11's `re`. Throws for what `re.compile` rejects, with the same message. */
export function parsePattern(pattern: string, flagLetters: string): ParsedPattern {
  const source = new PatternSource(pattern);
  const parser: Parser = { source, groups: new GroupRegister(), flags: 0, depth: 0 };
  for (const letter of flagLetters) parser.flags |= optionFlag(letter, pattern);
  const sequence = parseAlternatives(parser, (parser.flags & FLAGS.verbose) !== 0, true);
  if ((parser.flags & TYPE_FLAGS) === TYPE_FLAGS) {
    throw invalidPattern('ASCII and UNICODE flags are incompatible', { pattern });
  }
  if (source.next !== undefined) throw source.error('unbalanced parenthesis');
  parser.groups.checkExpected(source);
  return { sequence, flags: parser.flags, groups: parser.groups.count };
}

interface Parser {
  readonly source: PatternSource;
  readonly groups: GroupRegister;
  /** Grows while the pattern is read: global flags apply to all of it. */
  flags: number;
  depth: number;
}

function optionFlag(letter: string, pattern: string): number {
  if (letter === 'L') throw invalidPattern('cannot use LOCALE flag with a str pattern', { pattern });
  const flag = flagOf(letter);
  if (flag === undefined) throw invalidPattern(`unknown flag "${letter}": use letters of "aimsux"`, { pattern });
  return flag;
}

function parseAlternatives(parser: Parser, verbose: boolean, isWhole = false): PatternSequence {
  const alternatives = [parseSequence(parser, verbose, isWhole)];
  let isVerbose = isWhole ? (parser.flags & FLAGS.verbose) !== 0 : verbose;
  while (parser.source.accept('|')) {
    alternatives.push(parseSequence(parser, isVerbose));
    if (isWhole) isVerbose = (parser.flags & FLAGS.verbose) !== 0;
  }
  return joinAlternatives(alternatives);
}

/** `ab|ac` is `a(?:b|c)` and `b|c` is `[bc]`, as in CPython, where it shows under IGNORECASE. */
function joinAlternatives(alternatives: readonly PatternSequence[]): PatternSequence {
  const [first = []] = alternatives;
  if (alternatives.length === 1) return first;
  let shared = 0;
  while (alternatives.every((items) => isSameLeaf(items[shared], first[shared]))) shared++;
  const rests = alternatives.map((items) => items.slice(shared));
  const members = rests.map(membersOf);
  const joined: PatternNode = members.every((items) => items !== undefined)
    ? { kind: 'set', negate: false, items: members.flat() }
    : { kind: 'branch', alternatives: rests };
  return [...first.slice(0, shared), joined];
}

/** What a sequence of one character, in whichever way it is written, may be. */
function membersOf([only, ...others]: PatternSequence): readonly SetItem[] | undefined {
  if (only?.kind === 'literal' && others.length === 0) return [only];
  return only?.kind === 'set' && !only.negate && others.length === 0 ? only.items : undefined;
}

function isSameLeaf(left: PatternNode | undefined, right: PatternNode | undefined): boolean {
  if (left === undefined || right === undefined || left.kind !== right.kind) return false;
  return LEAVES.has(left.kind) && JSON.stringify(left) === JSON.stringify(right);
}

const LEAVES: ReadonlySet<PatternNode['kind']> = new Set(['literal', 'any', 'set', 'at', 'backreference']);

function parseSequence(parser: Parser, isVerbose: boolean, isFirst = false): PatternSequence {
  const { source, groups } = parser;
  const items: PatternNode[] = [];
  let verbose = isVerbose;
  if (++parser.depth > MAX_NESTING) throw source.error('too many nested groups');
  for (;;) {
    const token = source.next;
    if (token === undefined || token === '|' || token === ')') break;
    source.take();
    if (verbose && ' \t\n\r\v\f'.includes(token)) continue;
    if (verbose && token === '#') {
      skipLine(source);
      continue;
    }
    if (token.startsWith('\\')) items.push(parseEscape(source, token, groups));
    else if (token === '[') items.push(parseCharacterSet(source));
    else if (token === '.') items.push({ kind: 'any' });
    else if (token === '^') items.push({ kind: 'at', place: 'caret' });
    else if (token === '$') items.push({ kind: 'at', place: 'dollar' });
    else if (token === '(') {
      const group = parseGroup({
        source,
        groups,
        verbose,
        atStart: isFirst && items.length === 0,
        addGlobalFlags(flags) {
          parser.flags |= flags;
          verbose = (parser.flags & FLAGS.verbose) !== 0;
        },
        parseAlternatives: (inner) => parseAlternatives(parser, inner),
        parseSequence: (inner) => parseSequence(parser, inner),
      });
      if (group !== undefined) items.push(group);
    } else if ('*+?{'.includes(token)) parseQuantifier(source, token, items);
    else items.push({ kind: 'literal', code: token.codePointAt(0) ?? 0 });
  }
  parser.depth--;
  return unwrapGroups(items);
}

/** Applies a quantifier to the last item, or adds the `{` that isn't one. */
function parseQuantifier(source: PatternSource, token: string, items: PatternNode[]): void {
  const start = source.position;
  const bounds = token === '{' ? parseBounds(source, start) : SIMPLE_BOUNDS[token];
  if (bounds === undefined) {
    items.push({ kind: 'literal', code: 0x7b });
    return;
  }
  const item = items.pop();
  if (item === undefined || item.kind === 'at') throw source.errorAt('nothing to repeat', start - 1);
  if (item.kind === 'repeat') throw source.errorAt('multiple repeat', start - 1);
  let mode: RepeatMode = 'greedy';
  if (source.accept('?')) mode = 'lazy';
  else if (source.accept('+')) mode = 'possessive';
  items.push({ kind: 'repeat', mode, min: bounds.min, max: bounds.max, body: unwrapGroups([item]) });
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const SIMPLE_BOUNDS: Readonly<Record<string, Bounds>> = {
  '?': { min: 0, max: 1 },
  '*': { min: 0, max: UNBOUNDED },
  '+': { min: 1, max: UNBOUNDED },
};

/** What follows a `{`; undefined, with nothing consumed, if it is not a quantifier. */
function parseBounds(source: PatternSource, start: number): Bounds | undefined {
  if (source.next === '}') return undefined;
  const low = source.takeWhile(Number.POSITIVE_INFINITY, isDigit);
  const high = source.accept(',') ? source.takeWhile(Number.POSITIVE_INFINITY, isDigit) : low;
  if (!source.accept('}')) {
    source.seek(start);
    return undefined;
  }
  const min = low === '' ? 0 : Number(low);
  const max = high === '' ? UNBOUNDED : Number(high);
  if (min >= MAX_REPEAT || (high !== '' && max >= MAX_REPEAT)) {
    throw invalidPattern('the repetition number is too large', { min: low, max: high });
  }
  if (max < min) throw source.errorAt('min repeat greater than max repeat', start);
  return { min, max };
}

/** A group that neither captures nor sets flags is replaced by its content. */
function unwrapGroups(items: readonly PatternNode[]): PatternSequence {
  return items.flatMap((item) =>
    item.kind === 'group' && item.index === undefined && item.addFlags === 0 && item.removeFlags === 0
      ? item.body
      : [item],
  );
}

function skipLine(source: PatternSource): void {
  for (;;) {
    const token = source.take();
    if (token === undefined || token === '\n') return;
  }
}
