import type { StepMeter } from '../step-meter.ts';
import { FRAME, type Frame, type Repeat } from './machine-frame.ts';
import { MODES } from './machine-program.ts';
import type { MachineState } from './machine-state.ts';

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
