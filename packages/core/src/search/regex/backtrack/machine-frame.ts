import type { StepMeter } from '../step-meter.ts';

/** A repeat that is under way. */
export interface Repeat {
  /** Where its operation is. */
  readonly pc: number;
  /** How many rounds are complete. */
  count: number;
  /** Where the round before started, -1 for none: a round that ends there was empty. */
  lastAt: number;
  readonly outer: Repeat | undefined;
}

/** What a frame waits for. */
export const FRAME = {
  branch: 0,
  oneGreedy: 1,
  oneLazy: 2,
  repeat: 3,
  untilRequired: 4,
  untilMore: 5,
  untilTail: 6,
  lazyTail: 7,
  lazyMore: 8,
  possessive: 9,
  atomic: 10,
  look: 11,
  lookNot: 12,
} as const;

/** What waits for the outcome of what runs above it on the stack. Frames are reused. */
export class Frame {
  kind = 0;
  pc = 0;
  at = 0;
  count = 0;
  lastAt = -1;
  lastRound = -1;
  isRequired = false;
  repeat: Repeat | undefined;
  lastMark = -1;
  hasMarks = false;
  marks: Int32Array = NO_MARKS;

  /**
   * Outside every repeat a mark is set once at the most, so that `lastMark` alone says which are valid. CPython doesn't
   * count a possessive repeat as one here, and a group inside it may keep a capture that was backtracked over.
   */
  saveMarks(lastMark: number, marks: Int32Array, isRepeated: boolean, meter: StepMeter): void {
    this.lastMark = lastMark;
    this.hasMarks = isRepeated && lastMark >= 0;
    if (!this.hasMarks) return;
    if (this.marks.length < marks.length) this.marks = new Int32Array(marks.length);
    copyMarks(marks, this.marks, lastMark);
    meter.left -= (lastMark + 1) >> 3;
  }
}

const NO_MARKS = new Int32Array(0);

/** One by one: there are few, and a view of them would cost more than the copy. */
export function copyMarks(from: Int32Array, to: Int32Array, last: number): void {
  for (let mark = 0; mark <= last; mark++) to[mark] = from[mark] as number;
}
