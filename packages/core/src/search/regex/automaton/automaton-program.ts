import { type Expression, type PositionTest, setNumber } from '../expression.ts';
import type { CharacterSet } from '../unicode/character-set.ts';

/** The instructions of a nondeterministic automaton. `first` and `second` are targets, or what the operation names. */
export interface AutomatonProgram {
  readonly operations: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly sets: readonly CharacterSet[];
  /** The position tests that occur. */
  readonly tests: ReadonlySet<PositionTest>;
}

export const OPERATION = { character: 0, split: 1, jump: 2, position: 3, match: 4 } as const;

/** More instructions than this are left to the machine that counts instead of copying. */
const MAX_AUTOMATON_SIZE = 4000;

/**
 * Compiles what is regular in the strict sense: no captures to look at, no look-around, nothing atomic.
 * Counted repeats are copied. Undefined where the expression isn't regular, or gets too large.
 */
export function automatonProgram(whole: Expression): AutomatonProgram | undefined {
  const operations: number[] = [];
  const first: number[] = [];
  const second: number[] = [];
  const sets: CharacterSet[] = [];
  const tests = new Set<PositionTest>();

  function emit(operation: number, one: number, two: number): number {
    first.push(one);
    second.push(two);
    return operations.push(operation) - 1;
  }

  /** False where the expression can't be compiled. */
  function add(expression: Expression): boolean {
    if (operations.length > MAX_AUTOMATON_SIZE) return false;
    switch (expression.kind) {
      case 'character':
        emit(OPERATION.character, setNumber(sets, expression.set), 0);
        return true;
      case 'position':
        tests.add(expression.test);
        emit(OPERATION.position, expression.test, 0);
        return true;
      case 'sequence':
        return expression.items.every(add);
      case 'group':
        return add(expression.body);
      case 'branch':
        return addBranch(expression.alternatives);
      case 'repeat':
        return expression.mode !== 'possessive' && addRepeat(expression.body, expression.min, expression.max);
      default:
        return false;
    }
  }

  function addBranch(alternatives: readonly Expression[]): boolean {
    const ends: number[] = [];
    for (const [index, alternative] of alternatives.entries()) {
      const isLast = index === alternatives.length - 1;
      const split = isLast ? undefined : emit(OPERATION.split, operations.length + 1, 0);
      if (!add(alternative)) return false;
      if (split === undefined) break;
      ends.push(emit(OPERATION.jump, 0, 0));
      second[split] = operations.length;
    }
    for (const end of ends) first[end] = operations.length;
    return true;
  }

  function addRepeat(body: Expression, min: number, max: number): boolean {
    let lastCopy = operations.length;
    for (let copy = 0; copy < min; copy++) {
      lastCopy = operations.length;
      if (!add(body)) return false;
      if (operations.length === lastCopy) return true;
    }
    if (max === Number.POSITIVE_INFINITY && min === 0) return addStar(body);
    if (max === Number.POSITIVE_INFINITY) {
      emit(OPERATION.split, lastCopy, operations.length + 1);
      return true;
    }
    const exits: number[] = [];
    for (let copy = min; copy < max; copy++) {
      exits.push(emit(OPERATION.split, operations.length + 1, 0));
      if (!add(body)) return false;
    }
    for (const exit of exits) second[exit] = operations.length;
    return true;
  }

  function addStar(body: Expression): boolean {
    const loop = emit(OPERATION.split, operations.length + 1, 0);
    if (!add(body)) return false;
    emit(OPERATION.jump, loop, 0);
    second[loop] = operations.length;
    return true;
  }

  if (!add(whole)) return undefined;
  emit(OPERATION.match, 0, 0);
  return { operations, first, second, sets, tests };
}
