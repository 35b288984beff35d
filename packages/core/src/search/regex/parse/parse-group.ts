import { categorySet, hasCharacter } from '../unicode/character-set.ts';
import { FLAGS, type PatternNode, type PatternSequence, parseFlagGroup } from './pattern-node.ts';
import { codePointLength, type PatternSource, quote } from './pattern-source.ts';

/** What the parser of a group needs from the parser around it. */
interface GroupSurroundings {
  readonly source: PatternSource;
  readonly groups: GroupRegister;
  readonly verbose: boolean;
  /** Whether global flags are allowed here: only at the start of the whole pattern. */
  readonly atStart: boolean;
  addGlobalFlags(flags: number): void;
  parseAlternatives(verbose: boolean): PatternSequence;
  parseSequence(verbose: boolean): PatternSequence;
}

/** A group, after its `(` was taken. Comments and global flags leave nothing behind. */
export function parseGroup(around: GroupSurroundings): PatternNode | undefined {
  const { source } = around;
  const start = source.position - 1;
  if (!source.accept('?')) return parseCapture(around, start, undefined);
  const mark = takeMark(source);
  switch (mark) {
    case 'P':
      return parsePythonExtension(around, start);
    case ':':
      return parseBody(around, start, { capture: false, addFlags: 0, removeFlags: 0 });
    case '#':
      return skipComment(source, start);
    case '=':
    case '!':
      return parseLook(around, start, { ahead: true, negate: mark === '!' });
    case '<': {
      const direction = takeMark(source);
      if (direction !== '=' && direction !== '!') {
        throw source.error(`unknown extension ?<${direction}`, codePointLength(direction) + 2);
      }
      return parseLook(around, start, { ahead: false, negate: direction === '!' });
    }
    case '(':
      return parseConditional(around, start);
    case '>': {
      const body = around.parseAlternatives(around.verbose);
      closeParenthesis(source, start);
      return { kind: 'atomic', body };
    }
    default: {
      const flags = parseFlagGroup(source, mark);
      if (flags.kind === 'scoped') return parseBody(around, start, { ...flags, capture: false });
      if (!around.atStart) throw source.errorAt('global flags not at the start of the expression', start);
      around.addGlobalFlags(flags.flags);
      return undefined;
    }
  }
}

interface GroupHead {
  readonly capture: boolean;
  readonly name?: string | undefined;
  readonly addFlags: number;
  readonly removeFlags: number;
}

function parseCapture(around: GroupSurroundings, start: number, name: string | undefined): PatternNode {
  return parseBody(around, start, { capture: true, name, addFlags: 0, removeFlags: 0 });
}

function parseBody(around: GroupSurroundings, start: number, head: GroupHead): PatternNode {
  const { source, groups } = around;
  const { addFlags, removeFlags } = head;
  const index = head.capture ? groups.open(head.name, source) : undefined;
  const verbose = (around.verbose || (addFlags & FLAGS.verbose) !== 0) && (removeFlags & FLAGS.verbose) === 0;
  const body = around.parseAlternatives(verbose);
  closeParenthesis(source, start);
  if (index !== undefined) groups.close(index);
  return { kind: 'group', index, addFlags, removeFlags, body };
}

function parsePythonExtension(around: GroupSurroundings, start: number): PatternNode {
  const { source, groups } = around;
  if (source.accept('<')) {
    const name = source.takeUntil('>', 'group name');
    checkName(source, name);
    return parseCapture(around, start, name);
  }
  if (source.accept('=')) {
    const name = source.takeUntil(')', 'group name');
    checkName(source, name);
    const back = codePointLength(name) + 1;
    const group = groups.named(name);
    if (group === undefined) throw source.error(`unknown group name ${quote(name)}`, back);
    if (!groups.isClosed(group)) throw source.error('cannot refer to an open group', back);
    groups.checkReference(group, source);
    return { kind: 'backreference', group };
  }
  const mark = takeMark(source);
  throw source.error(`unknown extension ?P${mark}`, codePointLength(mark) + 2);
}

function parseLook(
  around: GroupSurroundings,
  start: number,
  look: { readonly ahead: boolean; readonly negate: boolean },
): PatternNode {
  const leave = look.ahead ? undefined : around.groups.enterLookbehind();
  const body = around.parseAlternatives(around.verbose);
  leave?.();
  closeParenthesis(around.source, start);
  return { kind: 'look', ...look, body };
}

function parseConditional(around: GroupSurroundings, start: number): PatternNode {
  const { source, groups } = around;
  const name = source.takeUntil(')', 'group name');
  const back = codePointLength(name) + 1;
  const group = isIdentifier(name) ? groups.named(name) : groupNumber(source, name, back);
  if (group === undefined) throw source.error(`unknown group name ${quote(name)}`, back);
  if (!isIdentifier(name)) groups.expect(group, source.position - back);
  groups.checkReference(group, source);
  const yes = around.parseSequence(around.verbose);
  let no: PatternSequence | undefined;
  if (source.accept('|')) {
    no = around.parseSequence(around.verbose);
    if (source.next === '|') throw source.error('conditional backref with more than two branches');
  }
  closeParenthesis(source, start);
  return { kind: 'conditional', group, yes, no };
}

/** A group's number as Python's `int` reads it: with blanks around it, a sign, underscores and any script's digits. */
function groupNumber(source: PatternSource, name: string, back: number): number {
  const space = categorySet('space', false);
  const characters = Array.from(name);
  const isBlank = (character: string | undefined): boolean =>
    character !== undefined && hasCharacter(space, character.codePointAt(0) ?? 0);
  while (isBlank(characters[0])) characters.shift();
  while (isBlank(characters.at(-1))) characters.pop();
  const digits = characters.map(decimalDigit).join('');
  if (!/^[+-]?\d+(?:_\d+)*$/.test(digits) || /^-.*[1-9]/.test(digits)) {
    throw source.error(`bad character in group name ${quote(name)}`, back);
  }
  const group = Number(digits.replaceAll('_', ''));
  if (group === 0) throw source.error('bad group number', back);
  if (group >= MAX_GROUPS) {
    throw source.error(`invalid group reference ${BigInt(digits.replaceAll(/[_+]/g, ''))}`, back);
  }
  return group;
}

function decimalDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const { ranges } = categorySet('digit', false);
  for (let index = 0; index < ranges.length; index += 2) {
    const low = ranges[index] ?? 0;
    if (code >= low && code <= (ranges[index + 1] ?? 0)) return String((code - low) % 10);
  }
  return character;
}

function checkName(source: PatternSource, name: string): void {
  if (!isIdentifier(name)) throw source.error(`bad character in group name ${quote(name)}`, codePointLength(name) + 1);
}

/** Python's `str.isidentifier`. */
function isIdentifier(name: string): boolean {
  return /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name);
}

function skipComment(source: PatternSource, start: number): undefined {
  for (;;) {
    if (source.next === undefined) throw source.errorAt('missing ), unterminated comment', start);
    if (source.take() === ')') return undefined;
  }
}

function takeMark(source: PatternSource): string {
  const mark = source.take();
  if (mark === undefined) throw source.error('unexpected end of pattern');
  return mark;
}

function closeParenthesis(source: PatternSource, start: number): void {
  if (!source.accept(')')) throw source.errorAt('missing ), unterminated subpattern', start);
}

/** The capturing groups that the parser has read so far. */
export class GroupRegister {
  readonly #closed: boolean[] = [];
  readonly #names = new Map<string, number>();
  readonly #expected = new Map<number, number>();
  #lookbehindFrom: number | undefined;

  /** How many groups have been opened. */
  get count(): number {
    return this.#closed.length;
  }

  /** Opens the next group and gives its number. */
  open(name: string | undefined, source: PatternSource): number {
    const group = this.#closed.push(false);
    if (name === undefined) return group;
    const earlier = this.#names.get(name);
    if (earlier !== undefined) {
      const message = `redefinition of group name ${quote(name)} as group ${group}; was group ${earlier}`;
      throw source.error(message, Array.from(name).length + 1);
    }
    this.#names.set(name, group);
    return group;
  }

  close(group: number): void {
    this.#closed[group - 1] = true;
  }

  isClosed(group: number): boolean {
    return this.#closed[group - 1] === true;
  }

  named(name: string): number | undefined {
    return this.#names.get(name);
  }

  /** Groups that are opened from here to `leave` are inside a look-behind and can't be referred to there. */
  enterLookbehind(): () => void {
    if (this.#lookbehindFrom !== undefined) return () => undefined;
    this.#lookbehindFrom = this.#closed.length + 1;
    return () => {
      this.#lookbehindFrom = undefined;
    };
  }

  /** Throws if a look-behind refers to a group that it must not refer to. */
  checkReference(group: number, source: PatternSource): void {
    if (this.#lookbehindFrom === undefined) return;
    if (!this.isClosed(group)) throw source.error('cannot refer to an open group');
    if (group >= this.#lookbehindFrom) {
      throw source.error('cannot refer to group defined in the same lookbehind subpattern');
    }
  }

  /** A conditional may name a group that comes later, so this is checked once the whole pattern has been read. */
  expect(group: number, position: number): void {
    if (!this.#expected.has(group)) this.#expected.set(group, position);
  }

  checkExpected(source: PatternSource): void {
    for (const [group, position] of this.#expected) {
      if (group > this.#closed.length) throw source.errorAt(`invalid group reference ${group}`, position);
    }
  }
}

/** CPython's own limit on a 64-bit machine. */
const MAX_GROUPS = 1073741823;
