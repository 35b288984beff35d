import { type PatternSource, quote } from '../parse/pattern-source.ts';

/** The capturing groups that a parser has met so far. */
export interface GroupRegister {
  /** How many groups have been opened. */
  readonly count: number;
  /** Opens the next group and gives its number. */
  open(name: string | undefined, source: PatternSource): number;
  close(group: number): void;
  isClosed(group: number): boolean;
  named(name: string): number | undefined;
  /** Groups that are opened from here to `leave` are inside a look-behind and can't be referred to there. */
  enterLookbehind(): () => void;
  /** Throws where a look-behind refers to a group that it may not refer to. */
  checkReference(group: number, source: PatternSource): void;
  /** A conditional may name a group that comes later: looked at when the pattern is read. */
  expect(group: number, position: number): void;
  checkExpected(source: PatternSource): void;
}

/** CPython's own limit on a 64-bit machine. */
export const MAX_GROUPS = 1073741823;

export function groupRegister(): GroupRegister {
  const closed: boolean[] = [];
  const names = new Map<string, number>();
  const expected = new Map<number, number>();
  let lookbehindFrom: number | undefined;

  const register: GroupRegister = {
    get count() {
      return closed.length;
    },
    open(name, source) {
      const group = closed.push(false);
      if (name === undefined) return group;
      const earlier = names.get(name);
      if (earlier !== undefined) {
        const message = `redefinition of group name ${quote(name)} as group ${group}; was group ${earlier}`;
        throw source.error(message, Array.from(name).length + 1);
      }
      names.set(name, group);
      return group;
    },
    close(group) {
      closed[group - 1] = true;
    },
    isClosed: (group) => closed[group - 1] === true,
    named: (name) => names.get(name),
    enterLookbehind() {
      if (lookbehindFrom !== undefined) return () => undefined;
      lookbehindFrom = closed.length + 1;
      return () => {
        lookbehindFrom = undefined;
      };
    },
    checkReference(group, source) {
      if (lookbehindFrom === undefined) return;
      if (!register.isClosed(group)) throw source.error('cannot refer to an open group');
      if (group >= lookbehindFrom) {
        throw source.error('cannot refer to group defined in the same lookbehind subpattern');
      }
    },
    expect(group, position) {
      if (!expected.has(group)) expected.set(group, position);
    },
    checkExpected(source) {
      for (const [group, position] of expected) {
        if (group > closed.length) throw source.errorAt(`invalid group reference ${group}`, position);
      }
    },
  };
  return register;
}
