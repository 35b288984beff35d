import { lowerCase } from './case-folding.ts';
import { type CharacterSet, hasCharacter } from './character-set.ts';
import type { PositionTest } from './expression.ts';
import { copyMarks, FRAME, Frame, type Repeat } from './machine-frame.ts';
import { FOLDINGS, MACHINE, type MachineProgram, MODES } from './machine-program.ts';
import { holdsAt } from './position-test.ts';
import type { StepMeter } from './step-meter.ts';
import { fillBuffer, textBuffer } from './text-buffer.ts';

/** The frames that one match may hold at once: past this it is out of budget, whatever its meter says. */
const MAX_FRAMES = 1 << 18;

/** The frames that are kept for the next text. */
const KEPT_FRAMES = 1 << 12;

export type MachineOutcome =
  | { readonly kind: 'match'; readonly start: number; readonly end: number }
  | { readonly kind: 'no-match' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'out-of-memory' };

export interface MachineOptions {
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
  readonly #program: MachineProgram;
  readonly #options: MachineOptions;
  readonly #buffer = textBuffer();
  readonly #frames: Frame[] = [];
  #depth = 0;
  readonly #marks: Int32Array;
  #lastMark = -1;
  #repeat: Repeat | undefined;
  /** Where the match that is tried starts. */
  #start = 0;
  #lastStart = 0;
  #pc = 0;
  #at = 0;
  #phase: 'seek' | 'run' | 'failed' | 'succeeded' = 'seek';

  constructor(program: MachineProgram, options: MachineOptions) {
    this.#program = program;
    this.#options = options;
    this.#marks = new Int32Array(program.marks);
  }

  begin(text: string): void {
    fillBuffer(this.#buffer, text);
    this.#frames.length = Math.min(this.#frames.length, KEPT_FRAMES);
    this.#start = 0;
    this.#lastStart = this.#options.anchored ? 0 : this.#buffer.length;
    this.#phase = 'seek';
  }

  /** Goes on until there is an outcome or the meter is spent. Offsets count code points. */
  advance(meter: StepMeter): MachineOutcome {
    for (;;) {
      if (this.#phase === 'seek' && !this.#seek(meter)) {
        return this.#start > this.#lastStart ? NO_MATCH : PAUSED;
      }
      if (this.#phase === 'run') this.#run(meter);
      if (this.#phase === 'run') return this.#depth >= MAX_FRAMES ? OUT_OF_MEMORY : PAUSED;
      if (this.#depth > 0) {
        this.#return(meter);
        continue;
      }
      if (this.#phase === 'succeeded') return { kind: 'match', start: this.#start, end: this.#at };
      this.#start++;
      this.#phase = 'seek';
    }
  }

  /** Sets up the next start at which a match is possible. False where there is none, or the meter is spent. */
  #seek(meter: StepMeter): boolean {
    const { codes, length } = this.#buffer;
    const { firstSet } = this.#options;
    while (this.#start <= this.#lastStart) {
      if (meter.left <= 0) return false;
      meter.left--;
      const start = this.#start;
      if (firstSet === undefined || (start < length && hasCharacter(firstSet, codes[start] as number))) {
        this.#lastMark = -1;
        this.#repeat = undefined;
        this.#depth = 0;
        this.#pc = 0;
        this.#at = start;
        this.#phase = 'run';
        return true;
      }
      this.#start++;
    }
    return false;
  }

  /** Executes until something fails or succeeds, or the meter is spent. What needs no frame is done here, in local variables. */
  #run(meter: StepMeter): void {
    const { code, sets } = this.#program;
    const { codes, length } = this.#buffer;
    let pc = this.#pc;
    let at = this.#at;
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
          } else isRunning = this.#fail();
          break;
        case MACHINE.position:
          if (holdsAt(first as PositionTest, this.#buffer, at)) pc += 2;
          else isRunning = this.#fail();
          break;
        case MACHINE.mark:
          this.#setMark(first, at);
          pc += 2;
          break;
        case MACHINE.jump:
          pc = first;
          break;
        case MACHINE.conditional:
          pc = this.#isSet(first) ? pc + 3 : (code[pc + 2] as number);
          break;
        default:
          this.#pc = pc;
          this.#at = at;
          meter.left = left;
          this.#execute(pc, meter);
          pc = this.#pc;
          at = this.#at;
          left = meter.left;
          isRunning = this.#phase === 'run' && this.#depth < MAX_FRAMES;
      }
    }
    this.#pc = pc;
    this.#at = at;
    meter.left = left;
  }

  #fail(): false {
    this.#phase = 'failed';
    return false;
  }

  /** The operations that wait for an outcome, and those that look further than one character. */
  #execute(pc: number, meter: StepMeter): void {
    const { code } = this.#program;
    switch (code[pc]) {
      case MACHINE.success:
        this.#phase = 'succeeded';
        break;
      case MACHINE.branch:
        this.#push(FRAME.branch, pc, 1).saveMarks(this.#lastMark, this.#marks, this.#repeat !== undefined, meter);
        this.#pc = code[pc + 2] as number;
        break;
      case MACHINE.repeatOne:
        this.#repeatOne(pc, meter);
        break;
      case MACHINE.repeat: {
        const repeat: Repeat = { pc, count: -1, lastAt: -1, outer: this.#repeat };
        this.#push(FRAME.repeat, pc, 0).repeat = repeat;
        this.#repeat = repeat;
        this.#pc = code[pc + 3] as number;
        break;
      }
      case MACHINE.until:
        this.#until(pc, code[pc + 1] as number, meter);
        break;
      case MACHINE.possessive: {
        const frame = this.#push(FRAME.possessive, pc, 0);
        frame.lastRound = -1;
        this.#depth--;
        this.#possessive(frame, meter);
        break;
      }
      case MACHINE.atomic:
        this.#push(FRAME.atomic, pc, 0);
        this.#pc = pc + 2;
        break;
      case MACHINE.look:
        this.#look(pc, meter);
        break;
      default:
        this.#backreference(pc, meter);
    }
  }

  /** Hands an outcome to the frame that waits for it: `phase` says which, and on success `at` says where. */
  #return(meter: StepMeter): void {
    this.#depth--;
    const frame = this.#frames[this.#depth] as Frame;
    const isMatch = this.#phase === 'succeeded';
    meter.left--;
    switch (frame.kind) {
      case FRAME.branch:
        if (!isMatch) this.#nextAlternative(frame, meter);
        break;
      case FRAME.oneGreedy:
        if (!isMatch) this.#oneLess(frame, meter);
        break;
      case FRAME.oneLazy:
        if (!isMatch) this.#oneMore(frame, meter);
        break;
      case FRAME.repeat:
        this.#repeat = frame.repeat?.outer;
        break;
      case FRAME.untilRequired:
        if (!isMatch && frame.repeat !== undefined) frame.repeat.count = frame.count - 1;
        break;
      case FRAME.untilMore:
        this.#afterMore(frame, isMatch, meter);
        break;
      case FRAME.untilTail:
        this.#repeat = frame.repeat;
        break;
      case FRAME.lazyTail:
        this.#repeat = frame.repeat;
        if (!isMatch) this.#lazyMore(frame, meter);
        break;
      case FRAME.lazyMore:
        if (frame.repeat === undefined) break;
        frame.repeat.lastAt = frame.lastAt;
        if (!isMatch) frame.repeat.count = frame.count - 1;
        break;
      case FRAME.possessive:
        this.#afterPossessive(frame, isMatch, meter);
        break;
      case FRAME.atomic:
        if (isMatch) this.#continue(this.#program.code[frame.pc + 1] as number, this.#at);
        break;
      case FRAME.look:
        if (isMatch) this.#continue(this.#program.code[frame.pc + 3] as number, frame.at);
        break;
      default:
        if (isMatch) this.#phase = 'failed';
        else {
          this.#restoreMarks(frame, meter);
          this.#continue(this.#program.code[frame.pc + 3] as number, frame.at);
        }
    }
  }

  #continue(pc: number, at: number): void {
    this.#pc = pc;
    this.#at = at;
    this.#phase = 'run';
  }

  #push(kind: number, pc: number, count: number): Frame {
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame();
      this.#frames.push(frame);
    }
    this.#depth++;
    frame.kind = kind;
    frame.pc = pc;
    frame.at = this.#at;
    frame.count = count;
    return frame;
  }

  /** Puts back the frame that was just popped, with what it holds. */
  #keep(): void {
    this.#depth++;
  }

  #nextAlternative(frame: Frame, meter: StepMeter): void {
    const { code } = this.#program;
    this.#restoreMarks(frame, meter);
    if (frame.count >= (code[frame.pc + 1] as number)) return;
    const alternative = code[frame.pc + 2 + frame.count] as number;
    frame.count++;
    this.#keep();
    this.#continue(alternative, frame.at);
  }

  #repeatOne(pc: number, meter: StepMeter): void {
    const { code } = this.#program;
    const mode = MODES[code[pc + 1] as number];
    const min = code[pc + 2] as number;
    const count = this.#count(pc, mode === 'lazy' ? min : (code[pc + 3] as number), meter);
    if (count < min) {
      this.#phase = 'failed';
      return;
    }
    this.#at += count;
    this.#pc = pc + 5;
    if (mode === 'possessive') return;
    const frame = this.#push(mode === 'lazy' ? FRAME.oneLazy : FRAME.oneGreedy, pc, count);
    frame.saveMarks(this.#lastMark, this.#marks, this.#repeat !== undefined, meter);
  }

  /** How many of the next characters are in a `repeatOne`'s set, `max` at the most. */
  #count(pc: number, max: number, meter: StepMeter): number {
    const { codes, length } = this.#buffer;
    const set = this.#program.sets[this.#program.code[pc + 4] as number] as CharacterSet;
    const start = this.#at;
    const end = Math.min(length, start + max);
    let at = start;
    while (at < end && hasCharacter(set, codes[at] as number)) at++;
    meter.left -= at - start;
    return at - start;
  }

  #oneLess(frame: Frame, meter: StepMeter): void {
    this.#restoreMarks(frame, meter);
    frame.at--;
    frame.count--;
    if (frame.count < (this.#program.code[frame.pc + 2] as number)) return;
    this.#keep();
    this.#continue(frame.pc + 5, frame.at);
  }

  #oneMore(frame: Frame, meter: StepMeter): void {
    this.#restoreMarks(frame, meter);
    this.#at = frame.at;
    if (this.#count(frame.pc, 1, meter) === 0) return;
    frame.at++;
    frame.count++;
    if (frame.count > (this.#program.code[frame.pc + 3] as number)) return;
    this.#keep();
    this.#continue(frame.pc + 5, frame.at);
  }

  /** The end of a repeat's body: once more, or on with what follows. An empty round is the last. */
  #until(pc: number, mode: number, meter: StepMeter): void {
    const { code } = this.#program;
    const repeat = this.#repeat as Repeat;
    const count = repeat.count + 1;
    const body = repeat.pc + 4;
    if (count < (code[repeat.pc + 1] as number)) {
      repeat.count = count;
      this.#push(FRAME.untilRequired, pc, count).repeat = repeat;
      this.#pc = body;
    } else if (MODES[mode] === 'lazy') {
      this.#repeat = repeat.outer;
      const frame = this.#push(FRAME.lazyTail, pc, count);
      frame.repeat = repeat;
      frame.saveMarks(this.#lastMark, this.#marks, this.#repeat !== undefined, meter);
      this.#pc = pc + 2;
    } else if (count < (code[repeat.pc + 2] as number) && this.#at !== repeat.lastAt) {
      repeat.count = count;
      const frame = this.#push(FRAME.untilMore, pc, count);
      frame.repeat = repeat;
      frame.lastAt = repeat.lastAt;
      frame.saveMarks(this.#lastMark, this.#marks, true, meter);
      repeat.lastAt = this.#at;
      this.#pc = body;
    } else {
      this.#tail(pc, repeat);
    }
  }

  #tail(pc: number, repeat: Repeat): void {
    this.#repeat = repeat.outer;
    this.#push(FRAME.untilTail, pc, 0).repeat = repeat;
    this.#pc = pc + 2;
  }

  #afterMore(frame: Frame, isMatch: boolean, meter: StepMeter): void {
    const repeat = frame.repeat as Repeat;
    repeat.lastAt = frame.lastAt;
    if (isMatch) return;
    this.#restoreMarks(frame, meter);
    repeat.count = frame.count - 1;
    this.#continue(frame.pc, frame.at);
    this.#tail(frame.pc, repeat);
  }

  #lazyMore(frame: Frame, meter: StepMeter): void {
    const repeat = frame.repeat as Repeat;
    this.#restoreMarks(frame, meter);
    if (frame.count >= (this.#program.code[repeat.pc + 2] as number) || frame.at === repeat.lastAt) return;
    repeat.count = frame.count;
    this.#continue(repeat.pc + 4, frame.at);
    const { pc, count } = frame;
    const more = this.#push(FRAME.lazyMore, pc, count);
    more.repeat = repeat;
    more.lastAt = repeat.lastAt;
    repeat.lastAt = this.#at;
  }

  /** One more round of a possessive repeat, or on with what follows. The frame isn't on the stack. */
  #possessive(frame: Frame, meter: StepMeter): void {
    const { code } = this.#program;
    const isRequired = frame.count < (code[frame.pc + 1] as number);
    if (isRequired || (frame.count < (code[frame.pc + 2] as number) && this.#at !== frame.lastRound)) {
      frame.isRequired = isRequired;
      frame.lastRound = isRequired ? -1 : this.#at;
      frame.at = this.#at;
      frame.saveMarks(this.#lastMark, this.#marks, true, meter);
      this.#keep();
      this.#continue(frame.pc + 4, this.#at);
      return;
    }
    this.#continue(code[frame.pc + 3] as number, this.#at);
  }

  #afterPossessive(frame: Frame, isMatch: boolean, meter: StepMeter): void {
    if (isMatch) {
      frame.count++;
      this.#possessive(frame, meter);
      return;
    }
    if (frame.isRequired) return;
    this.#restoreMarks(frame, meter);
    this.#continue(this.#program.code[frame.pc + 3] as number, frame.at);
  }

  #look(pc: number, meter: StepMeter): void {
    const { code } = this.#program;
    const isNegative = code[pc + 1] === 1;
    const from = this.#at - (code[pc + 2] as number);
    if (from < 0) {
      if (isNegative) this.#pc = code[pc + 3] as number;
      else this.#phase = 'failed';
      return;
    }
    const frame = this.#push(isNegative ? FRAME.lookNot : FRAME.look, pc, 0);
    if (isNegative) frame.saveMarks(this.#lastMark, this.#marks, this.#repeat !== undefined, meter);
    this.#continue(pc + 4, from);
  }

  #backreference(pc: number, meter: StepMeter): void {
    const { code } = this.#program;
    const { codes, length } = this.#buffer;
    const group = code[pc + 1] as number;
    const folding = FOLDINGS[code[pc + 2] as number] ?? 'none';
    if (!this.#isSet(group)) {
      this.#phase = 'failed';
      return;
    }
    const end = this.#marks[group * 2 + 1] as number;
    let at = this.#at;
    for (let from = this.#marks[group * 2] as number; from < end; from++, at++) {
      meter.left--;
      if (at >= length || lowerCase(codes[at] as number, folding) !== lowerCase(codes[from] as number, folding)) {
        this.#phase = 'failed';
        return;
      }
    }
    this.#at = at;
    this.#pc = pc + 3;
  }

  /** Marks above `lastMark` are not valid; those that a later one skips are unset. */
  #setMark(mark: number, at: number): void {
    const marks = this.#marks;
    if (mark > this.#lastMark) {
      for (let skipped = this.#lastMark + 1; skipped < mark; skipped++) marks[skipped] = -1;
      this.#lastMark = mark;
    }
    marks[mark] = at;
  }

  #isSet(group: number): boolean {
    if (group * 2 >= this.#lastMark) return false;
    const start = this.#marks[group * 2] as number;
    return start >= 0 && (this.#marks[group * 2 + 1] as number) >= start;
  }

  #restoreMarks(frame: Frame, meter: StepMeter): void {
    if (frame.hasMarks) {
      copyMarks(frame.marks, this.#marks, frame.lastMark);
      meter.left -= (frame.lastMark + 1) >> 3;
    }
    this.#lastMark = frame.lastMark;
  }
}

const PAUSED: MachineOutcome = { kind: 'paused' };
const NO_MATCH: MachineOutcome = { kind: 'no-match' };
const OUT_OF_MEMORY: MachineOutcome = { kind: 'out-of-memory' };
