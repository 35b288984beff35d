import type { StepMeter } from '../expression.ts';
import { type CharacterSet, hasCharacter } from '../unicode/character-set.ts';
import { MODES } from './machine-program.ts';
import { FRAME, type Frame, type MachineState, type Repeat } from './machine-state.ts';

/** A repeat of one character: `a*`, `[a-z]+?`, `\w{2,5}+`. All of its rounds share one frame. */
export const singleRepeat = {
  enter(state: MachineState, pc: number, meter: StepMeter): void {
    const { code } = state.program;
    const mode = MODES[code[pc + 1] as number];
    const min = code[pc + 2] as number;
    const count = countCharacters(state, pc, mode === 'lazy' ? min : (code[pc + 3] as number), meter);
    if (count < min) {
      state.phase = 'failed';
      return;
    }
    state.at += count;
    state.pc = pc + 5;
    if (mode === 'possessive') return;
    const frame = state.push(mode === 'lazy' ? FRAME.oneLazy : FRAME.oneGreedy, pc, count);
    state.saveMarks(frame, state.repeat !== undefined, meter);
  },

  /** What follows a greedy one has failed. */
  oneLess(state: MachineState, frame: Frame, meter: StepMeter): void {
    state.restoreMarks(frame, meter);
    frame.at--;
    frame.count--;
    if (frame.count < (state.program.code[frame.pc + 2] as number)) return;
    state.keep();
    state.continue(frame.pc + 5, frame.at);
  },

  /** What follows a lazy one has failed. */
  oneMore(state: MachineState, frame: Frame, meter: StepMeter): void {
    state.restoreMarks(frame, meter);
    state.at = frame.at;
    if (countCharacters(state, frame.pc, 1, meter) === 0) return;
    frame.at++;
    frame.count++;
    if (frame.count > (state.program.code[frame.pc + 3] as number)) return;
    state.keep();
    state.continue(frame.pc + 5, frame.at);
  },
} as const;

/** How many of the next characters are in the repeat's set, `max` at the most. */
function countCharacters(state: MachineState, pc: number, max: number, meter: StepMeter): number {
  const { codes, length } = state.buffer;
  const set = state.program.sets[state.program.code[pc + 4] as number] as CharacterSet;
  const start = state.at;
  const end = Math.min(length, start + max);
  let at = start;
  while (at < end && hasCharacter(set, codes[at] as number)) at++;
  meter.left -= at - start;
  return at - start;
}

/** A greedy or lazy repeat of more than one character, as `(?:ab)*`: its rounds are counted, and each has a frame. */
export const countedRepeat = {
  /** The end of the body: once more, or on with what follows. An empty round is the last. */
  until(state: MachineState, pc: number, meter: StepMeter): void {
    const { code } = state.program;
    const repeat = state.repeat as Repeat;
    const count = repeat.count + 1;
    const body = repeat.pc + 4;
    if (count < (code[repeat.pc + 1] as number)) {
      repeat.count = count;
      state.push(FRAME.untilRequired, pc, count).repeat = repeat;
      state.pc = body;
    } else if (MODES[code[pc + 1] as number] === 'lazy') {
      state.repeat = repeat.outer;
      const frame = state.push(FRAME.lazyTail, pc, count);
      frame.repeat = repeat;
      state.saveMarks(frame, state.repeat !== undefined, meter);
      state.pc = pc + 2;
    } else if (count < (code[repeat.pc + 2] as number) && state.at !== repeat.lastAt) {
      repeat.count = count;
      const frame = state.push(FRAME.untilMore, pc, count);
      frame.repeat = repeat;
      frame.lastAt = repeat.lastAt;
      state.saveMarks(frame, true, meter);
      repeat.lastAt = state.at;
      state.pc = body;
    } else {
      goOn(state, pc, repeat);
    }
  },

  /** The outcome of one more round of a greedy one. */
  afterMore(state: MachineState, frame: Frame, meter: StepMeter): void {
    const repeat = frame.repeat as Repeat;
    repeat.lastAt = frame.lastAt;
    if (state.phase === 'succeeded') return;
    state.restoreMarks(frame, meter);
    repeat.count = frame.count - 1;
    state.continue(frame.pc, frame.at);
    goOn(state, frame.pc, repeat);
  },

  /** What follows a lazy one has failed. */
  lazyMore(state: MachineState, frame: Frame, meter: StepMeter): void {
    const repeat = frame.repeat as Repeat;
    state.restoreMarks(frame, meter);
    if (frame.count >= (state.program.code[repeat.pc + 2] as number) || frame.at === repeat.lastAt) return;
    repeat.count = frame.count;
    state.continue(repeat.pc + 4, frame.at);
    const { pc, count } = frame;
    const more = state.push(FRAME.lazyMore, pc, count);
    more.repeat = repeat;
    more.lastAt = repeat.lastAt;
    repeat.lastAt = state.at;
  },
} as const;

/** On with what follows the repeat. */
function goOn(state: MachineState, pc: number, repeat: Repeat): void {
  state.repeat = repeat.outer;
  state.push(FRAME.untilTail, pc, 0).repeat = repeat;
  state.pc = pc + 2;
}

/** A possessive repeat of more than one character, as `(?:ab)*+`: nothing goes back into a round that is complete. */
export const possessiveRepeat = {
  enter(state: MachineState, pc: number, meter: StepMeter): void {
    state.push(FRAME.possessive, pc, 0).lastRound = -1;
    nextRound(state, state.pop(), meter);
  },

  /** Hands the outcome in `state.phase` to the frame of the repeat. */
  resume(state: MachineState, frame: Frame, meter: StepMeter): void {
    if (state.phase === 'succeeded') {
      frame.count++;
      nextRound(state, frame, meter);
      return;
    }
    if (frame.isRequired) return;
    state.restoreMarks(frame, meter);
    state.continue(state.program.code[frame.pc + 3] as number, frame.at);
  },
} as const;

/** One more round, or on with what follows. The frame isn't on the stack. */
function nextRound(state: MachineState, frame: Frame, meter: StepMeter): void {
  const { code } = state.program;
  const isRequired = frame.count < (code[frame.pc + 1] as number);
  if (isRequired || (frame.count < (code[frame.pc + 2] as number) && state.at !== frame.lastRound)) {
    frame.isRequired = isRequired;
    frame.lastRound = isRequired ? -1 : state.at;
    frame.at = state.at;
    state.saveMarks(frame, true, meter);
    state.keep();
    state.continue(frame.pc + 4, state.at);
    return;
  }
  state.continue(code[frame.pc + 3] as number, state.at);
}
