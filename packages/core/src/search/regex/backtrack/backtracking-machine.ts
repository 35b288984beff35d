import type { PositionTest, StepMeter } from '../expression.ts';
import { lowerCase } from '../unicode/case-folding.ts';
import { type CharacterSet, hasCharacter } from '../unicode/character-set.ts';
import { FOLDINGS, MACHINE, type MachineProgram } from './machine-program.ts';
import { FRAME, type Frame, fillBuffer, holdsAt, MachineState, type Repeat } from './machine-state.ts';
import { countedRepeat, possessiveRepeat, singleRepeat } from './repeats.ts';

type MachineOutcome =
  | { readonly kind: 'match'; readonly start: number; readonly end: number }
  | { readonly kind: 'no-match' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'out-of-memory' };

interface MachineOptions {
  /** The characters with which a match can start, where it can't be empty. */
  readonly firstSet?: CharacterSet | undefined;
  /** Whether a match can only start where the text does. */
  readonly anchored: boolean;
}

/**
 * Finds the leftmost match as CPython does: alternatives in order, quantifiers in their mode, and CPython's own rules
 * for which captures are put back when it backtracks. Nothing recurses: what waits for an outcome is a frame on a stack,
 * so that a match can be paused after any number of steps.
 */
export class BacktrackingMachine {
  readonly #state: MachineState;
  readonly #options: MachineOptions;
  /** The start of the match that is being tried. */
  #start = 0;
  #lastStart = 0;
  /** Whether the match at `start` is yet to be set up. */
  #isSeeking = true;

  constructor(program: MachineProgram, options: MachineOptions) {
    this.#state = new MachineState(program);
    this.#options = options;
  }

  begin(text: string): void {
    const { buffer } = this.#state;
    fillBuffer(buffer, text);
    this.#state.trim();
    this.#start = 0;
    this.#lastStart = this.#options.anchored ? 0 : buffer.length;
    this.#isSeeking = true;
  }

  /** Continues until there is an outcome or the budget is used up. Offsets count code points. */
  advance(meter: StepMeter): MachineOutcome {
    const state = this.#state;
    for (;;) {
      if (this.#isSeeking && !this.#seek(meter)) return this.#start > this.#lastStart ? NO_MATCH : PAUSED;
      if (state.phase === 'run') run(state, meter);
      if (state.phase === 'run') return state.isFull ? OUT_OF_MEMORY : PAUSED;
      if (state.isWaiting) {
        meter.left--;
        resume(state, state.pop(), meter);
        continue;
      }
      if (state.phase === 'succeeded') return { kind: 'match', start: this.#start, end: state.at };
      this.#start++;
      this.#isSeeking = true;
    }
  }

  /** Sets up the next start at which a match is possible. False if there is none, or the budget is used up. */
  #seek(meter: StepMeter): boolean {
    const { codes, length } = this.#state.buffer;
    const { firstSet } = this.#options;
    while (this.#start <= this.#lastStart) {
      if (meter.left <= 0) return false;
      meter.left--;
      const start = this.#start;
      if (firstSet === undefined || (start < length && hasCharacter(firstSet, codes[start] as number))) {
        this.#state.start(start);
        this.#isSeeking = false;
        return true;
      }
      this.#start++;
    }
    return false;
  }
}

/** Executes until something fails or succeeds, or the budget is used up. Operations that need no frame run here, in local variables. */
function run(state: MachineState, meter: StepMeter): void {
  const { code, sets } = state.program;
  const { codes, length } = state.buffer;
  let { pc, at } = state;
  let left = meter.left;
  let isRunning = true;
  while (isRunning && left > 0) {
    left--;
    const first = code[pc + 1] as number;
    switch (code[pc]) {
      case MACHINE.character:
        if (at < length && hasCharacter(sets[first] as CharacterSet, codes[at] as number)) {
          at++;
          pc += 2;
        } else {
          state.phase = 'failed';
          isRunning = false;
        }
        break;
      case MACHINE.position:
        if (holdsAt(first as PositionTest, state.buffer, at)) pc += 2;
        else {
          state.phase = 'failed';
          isRunning = false;
        }
        break;
      case MACHINE.mark:
        state.setMark(first, at);
        pc += 2;
        break;
      case MACHINE.success:
        state.phase = 'succeeded';
        isRunning = false;
        break;
      case MACHINE.jump:
        pc = first;
        break;
      case MACHINE.conditional:
        pc = state.isSet(first) ? pc + 3 : (code[pc + 2] as number);
        break;
      default:
        state.pc = pc;
        state.at = at;
        meter.left = left;
        enter(state, pc, meter);
        pc = state.pc;
        at = state.at;
        left = meter.left;
        isRunning = state.phase === 'run' && !state.isFull;
    }
  }
  state.pc = pc;
  state.at = at;
  meter.left = left;
}

/** The operations that wait for an outcome, and those that look further than one character. */
function enter(state: MachineState, pc: number, meter: StepMeter): void {
  const { code } = state.program;
  switch (code[pc]) {
    case MACHINE.branch:
      state.saveMarks(state.push(FRAME.branch, pc, 1), state.repeat !== undefined, meter);
      state.pc = code[pc + 2] as number;
      break;
    case MACHINE.repeatOne:
      singleRepeat.enter(state, pc, meter);
      break;
    case MACHINE.repeat: {
      const repeat: Repeat = { pc, count: -1, lastAt: -1, outer: state.repeat };
      state.push(FRAME.repeat, pc, 0).repeat = repeat;
      state.repeat = repeat;
      state.pc = code[pc + 3] as number;
      break;
    }
    case MACHINE.until:
      countedRepeat.until(state, pc, meter);
      break;
    case MACHINE.possessive:
      possessiveRepeat.enter(state, pc, meter);
      break;
    case MACHINE.atomic:
      state.push(FRAME.atomic, pc, 0);
      state.pc = pc + 2;
      break;
    case MACHINE.look: {
      const isNegative = code[pc + 1] === 1;
      const from = state.at - (code[pc + 2] as number);
      if (from >= 0) {
        const frame = state.push(isNegative ? FRAME.lookNot : FRAME.look, pc, 0);
        if (isNegative) state.saveMarks(frame, state.repeat !== undefined, meter);
        state.continue(pc + 4, from);
      } else if (isNegative) state.pc = code[pc + 3] as number;
      else state.phase = 'failed';
      break;
    }
    default:
      matchBackreference(state, pc, meter);
  }
}

/** Passes an outcome to the frame that waits for it: `phase` says which outcome, and on success `at` says where. */
function resume(state: MachineState, frame: Frame, meter: StepMeter): void {
  const isMatch = state.phase === 'succeeded';
  switch (frame.kind) {
    case FRAME.branch:
      if (!isMatch) nextAlternative(state, frame, meter);
      break;
    case FRAME.oneGreedy:
      if (!isMatch) singleRepeat.oneLess(state, frame, meter);
      break;
    case FRAME.oneLazy:
      if (!isMatch) singleRepeat.oneMore(state, frame, meter);
      break;
    case FRAME.repeat:
      state.repeat = frame.repeat?.outer;
      break;
    case FRAME.untilRequired:
      if (!isMatch && frame.repeat !== undefined) frame.repeat.count = frame.count - 1;
      break;
    case FRAME.untilMore:
      countedRepeat.afterMore(state, frame, meter);
      break;
    case FRAME.untilTail:
      state.repeat = frame.repeat;
      break;
    case FRAME.lazyTail:
      state.repeat = frame.repeat;
      if (!isMatch) countedRepeat.lazyMore(state, frame, meter);
      break;
    case FRAME.lazyMore:
      if (frame.repeat === undefined) break;
      frame.repeat.lastAt = frame.lastAt;
      if (!isMatch) frame.repeat.count = frame.count - 1;
      break;
    case FRAME.possessive:
      possessiveRepeat.resume(state, frame, meter);
      break;
    case FRAME.atomic:
      if (isMatch) state.continue(state.program.code[frame.pc + 1] as number, state.at);
      break;
    case FRAME.look:
      if (isMatch) state.continue(state.program.code[frame.pc + 3] as number, frame.at);
      break;
    default:
      if (isMatch) state.phase = 'failed';
      else {
        state.restoreMarks(frame, meter);
        state.continue(state.program.code[frame.pc + 3] as number, frame.at);
      }
  }
}

function nextAlternative(state: MachineState, frame: Frame, meter: StepMeter): void {
  const { code } = state.program;
  state.restoreMarks(frame, meter);
  if (frame.count >= (code[frame.pc + 1] as number)) return;
  const alternative = code[frame.pc + 2 + frame.count] as number;
  frame.count++;
  state.keep();
  state.continue(alternative, frame.at);
}

const PAUSED: MachineOutcome = { kind: 'paused' };
const NO_MATCH: MachineOutcome = { kind: 'no-match' };
const OUT_OF_MEMORY: MachineOutcome = { kind: 'out-of-memory' };

/** The text of a group once more, as `\1`. A group that isn't set fails. */
function matchBackreference(state: MachineState, pc: number, meter: StepMeter): void {
  const { code } = state.program;
  const { codes, length } = state.buffer;
  const group = code[pc + 1] as number;
  const folding = FOLDINGS[code[pc + 2] as number] ?? 'none';
  if (!state.isSet(group)) {
    state.phase = 'failed';
    return;
  }
  const end = state.getMark(group * 2 + 1);
  let at = state.at;
  for (let from = state.getMark(group * 2); from < end; from++, at++) {
    meter.left--;
    if (at >= length || lowerCase(codes[at] as number, folding) !== lowerCase(codes[from] as number, folding)) {
      state.phase = 'failed';
      return;
    }
  }
  state.at = at;
  state.pc = pc + 3;
}
