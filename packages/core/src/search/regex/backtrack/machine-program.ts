import { type Expression, setNumber, walkExpression } from '../expression.ts';
import type { RepeatMode } from '../parse/pattern-node.ts';
import type { Folding } from '../unicode/case-folding.ts';
import type { CharacterSet } from '../unicode/character-set.ts';

/**
 * Code for the backtracking machine: numbers, each operation followed by its operands.
 *
 *     character SET                              position TEST
 *     mark NUMBER                                jump TO
 *     branch COUNT, then COUNT × TO              repeatOne MODE MIN MAX SET
 *     repeat MIN MAX UNTIL, body, until MODE     possessive MIN MAX TO, body, success
 *     atomic TO, body, success                   look NEGATE WIDTH TO, body, success
 *     backreference GROUP FOLDING                conditional GROUP ELSE
 */
export interface MachineProgram {
  readonly code: Int32Array;
  readonly sets: readonly CharacterSet[];
  /** How many marks are set: two a group; none where no operation looks at them. */
  readonly marks: number;
}

export const MACHINE = {
  success: 0,
  character: 1,
  position: 2,
  mark: 3,
  jump: 4,
  branch: 5,
  repeatOne: 6,
  repeat: 7,
  until: 8,
  possessive: 9,
  atomic: 10,
  look: 11,
  backreference: 12,
  conditional: 13,
} as const;

/** Stands for every count that is longer than a text can be. */
const UNBOUNDED = 0x7fffffff;

export const MODES: readonly RepeatMode[] = ['greedy', 'lazy', 'possessive'];

export const FOLDINGS: readonly Folding[] = ['none', 'ascii', 'unicode'];

/** The code's length is linear in the pattern's: repeats are counted when they run. */
export function machineProgram(expression: Expression, groups: number): MachineProgram {
  const code: number[] = [];
  const sets: CharacterSet[] = [];
  const looksAtGroups = [...walkExpression(expression)].some(
    ({ kind }) => kind === 'backreference' || kind === 'conditional',
  );

  /** Emits an operation whose last operand is a target that isn't known yet, and gives the way to set it. */
  function emitForward(...numbers: number[]): () => void {
    const operand = code.push(...numbers, 0) - 1;
    return () => {
      code[operand] = code.length;
    };
  }

  function add(node: Expression): void {
    switch (node.kind) {
      case 'character':
        code.push(MACHINE.character, setNumber(sets, node.set));
        return;
      case 'position':
        code.push(MACHINE.position, node.test);
        return;
      case 'sequence':
        for (const item of node.items) add(item);
        return;
      case 'group':
        if (looksAtGroups) code.push(MACHINE.mark, (node.index - 1) * 2);
        add(node.body);
        if (looksAtGroups) code.push(MACHINE.mark, (node.index - 1) * 2 + 1);
        return;
      case 'branch':
        addBranch(node.alternatives);
        return;
      case 'repeat':
        addRepeat(node);
        return;
      case 'atomic':
        addEnclosed(emitForward(MACHINE.atomic), node.body);
        return;
      case 'look':
        addEnclosed(emitForward(MACHINE.look, node.negate ? 1 : 0, node.width), node.body);
        return;
      case 'backreference':
        code.push(MACHINE.backreference, node.group - 1, FOLDINGS.indexOf(node.folding));
        return;
      case 'conditional': {
        const setElse = emitForward(MACHINE.conditional, node.group - 1);
        add(node.yes);
        const setEnd = node.no === undefined ? undefined : emitForward(MACHINE.jump);
        setElse();
        if (node.no !== undefined) add(node.no);
        setEnd?.();
        return;
      }
    }
  }

  function addEnclosed(setEnd: () => void, body: Expression): void {
    add(body);
    code.push(MACHINE.success);
    setEnd();
  }

  function addBranch(alternatives: readonly Expression[]): void {
    const table = code.push(MACHINE.branch, alternatives.length);
    code.push(...alternatives.map(() => 0));
    const ends = alternatives.map((alternative, index) => {
      code[table + index] = code.length;
      add(alternative);
      return emitForward(MACHINE.jump);
    });
    for (const setEnd of ends) setEnd();
  }

  function addRepeat(node: Extract<Expression, { kind: 'repeat' }>): void {
    const { mode, min, max, body } = node;
    if (body.kind === 'character') {
      code.push(MACHINE.repeatOne, MODES.indexOf(mode), min, max, setNumber(sets, body.set));
    } else if (mode === 'possessive') {
      addEnclosed(emitForward(MACHINE.possessive, min, max), body);
    } else {
      const setUntil = emitForward(MACHINE.repeat, min, max);
      add(body);
      setUntil();
      code.push(MACHINE.until, MODES.indexOf(mode));
    }
  }

  add(expression);
  code.push(MACHINE.success);
  return {
    code: Int32Array.from(code, (number) => Math.min(number, UNBOUNDED)),
    sets,
    marks: looksAtGroups ? groups * 2 : 0,
  };
}
