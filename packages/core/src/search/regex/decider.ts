import { automatonProgram } from './automaton/automaton-program.ts';
import { type LazyDfa, lazyDfa, type ScanCursor } from './automaton/lazy-dfa.ts';
import type { BacktrackingMachine } from './backtrack/backtracking-machine.ts';
import { type Expression, POSITION, type StepMeter } from './expression.ts';
import { codePointLength } from './parse/pattern-source.ts';
import { ANY_CHARACTER, NOT_LINE_FEED } from './unicode/character-set.ts';

/** A pause: the budget is used up, and the next call continues. Out of budget: no further call can help. */
export type Decision = 'match' | 'no-match' | 'paused' | 'out-of-budget';

/** Decides for one text after the other whether it matches. */
export interface Decider {
  readonly engine: 'literal' | 'automaton' | 'backtracking';
  begin(text: string): void;
  advance(meter: StepMeter): Decision;
  /** The position of the last match in code points, if it is known. */
  place(): Place | undefined;
}

/** A match from `start` up to `end`. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A pattern that is nothing but a string. */
export function literalDecider(literal: string): Decider {
  let current = '';
  let index = -1;
  return {
    engine: 'literal',
    begin(text) {
      current = text;
    },
    advance(meter) {
      meter.left -= searchCost(current);
      index = current.indexOf(literal);
      return index >= 0 ? 'match' : 'no-match';
    },
    place() {
      const start = codePointLength(current.slice(0, index));
      return { start, end: start + codePointLength(literal) };
    },
  };
}

/** Skips the decider for texts that can't match: searching for a string is faster. */
export function prefilteredDecider(mayMatch: (text: string) => boolean, decider: Decider): Decider {
  let current: string | undefined;
  return {
    engine: decider.engine,
    begin(text) {
      current = text;
    },
    advance(meter) {
      if (current !== undefined) {
        meter.left -= searchCost(current);
        if (!mayMatch(current)) return 'no-match';
        decider.begin(current);
        current = undefined;
      }
      return decider.advance(meter);
    },
    place: () => decider.place(),
  };
}

/**
 * Undefined if the expression, or a part that it splits into, isn't regular. `anchored`: it can match only at the start. Yields
 * where it may pause.
 */
export function* automatonDecider(expression: Expression, anchored: boolean): Generator<void, Decider | undefined> {
  const program = automatonProgram(expression);
  if (program !== undefined) {
    return conjunctionDecider([{ dfa: yield* lazyDfa(program, { anchored }), expected: true }], 'text');
  }
  const split = splitLookaheads(expression);
  if (split === undefined) return undefined;
  const parts: Part[] = [];
  for (const part of split.parts) {
    const partProgram = automatonProgram(part.expression);
    if (partProgram === undefined) return undefined;
    parts.push({ dfa: yield* lazyDfa(partProgram, { anchored: true }), expected: part.expected });
  }
  return conjunctionDecider(parts, split.start);
}

export function machineDecider(machine: BacktrackingMachine): Decider {
  let found: Place | undefined;
  return {
    engine: 'backtracking',
    begin: (text) => machine.begin(text),
    advance(meter) {
      const outcome = machine.advance(meter);
      if (outcome.kind === 'match') found = outcome;
      return outcome.kind === 'out-of-memory' ? 'out-of-budget' : outcome.kind;
    },
    place: () => found,
  };
}

interface Part {
  readonly dfa: LazyDfa;
  readonly expected: boolean;
}

function conjunctionDecider(parts: readonly Part[], start: 'text' | 'line'): Decider {
  const cursor: ScanCursor = { index: 0, state: undefined };
  let current = '';
  /** The position at which the parts are tried, and the next part. */
  let from = 0;
  let next = 0;

  function startAt(index: number): void {
    from = index;
    next = 0;
    cursor.index = index;
    cursor.state = undefined;
  }

  /** Undefined for a pause. */
  function holdHere(meter: StepMeter): boolean | undefined {
    for (; next < parts.length; next++) {
      const part = parts[next] as Part;
      const found = part.dfa.scan(current, cursor, meter);
      if (found === undefined) return undefined;
      if (found !== part.expected) return false;
      cursor.index = from;
      cursor.state = undefined;
    }
    return true;
  }

  return {
    engine: 'automaton',
    begin(text) {
      current = text;
      startAt(0);
    },
    advance(meter) {
      for (;;) {
        const holds = holdHere(meter);
        if (holds === undefined) return 'paused';
        if (holds) return 'match';
        const lineFeed = start === 'line' ? current.indexOf('\n', from) : -1;
        if (lineFeed < 0) return 'no-match';
        startAt(lineFeed + 1);
      }
    },
    place: () => undefined,
  };
}

/** The runtime's own search reads many characters per step. */
function searchCost(text: string): number {
  return 1 + (text.length >> 4);
}

/** A pattern split into regular parts, each of which is decided from the same position. */
interface SplitPattern {
  readonly parts: readonly SplitPart[];
  /** Where they can start: at the start of the text only, or of any line. */
  readonly start: 'text' | 'line';
}

interface SplitPart {
  readonly expression: Expression;
  /** Whether it has to match, or must not. */
  readonly expected: boolean;
}

/**
 * `^(?=A)(?!B)C` matches where `^A` and `^C` do and `^B` doesn't. Without the `^`, `(?=.*A)(?=.*B)` matches somewhere in
 * a line if it matches at the line's start, because what `.*` skips from there includes what it skips from anywhere else.
 */
export function splitLookaheads(expression: Expression): SplitPattern | undefined {
  const items = expression.kind === 'sequence' ? expression.items : [expression];
  const looks: Extract<Expression, { kind: 'look' }>[] = [];
  let isAnchored = false;
  let index = 0;
  for (; index < items.length; index++) {
    const item = items[index];
    if (item?.kind === 'look' && item.ahead) looks.push(item);
    else if (item?.kind === 'position' && item.test === POSITION.textStart) isAnchored = true;
    else break;
  }
  if (looks.length === 0) return undefined;
  const rest: Expression = { kind: 'sequence', items: items.slice(index) };
  const parts = [
    ...looks.map((look) => ({ expression: look.body, expected: !look.negate })),
    ...(rest.items.length === 0 ? [] : [{ expression: rest, expected: true }]),
  ];
  if (isAnchored) return { parts, start: 'text' };
  const skips = parts.map((part) => (part.expected ? leadingSkip(part.expression) : 'none'));
  if (skips.includes('none')) return undefined;
  return { parts, start: skips.includes('line') ? 'line' : 'text' };
}

/** What an expression may skip before it starts: nothing, the rest of a line, or anything. */
function leadingSkip(expression: Expression): 'none' | 'line' | 'all' {
  if (expression.kind === 'sequence') {
    const [first] = expression.items;
    return first === undefined ? 'none' : leadingSkip(first);
  }
  if (expression.kind === 'group') return leadingSkip(expression.body);
  if (expression.kind !== 'repeat' || expression.mode === 'possessive') return 'none';
  if (expression.min !== 0 || expression.max !== Number.POSITIVE_INFINITY || expression.body.kind !== 'character') {
    return 'none';
  }
  const { ranges } = expression.body.set;
  if (ranges.join() === ANY_CHARACTER.ranges.join()) return 'all';
  return ranges.join() === NOT_LINE_FEED.ranges.join() ? 'line' : 'none';
}
