import type { StepMeter } from '../step-meter.ts';
import { FRAME, type Frame } from './machine-frame.ts';
import type { MachineState } from './machine-state.ts';

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
