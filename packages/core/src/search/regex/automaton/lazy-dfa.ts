import { POSITION, type PositionTest, type StepMeter } from '../expression.ts';
import { type CharacterClasses, characterClasses } from '../unicode/character-classes.ts';
import { type CharacterSet, categorySet, characterSet } from '../unicode/character-set.ts';
import { type AutomatonProgram, OPERATION } from './automaton-program.ts';

/** The position of a scan, kept by the caller so that one automaton can serve several scans. */
export interface ScanCursor {
  /** In UTF-16 units. */
  index: number;
  /** Where to continue; undefined at the start. Held by value, because the automaton may drop its rows in the meantime. */
  state: DfaState | undefined;
}

export interface DfaState {
  /** The instructions to continue from. */
  readonly kernel: number[];
  /** Bits of `CONTEXT`: what stands before this place. */
  readonly context: number;
}

export interface LazyDfa {
  /** Continues from the cursor: whether the text matches, or undefined if the budget ran out first. */
  scan(text: string, cursor: ScanCursor, meter: StepMeter): boolean | undefined;
}

export interface LazyDfaOptions {
  /** Whether a match must start where the text does. */
  readonly anchored: boolean;
}

/**
 * A deterministic automaton whose states are created when a text first needs them.
 *
 * A state is the set of instructions to go on from, before position tests are decided, with what the last character
 * was. The tests are decided when the next character is known, so a match shows one character late: the end of the text
 * has a column of its own, and so has a line feed that is the last character, before which `$` matches.
 *
 * Yields where making it may pause.
 */
export function* lazyDfa(program: AutomatonProgram, { anchored }: LazyDfaOptions): Generator<void, LazyDfa> {
  const kinds = contextKinds(program.tests);
  const classes = yield* characterClasses([...program.sets, ...kinds.map((kind) => kind.set)]);
  const { latin1 } = classes;
  const stride = classes.count + 2;
  const { endColumn, finalLineFeedColumn } = columnsOf(classes);
  const contextOf = contextTable(classes, kinds, program.sets.length);
  const closure = closureWalk(program, classes, contextOf);

  let table = new Int32Array(stride * 16);
  let states: DfaState[] = [];
  let offsets = new Map<string, number>();
  /** The row of the start of a text; 0 while it isn't made. */
  let startRow = 0;
  reset();

  function reset(): void {
    table.fill(0);
    states = [DEAD_STATE];
    offsets = new Map();
    startRow = 0;
  }

  function offsetOf(state: DfaState): number {
    const key = `${state.context}:${state.kernel.join()}`;
    const known = offsets.get(key);
    if (known !== undefined) return known;
    const offset = states.length * stride;
    if (offset + stride > table.length) {
      const larger = new Int32Array(table.length * 2);
      larger.set(table);
      table = larger;
    }
    states.push(state);
    offsets.set(key, offset);
    return offset;
  }

  /** Creates the transition that a scan needs. Drops all states first if there are too many. */
  function makeTransition(from: number, column: number, meter: StepMeter): number {
    const state = states[from / stride] ?? DEAD_STATE;
    const next = closure(state, column, meter);
    if (next === MATCH) {
      table[from + column] = MATCH;
      return MATCH;
    }
    if (!anchored) next.kernel.unshift(0);
    if (next.kernel.length === 0) {
      table[from + column] = DEAD;
      return DEAD;
    }
    if (states.length * stride >= MAX_TABLE_ENTRIES) {
      reset();
      return offsetOf(next);
    }
    const to = offsetOf(next);
    table[from + column] = to;
    return to;
  }

  /** The class of what stands at the index, a surrogate pair being one character. */
  function wideClass(text: string, index: number, unit: number): number {
    return classes.classOf(isPair(text, index, unit) ? (text.codePointAt(index) ?? unit) : unit);
  }

  function scan(text: string, cursor: ScanCursor, meter: StepMeter): boolean | undefined {
    const last = text.length - 1;
    const end = text.length > 0 && text.charCodeAt(last) === 0x0a ? last : text.length;
    let { index } = cursor;
    const from = index;
    let stop = Math.min(end, index + Math.max(1, meter.left));
    let state = cursor.state === undefined ? startAt(text, index) : offsetOf(cursor.state);
    let rows = table;
    while (index < end) {
      let unit = 0;
      let next = UNKNOWN;
      // All the work for nearly every character; leaving this loop is rare.
      while (index < stop) {
        unit = text.charCodeAt(index);
        if (unit > 255) break;
        next = rows[state + (latin1[unit] as number)] as number;
        if (next <= DEAD) break;
        state = next;
        index++;
      }
      if (index >= stop) {
        meter.left -= index - from;
        if (index >= end) break;
        cursor.index = index;
        cursor.state = states[state / stride];
        return undefined;
      }
      const column = unit > 255 ? wideClass(text, index, unit) : (latin1[unit] as number);
      next = rows[state + column] as number;
      if (next === UNKNOWN) {
        next = makeTransition(state, column, meter);
        rows = table;
        stop = Math.min(stop, index + Math.max(1, meter.left - (index - from)));
      }
      if (next <= DEAD) {
        meter.left -= index - from + 1;
        return next === MATCH;
      }
      state = next;
      index += isPair(text, index, unit) ? 2 : 1;
      if (index >= end) meter.left -= index - from;
    }
    if (index === last) {
      state = rows[state + finalLineFeedColumn] || makeTransition(state, finalLineFeedColumn, meter);
      if (state <= DEAD) return state === MATCH;
    }
    return (table[state + endColumn] || makeTransition(state, endColumn, meter)) === MATCH;
  }

  /** The row for a scan that starts with the text or, further on, with what stands before the index in mind. */
  function startAt(text: string, index: number): number {
    if (index > 0) {
      const context = contextOf[classes.classOf(text.charCodeAt(index - 1))] ?? 0;
      return offsetOf({ kernel: [0], context });
    }
    if (startRow === 0) startRow = offsetOf({ kernel: [0], context: CONTEXT.start });
    return startRow;
  }

  return { scan };
}

/** Marks in a table instead of the offset of a row: no row starts that low. */
const UNKNOWN = 0;
const MATCH = 1;
const DEAD = 2;

/** About 1 MiB of transitions; past it the states are dropped and rebuilt as needed. */
const MAX_TABLE_ENTRIES = 1 << 18;

const DEAD_STATE: DfaState = { kernel: [], context: 0 };

const CONTEXT = { start: 1, lineFeed: 2, word: 4, asciiWord: 8 } as const;

interface ContextKind {
  readonly bit: number;
  readonly set: CharacterSet;
}

/** Only what the program's position tests look at, so that other programs have fewer states. */
function contextKinds(tests: ReadonlySet<PositionTest>): readonly ContextKind[] {
  const has = (...wanted: PositionTest[]): boolean => wanted.some((test) => tests.has(test));
  const kinds: ContextKind[] = [];
  if (has(POSITION.lineStart, POSITION.lineEnd, POSITION.lastLineEnd)) {
    kinds.push({ bit: CONTEXT.lineFeed, set: characterSet([0x0a, 0x0a]) });
  }
  if (has(POSITION.wordBoundary, POSITION.notWordBoundary)) {
    kinds.push({ bit: CONTEXT.word, set: categorySet('word', false) });
  }
  if (has(POSITION.asciiWordBoundary, POSITION.notAsciiWordBoundary)) {
    kinds.push({ bit: CONTEXT.asciiWord, set: categorySet('word', true) });
  }
  return kinds;
}

function contextTable(classes: CharacterClasses, kinds: readonly ContextKind[], firstSet: number): Uint8Array {
  const table = new Uint8Array(classes.count);
  for (const [index, kind] of kinds.entries()) {
    for (let each = 0; each < classes.count; each++) {
      if (classes.isMember(firstSet + index, each)) table[each] = (table[each] ?? 0) | kind.bit;
    }
  }
  return table;
}

/** Columns of their own, after those of the classes. */
function columnsOf({ count }: CharacterClasses): { readonly endColumn: number; readonly finalLineFeedColumn: number } {
  return { endColumn: count, finalLineFeedColumn: count + 1 };
}

/** Follows every instruction that takes no character, then steps over the one of the column. */
function closureWalk(program: AutomatonProgram, classes: CharacterClasses, contextOf: Uint8Array) {
  const { operations, first, second } = program;
  const { endColumn, finalLineFeedColumn } = columnsOf(classes);
  const lineFeedClass = classes.classOf(0x0a);
  const seen = new Uint32Array(operations.length);
  const isInNext = new Uint32Array(operations.length + 1);
  const pending: number[] = [];
  let generation = 0;

  return (state: DfaState, column: number, meter: StepMeter): DfaState | typeof MATCH => {
    generation++;
    const atEnd = column === endColumn;
    const characterClass = column === finalLineFeedColumn ? lineFeedClass : column;
    const after = atEnd ? 0 : (contextOf[characterClass] ?? 0);
    const place = { before: state.context, after, atEnd, atFinalLineFeed: column === finalLineFeedColumn };
    const kernel: number[] = [];
    let steps = 0;
    for (const start of state.kernel) {
      pending.push(start);
      for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
        if (seen[pc] === generation) continue;
        seen[pc] = generation;
        steps++;
        const operand = first[pc] ?? 0;
        switch (operations[pc]) {
          case OPERATION.match:
            pending.length = 0;
            meter.left -= steps;
            return MATCH;
          case OPERATION.jump:
            pending.push(operand);
            break;
          case OPERATION.split:
            pending.push(second[pc] ?? 0, operand);
            break;
          case OPERATION.position:
            if (holds(operand, place)) pending.push(pc + 1);
            break;
          default:
            if (!atEnd && classes.isMember(operand, characterClass) && isInNext[pc + 1] !== generation) {
              isInNext[pc + 1] = generation;
              kernel.push(pc + 1);
            }
        }
      }
    }
    meter.left -= steps;
    kernel.sort((left, right) => left - right);
    return { kernel, context: after };
  };
}

interface PlaceFacts {
  readonly before: number;
  readonly after: number;
  readonly atEnd: boolean;
  readonly atFinalLineFeed: boolean;
}

/** In an empty text Python finds neither a word boundary nor a place that isn't one. */
function holds(test: number, { before, after, atEnd, atFinalLineFeed }: PlaceFacts): boolean {
  const atStart = (before & CONTEXT.start) !== 0;
  const isBoundary = (bit: number): boolean => ((before ^ after) & bit) !== 0;
  switch (test as PositionTest) {
    case POSITION.textStart:
      return atStart;
    case POSITION.lineStart:
      return atStart || (before & CONTEXT.lineFeed) !== 0;
    case POSITION.textEnd:
      return atEnd;
    case POSITION.lastLineEnd:
      return atEnd || atFinalLineFeed;
    case POSITION.lineEnd:
      return atEnd || (after & CONTEXT.lineFeed) !== 0;
    case POSITION.wordBoundary:
      return isBoundary(CONTEXT.word);
    case POSITION.asciiWordBoundary:
      return isBoundary(CONTEXT.asciiWord);
    case POSITION.notWordBoundary:
      return !isBoundary(CONTEXT.word) && !(atStart && atEnd);
    case POSITION.notAsciiWordBoundary:
      return !isBoundary(CONTEXT.asciiWord) && !(atStart && atEnd);
  }
}

function isPair(text: string, index: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdbff || index + 1 >= text.length) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
