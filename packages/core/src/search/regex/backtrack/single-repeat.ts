import type { StepMeter } from '../step-meter.ts';
import { type CharacterSet, hasCharacter } from '../unicode/index.ts';
import { FRAME, type Frame } from './machine-frame.ts';
import { MODES } from './machine-program.ts';
import type { MachineState } from './machine-state.ts';

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
