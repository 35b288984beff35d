import { POSITION, type PositionTest, type StepMeter } from '../expression.ts';
import { categorySet, hasCharacter } from '../unicode/character-set.ts';
import type { MachineProgram } from './machine-program.ts';

/** How many frames one match may hold at once; beyond this it is out of budget, however many steps are left. */
const MAX_FRAMES = 1 << 18;

/** The frames that are kept for the next text. */
const KEPT_FRAMES = 1 << 12;

/** What the operations of the backtracking machine work on: its registers, its stack of frames and the marks of its groups. */
export class MachineState {
  readonly program: MachineProgram;
  readonly buffer: TextBuffer = { codes: new Int32Array(256), length: 0 };
  /** The operation that is next, and the position in the text at which it starts. */
  pc = 0;
  at = 0;
  /** Whether operations are executed, or the frame on top of the stack is to get this outcome. */
  phase: 'run' | 'failed' | 'succeeded' = 'failed';
  /** The innermost repeat that is under way. */
  repeat: Repeat | undefined;
  readonly #frames: Frame[] = [];
  #depth = 0;
  readonly #marks: Int32Array;
  /** Marks above it are not valid. */
  #lastMark = -1;

  constructor(program: MachineProgram) {
    this.program = program;
    this.#marks = new Int32Array(program.marks);
  }

  /** Releases the memory that an unusual text needed. */
  trim(): void {
    this.#frames.length = Math.min(this.#frames.length, KEPT_FRAMES);
  }

  /** Sets up a match that starts at `at`. */
  start(at: number): void {
    this.#lastMark = -1;
    this.repeat = undefined;
    this.#depth = 0;
    this.continue(0, at);
  }

  continue(pc: number, at: number): void {
    this.pc = pc;
    this.at = at;
    this.phase = 'run';
  }

  get isWaiting(): boolean {
    return this.#depth > 0;
  }

  get isFull(): boolean {
    return this.#depth >= MAX_FRAMES;
  }

  push(kind: number, pc: number, count: number): Frame {
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame();
      this.#frames.push(frame);
    }
    this.#depth++;
    frame.kind = kind;
    frame.pc = pc;
    frame.at = this.at;
    frame.count = count;
    return frame;
  }

  pop(): Frame {
    this.#depth--;
    return this.#frames[this.#depth] as Frame;
  }

  /** Puts back the frame that was just popped, with what it holds. */
  keep(): void {
    this.#depth++;
  }

  /** Marks that a later one skips are unset. */
  setMark(mark: number, at: number): void {
    const marks = this.#marks;
    if (mark > this.#lastMark) {
      for (let skipped = this.#lastMark + 1; skipped < mark; skipped++) marks[skipped] = -1;
      this.#lastMark = mark;
    }
    marks[mark] = at;
  }

  getMark(mark: number): number {
    return this.#marks[mark] as number;
  }

  isSet(group: number): boolean {
    if (group * 2 >= this.#lastMark) return false;
    const start = this.#marks[group * 2] as number;
    return start >= 0 && (this.#marks[group * 2 + 1] as number) >= start;
  }

  saveMarks(frame: Frame, isRepeated: boolean, meter: StepMeter): void {
    frame.saveMarks(this.#lastMark, this.#marks, isRepeated, meter);
  }

  restoreMarks(frame: Frame, meter: StepMeter): void {
    if (frame.hasMarks) {
      copyMarks(frame.marks, this.#marks, frame.lastMark);
      meter.left -= (frame.lastMark + 1) >> 3;
    }
    this.#lastMark = frame.lastMark;
  }
}

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
function copyMarks(from: Int32Array, to: Int32Array, last: number): void {
  for (let mark = 0; mark <= last; mark++) to[mark] = from[mark] as number;
}

/** A text as code points, in an array that is reused from one text to the next. */
interface TextBuffer {
  codes: Int32Array;
  length: number;
}

export function fillBuffer(buffer: TextBuffer, text: string): void {
  if (buffer.codes.length < text.length) buffer.codes = new Int32Array(text.length * 2);
  const { codes } = buffer;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) {
      code = text.codePointAt(index) ?? code;
      if (code > 0xffff) index++;
    }
    codes[length++] = code;
  }
  buffer.length = length;
}

const LINE_FEED = 0x0a;

/** Whether a position test holds before the code point at `at`. */
export function holdsAt(test: PositionTest, { codes, length }: TextBuffer, at: number): boolean {
  switch (test) {
    case POSITION.textStart:
      return at === 0;
    case POSITION.lineStart:
      return at === 0 || codes[at - 1] === LINE_FEED;
    case POSITION.textEnd:
      return at === length;
    case POSITION.lastLineEnd:
      return at === length || (at === length - 1 && codes[at] === LINE_FEED);
    case POSITION.lineEnd:
      return at === length || codes[at] === LINE_FEED;
    case POSITION.wordBoundary:
    case POSITION.asciiWordBoundary:
      return isBoundary(test === POSITION.asciiWordBoundary, codes, length, at);
    case POSITION.notWordBoundary:
    case POSITION.notAsciiWordBoundary:
      return length > 0 && !isBoundary(test === POSITION.notAsciiWordBoundary, codes, length, at);
  }
}

function isBoundary(ascii: boolean, codes: Int32Array, length: number, at: number): boolean {
  const word = categorySet('word', ascii);
  const isWordBefore = at > 0 && hasCharacter(word, codes[at - 1] ?? 0);
  const isWordAfter = at < length && hasCharacter(word, codes[at] ?? 0);
  return isWordBefore !== isWordAfter;
}
