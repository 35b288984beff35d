import { PatternError } from '../../errors.ts';
import { once } from '../../memoized.ts';
import { runToEnd } from '../../slices.ts';
import { firstCharacters, foldedLiteral, mayContain, requiredLiteral } from './automaton/required-literal.ts';
import { BacktrackingMachine } from './backtrack/backtracking-machine.ts';
import { machineProgram } from './backtrack/machine-program.ts';
import { automatonDecider, type Decider, literalDecider, machineDecider, prefilteredDecider } from './decider.ts';
import { type Expression, POSITION, type StepMeter } from './expression.ts';
import { parsePattern } from './parse/parse-pattern.ts';
import { codePointLength } from './parse/pattern-source.ts';
import { resolvePattern } from './parse/resolve-pattern.ts';
import { prepareCharacterNames } from './unicode/character-names.ts';

/** A compiled pattern. It answers like CPython 3.11's `re.search`. */
export interface Pattern {
  readonly source: string;
  /** What decides: a plain string search, an automaton, or the backtracking machine. */
  readonly engine: Decider['engine'];
  /** Whether the text matches anywhere. Throws `out_of_budget` when that takes more than the budget. */
  test(text: string): boolean;
  /** The leftmost match within a budget of steps. */
  run(text: string, budget?: number): MatchOutcome;
  /** For matching many texts in slices of your own. */
  matcher(): Matcher;
  /** The same, yielding where making it may pause. */
  matcherInSteps(): Generator<void, Matcher>;
}

/** Whether a pattern matches, and where; or that its budget was used up. */
export type MatchOutcome =
  | ({ readonly kind: 'match' } & MatchSpan)
  | { readonly kind: 'no-match' }
  | { readonly kind: 'out-of-budget' };

/** The position of a match in code points, as Python's `match.span()`. */
export interface MatchSpan {
  readonly start: number;
  readonly end: number;
  /** False if finding the exact place took too long; the match is then the whole text. */
  readonly exact: boolean;
}

/** Matches one text at a time, and stops when its budget is used up. */
export interface Matcher {
  readonly engine: Pattern['engine'];
  begin(text: string): void;
  /** `paused` when the budget is used up: call again to continue. */
  advance(meter: StepMeter): 'match' | 'no-match' | 'paused' | 'out-of-budget';
  /**
   * Where the text that `advance` called a match does so, or `paused`: call again to continue. Its steps are deducted from the budget
   * up to a separate limit, even if less is left: a position must not depend on where slices end.
   */
  span(meter: StepMeter): MatchSpan | 'paused';
}

/** Options of `compilePattern`. */
export interface CompileOptions {
  /**
   * Python's flags, letters of `aimsux`, for the whole pattern.
   * @default ''
   */
  readonly flags?: string;
  /**
   * The maximum number of code points in a pattern.
   * @default 200
   */
  readonly maxLength?: number;
  /**
   * The maximum number of steps that `test` and `run` may take for one text. A step is about one character examined. @default
   * 5_000_000
   */
  readonly budget?: number;
}

/** The limits of a pattern, unless the options say otherwise. */
export const COMPILE_DEFAULTS = { flags: '', maxLength: 200, budget: 5_000_000 } as const;

/** How many steps finding the exact position of a match may take, besides four for every character of the text. */
const SPAN_STEPS = 10_000;

/** How much of that is done in one go: a millisecond or two while the runtime has not optimised it yet. */
const SPAN_SLICE = 1_000;

/**
 * Compiles a pattern of Python's `re` syntax.
 *
 *     pattern ─ parse ─▶ nodes ─ resolve flags ─▶ expression
 *                                                    │
 *               ┌──────────────┬─────────────────────┼──────────────────────┐
 *          one string?     regular?      regular after splitting       anything else
 *               │              │            its lookaheads?                 │
 *            includes      lazy DFA         a DFA for each         backtracking machine
 *               │              └──────────┬──────────┘                      │
 *               │              required string first? ──────────────────────┤
 *               └───────────────────────▶ match or not ◀────────────────────┘
 *                                              │
 *                                 span: backtracking machine
 */
export function compilePattern(pattern: string, options: CompileOptions = {}): Pattern {
  return runToEnd(compileInSteps(pattern, options));
}

/** The same, yielding where it may pause. */
export function* compileInSteps(pattern: string, options: CompileOptions = {}): Generator<void, Pattern> {
  const { flags, maxLength, budget } = { ...COMPILE_DEFAULTS, ...options };
  const length = codePointLength(pattern);
  if (length > maxLength) {
    throw new PatternError(
      'pattern_too_long',
      `The pattern has ${length} characters, more than ${maxLength}: shorten it`,
      { context: { length, maxLength } },
    );
  }
  if (pattern.includes('\\N')) yield* prepareCharacterNames();
  const parsed = parsePattern(pattern, flags);
  const expression = yield* resolvePattern(parsed);
  const literal = requiredLiteral(expression);

  function* newMatcher(): Generator<void, Matcher> {
    const anchored = startsAtTextStart(expression);
    const machine = once(() => {
      const options = { firstSet: firstCharacters(expression), anchored };
      return new BacktrackingMachine(machineProgram(expression, parsed.groups), options);
    });
    if (literal.isWhole) return createMatcher(literalDecider(literal.text), machine);
    const automaton = yield* automatonDecider(expression, anchored);
    const decider = automaton ?? machineDecider(machine());
    const mayMatch = prefilter(expression, literal.text);
    return createMatcher(mayMatch === undefined ? decider : prefilteredDecider(mayMatch, decider), machine);
  }

  const own = once(() => runToEnd(newMatcher()));
  return {
    source: pattern,
    get engine() {
      return own().engine;
    },
    test(text) {
      own().begin(text);
      const decision = own().advance({ left: budget });
      if (decision === 'match' || decision === 'no-match') return decision === 'match';
      throw outOfBudget(pattern, budget, 'on one text');
    },
    run(text, limit = budget) {
      const meter = { left: limit };
      own().begin(text);
      const decision = own().advance(meter);
      if (decision === 'no-match') return { kind: 'no-match' };
      if (decision !== 'match') return { kind: 'out-of-budget' };
      let span = own().span(meter);
      while (span === 'paused') span = own().span(meter);
      return { kind: 'match', ...span };
    },
    matcher: () => runToEnd(newMatcher()),
    matcherInSteps: newMatcher,
  };
}

/** The error for a pattern that took all of its steps. `where` ends in what took them: "on one text". */
export function outOfBudget(pattern: string, budget: number, where: string): PatternError {
  return new PatternError(
    'out_of_budget',
    `The pattern ${JSON.stringify(pattern)} takes more than ${budget} steps ${where}: make it simpler, without nested repeats`,
    { context: { pattern, budget } },
  );
}

function createMatcher(decider: Decider, machine: () => BacktrackingMachine): Matcher {
  let current = '';
  /** The steps that the span of the current text may still take; undefined before it is looked for. */
  let allowance: number | undefined;

  function beginSpan(meter: StepMeter): number {
    machine().begin(current);
    meter.left -= current.length >> 2;
    return SPAN_STEPS + 4 * current.length;
  }

  return {
    engine: decider.engine,
    begin(text) {
      current = text;
      allowance = undefined;
      decider.begin(text);
    },
    advance: (meter) => decider.advance(meter),
    span(meter) {
      const place = decider.place();
      if (place !== undefined) return { start: place.start, end: place.end, exact: true };
      allowance ??= beginSpan(meter);
      const granted = Math.min(allowance, SPAN_SLICE);
      const slice = { left: granted };
      const outcome = machine().advance(slice);
      meter.left -= granted - slice.left;
      allowance -= granted - slice.left;
      if (outcome.kind === 'match') return { start: outcome.start, end: outcome.end, exact: true };
      if (outcome.kind === 'paused' && allowance > 0) return 'paused';
      return { start: 0, end: codePointLength(current), exact: false };
    },
  };
}

/** A quick test that every text with a match passes, if there is one worth its time. */
function prefilter(expression: Expression, literal: string): ((text: string) => boolean) | undefined {
  if (failsAtOnce(expression)) return undefined;
  if (literal.length >= WORTHWHILE_LENGTH) return (text) => text.includes(literal);
  const folded = foldedLiteral(expression);
  if (folded.text.length >= WORTHWHILE_LENGTH) return (text) => mayContain(folded, text);
  return literal === '' ? undefined : (text) => text.includes(literal);
}

/** A single letter is in nearly every text. */
const WORTHWHILE_LENGTH = 2;

/** Whether the first character decides most texts, sooner than a search for a string would. */
function failsAtOnce(expression: Expression): boolean {
  return startsAtTextStart(expression) && firstCharacters(expression)?.ranges.length === 2;
}

function startsAtTextStart(expression: Expression): boolean {
  if (expression.kind === 'sequence') {
    const [first] = expression.items;
    return first !== undefined && startsAtTextStart(first);
  }
  if (expression.kind === 'group' || expression.kind === 'atomic') return startsAtTextStart(expression.body);
  if (expression.kind === 'branch') return expression.alternatives.every(startsAtTextStart);
  return expression.kind === 'position' && expression.test === POSITION.textStart;
}
