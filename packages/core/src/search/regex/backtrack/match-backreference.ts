import type { StepMeter } from '../step-meter.ts';
import { lowerCase } from '../unicode/case-folding.ts';
import { FOLDINGS } from './machine-program.ts';
import type { MachineState } from './machine-state.ts';

/** The text of a group once more, as `\1`. A group that isn't set fails. */
export function matchBackreference(state: MachineState, pc: number, meter: StepMeter): void {
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
