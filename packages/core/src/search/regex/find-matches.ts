import { type SearchText, type Snapshot, searchText, type Tool } from '../../catalog/index.ts';
import { type Matcher, outOfBudget } from './compile-pattern.ts';
import { codePointLength } from './parse/pattern-source.ts';
import { coverage, type MatchRanking, matchRanking, type ToolMatch } from './rank-matches.ts';

/** One pattern over many tools. */
interface Scan {
  readonly query: string;
  readonly matcher: MeteredMatcher;
  readonly tools: readonly Tool[];
  readonly fields: SearchableFields;
}

/** The best field in which each tool matches, and in it the text that is covered best. Yields where it may pause. */
export function* findMatches({ query, matcher, tools, fields }: Scan): Generator<void, MatchRanking> {
  const ranking = matchRanking();
  for (const tool of tools) {
    const texts = fields.of(tool);
    let best: ToolMatch | undefined;
    for (let field = 0; field < texts.length && best === undefined; field++) {
      for (const text of texts[field] ?? []) {
        let decision = matcher.begin(text);
        while (decision === 'paused') {
          yield;
          decision = matcher.resume();
        }
        if (decision === 'no-match') continue;
        let covered = matcher.covered();
        while (covered === 'paused') {
          yield;
          covered = matcher.covered();
        }
        const match = { tool, pattern: query, field, text, covered, length: codePointLength(text) };
        if (best === undefined || coverage(match) > coverage(best)) best = match;
      }
    }
    if (best !== undefined) ranking.add(best);
    yield;
  }
  return ranking;
}

/** Limits on the steps that one pattern may take in a catalog. A step is about one character examined. */
export interface StepLimits {
  /**
   * Steps for all texts together, in addition to those for each character.
   * @default 100_000_000
   */
  readonly budget?: number;
  /**
   * Steps that every character searched adds to the budget: a pattern that needs no more than this per character finishes, however
   * large the catalog is.
   * @default 32
   */
  readonly stepsPerCharacter?: number;
  /**
   * Steps for one text. A pattern with exponential growth reaches this long before the budget, on the first text that triggers it.
   * @default 10_000_000
   */
  readonly textBudget?: number;
}

export const STEP_LIMITS = { budget: 100_000_000, stepsPerCharacter: 32, textBudget: 10_000_000 } as const;

/**
 * A matcher that keeps to its limits over many texts. How many steps are counted depends on the pattern and the texts
 * only, never on where a caller pauses, so that the same search ends the same way every time.
 *
 * Deciding n characters takes at most `budget` + `stepsPerCharacter` · n steps, and telling how much of the texts is
 * covered at most as many again. With the defaults and 10,000 tools of 500 characters that is 260 million steps each,
 * and the backtracking machine takes some 60 to 100 million a second: five seconds, or ten where both are used up.
 * Work that grows exponentially ends much sooner, by `textBudget`: after a fifth of a second.
 */
interface MeteredMatcher {
  /** Whether the text matches, or `paused`: call `resume` to continue. Throws `out_of_budget`. */
  begin(text: string): MeteredDecision;
  resume(): MeteredDecision;
  /**
   * How many code points the match covers in the text that matched; undefined if finding out takes too long, or if earlier texts have
   * used up the budget for it. Call again if it is `paused`.
   */
  covered(): number | 'paused' | undefined;
}

type MeteredDecision = 'match' | 'no-match' | 'paused';

/** The maximum number of steps between two pauses: a millisecond or two while the runtime has not optimised the engine yet. */
const STEPS_BETWEEN_PAUSES = 1_000;

export function meteredMatcher(query: string, matcher: Matcher, limits: Required<StepLimits>): MeteredMatcher {
  const { budget, stepsPerCharacter, textBudget } = limits;
  const meter = { left: STEPS_BETWEEN_PAUSES };
  const spanMeter = { left: 0 };
  /** How many steps all texts so far may take together, and how many they took. */
  let allowed = budget;
  let taken = 0;
  let textEnd = 0;

  function advance(): MeteredDecision {
    if (meter.left <= 0) return 'paused';
    const before = meter.left;
    const decision = matcher.advance(meter);
    taken += before - meter.left;
    if (decision === 'match' || decision === 'no-match') return decision;
    if (taken >= textEnd || decision === 'out-of-budget') throw outOfBudget(query, textBudget, 'on one text');
    if (taken >= allowed) throw outOfBudget(query, allowed, 'on the texts of this catalog');
    return 'paused';
  }

  return {
    begin(text) {
      allowed += stepsPerCharacter * text.length;
      textEnd = taken + textBudget;
      matcher.begin(text);
      return advance();
    },
    resume() {
      meter.left = STEPS_BETWEEN_PAUSES;
      return advance();
    },
    covered() {
      if (-spanMeter.left >= allowed) return undefined;
      const span = matcher.span(spanMeter);
      if (span === 'paused') return 'paused';
      return span.exact ? span.end - span.start : undefined;
    },
  };
}

/** The fields that a pattern is tried on, best first. */
export const FIELDS = ['name', 'description', 'parameter name', 'parameter description'] as const;

/** The texts in each field of one tool, in the order of `FIELDS`. A pattern never matches across two strings. */
type FieldTexts = readonly (readonly string[])[];

interface SearchableFields {
  /** Read on first use, and then kept. */
  of(tool: Tool): FieldTexts;
  /** About how many bytes are kept so far; the texts themselves are the tools'. */
  byteLength(): number;
}

export function searchableFields(
  snapshot: Snapshot,
  textOf: (tool: Tool) => SearchText = searchText,
): SearchableFields {
  const known = new Map<string, FieldTexts>();
  let bytes = 0;
  // A snapshot makes all names when the first is requested: that happens here, not in the first slice of the first search.
  const [first] = snapshot.tools;
  if (first !== undefined) snapshot.modelName(first);
  return {
    of(tool) {
      let fields = known.get(tool.id);
      if (fields === undefined) {
        fields = readFields(snapshot, tool, textOf(tool));
        known.set(tool.id, fields);
        bytes += TOOL_BYTES + TEXT_BYTES * fields.reduce((sum, texts) => sum + texts.length, 0);
      }
      return fields;
    },
    byteLength: () => bytes,
  };
}

/** The memory of a tool's entry in the map and its lists, and of a text's entry in a list. */
const TOOL_BYTES = 256;
const TEXT_BYTES = 8;

/** A tool has two names: the one that a model sees, and the one that its owner wrote. */
function readFields(snapshot: Snapshot, tool: Tool, text: SearchText): FieldTexts {
  const modelName = snapshot.modelName(tool);
  return [
    modelName === tool.name ? [tool.name] : [modelName, tool.name],
    [text.description],
    text.parameterNames,
    text.parameterDescriptions,
  ];
}
