import type { SearchText, Snapshot, Tool } from '../../catalog/index.ts';
import { QUERY_LIMITS, resolveLimit } from '../query/index.ts';
import type { Searcher, SearchRequest, Standing } from '../searcher.ts';
import { compileInSteps, type Matcher, outOfBudget } from './compile-pattern.ts';
import { codePointLength } from './pattern-source.ts';
import { coverage, interleave, type RankedMatch, rankMatches, type ToolMatch } from './rank-matches.ts';
import { type FieldTexts, searchableFields } from './searchable-fields.ts';
import { macrotaskPause, type Pause, type SliceClock, sliceClock } from './slice-clock.ts';

export interface RegexSearcherOptions {
  /**
   * Steps that one pattern may take to find its tools in the whole catalog; a step is about a character looked at.
   * @default 100_000_000
   */
  readonly budget?: number;
  /**
   * Steps between two pauses: how long other work may have to wait.
   * @default 100_000
   */
  readonly sliceSteps?: number;
  /** Lets other work run between two slices. @default a turn of the event loop */
  readonly pause?: Pause;
  /** What a tool is found by. @default the catalog's `searchText` */
  readonly textOf?: (tool: Tool) => SearchText;
}

export const REGEX_SEARCH_DEFAULTS = { budget: 100_000_000, sliceSteps: 100_000 } as const;

/**
 * Finds tools by a pattern of Python's `re`, case-sensitive unless the pattern says otherwise. Names come first, then
 * descriptions, parameter names and parameter descriptions; within a field, the match that covers more of it.
 */
export function createRegexSearcher(snapshot: Snapshot, options: RegexSearcherOptions = {}): Searcher {
  const { budget, sliceSteps } = { ...REGEX_SEARCH_DEFAULTS, ...options };
  const fields = searchableFields(snapshot, options.textOf);

  async function findMatches({ query, matcher, tools, clock }: Scan): Promise<ToolMatch[]> {
    const matches: ToolMatch[] = [];
    for (const tool of tools) {
      clock.meter.left -= fields.has(tool) ? STEPS_PER_TOOL : STEPS_TO_READ;
      const texts = fields.of(tool);
      const pending = bestMatch({ tool, query, texts, matcher, clock, tooMuch: () => outOfBudget(query, budget) });
      const match = pending instanceof Promise ? await pending : pending;
      if (match !== undefined) matches.push(match);
      if (clock.meter.left <= 0) await clock.renew();
    }
    return matches;
  }

  /** All that match, in order. */
  async function rank(request: SearchRequest): Promise<readonly RankedMatch[]> {
    const { signal, allow } = request;
    signal?.throwIfAborted();
    const queries = listQueries(request);
    const tools = allow === undefined ? snapshot.tools : snapshot.tools.filter((tool) => allow(tool));
    const own = options.pause === undefined ? macrotaskPause() : undefined;
    const pause = options.pause ?? own?.pause ?? (() => Promise.resolve());
    try {
      const lists: RankedMatch[][] = [];
      for (const query of queries) {
        const matcher = await compileWithPauses(query, pause, signal);
        const clock = sliceClock({
          budget,
          sliceSteps: matcher.engine === 'backtracking' ? sliceSteps / BACKTRACKING_SLOWNESS : sliceSteps,
          pause,
          signal,
          outOfBudget: () => outOfBudget(query, budget),
        });
        lists.push(rankMatches(await findMatches({ query, matcher, tools, clock })));
      }
      return interleave(lists);
    } finally {
      own?.close();
    }
  }

  return {
    engine: 'regex',
    async search(request) {
      const limit = resolveLimit(request.limit);
      const ranked = await rank(request);
      const hits = ranked
        .slice(0, limit)
        .map(({ tool, score, explain }) =>
          request.explain === true ? { tool, score, explanation: explain() } : { tool, score },
        );
      return { hits, verdict: hits.length > 0 ? 'match' : 'none' };
    },
    async explain(request, tool): Promise<Standing> {
      const limit = resolveLimit(request.limit);
      const own = snapshot.get(tool.id);
      if (own === undefined) return { kind: 'not-in-catalog' };
      if (request.allow !== undefined && !request.allow(own)) return { kind: 'not-allowed' };
      const ranked = await rank(request);
      const index = ranked.findIndex((match) => match.tool.id === tool.id);
      const found = ranked[index];
      if (found === undefined) return { kind: 'not-matched', reason: notMatched(request, tool) };
      const kind = index < limit ? 'listed' : 'below-limit';
      return { kind, rank: index + 1, explanation: found.explain() };
    },
  };
}

/** What work besides matching counts for, from how long it takes: reading a tool's fields, coming back to them, each string. */
const STEPS_TO_READ = 2_000;
const STEPS_PER_TOOL = 20;
const STEPS_PER_STRING = 10;

/** How much longer a step of the backtracking machine takes than one of an automaton: 4 times, and more before it is optimised. */
const BACKTRACKING_SLOWNESS = 8;

/** How many ranges of character sets are looked at between two pauses: a few milliseconds' work. */
const RANGES_PER_SLICE = 8_000;

/** Compiles a pattern with pauses, where its sets are large: between them, before they are divided into classes, and after. */
async function compileWithPauses(query: string, pause: Pause, signal: AbortSignal | undefined): Promise<Matcher> {
  const compiling = compileInSteps(query);
  let ranges = 0;
  let next = RANGES_PER_SLICE;
  let step = compiling.next();
  for (; step.done !== true; step = compiling.next()) {
    ranges += step.value;
    if (ranges < next) continue;
    next = ranges + RANGES_PER_SLICE;
    await pause();
    signal?.throwIfAborted();
  }
  const isLarge = ranges >= RANGES_PER_SLICE;
  if (isLarge) await pause();
  const matcher = step.value.matcher();
  if (isLarge) await pause();
  return matcher;
}

/** One pattern over all tools. */
interface Scan {
  readonly query: string;
  readonly matcher: Matcher;
  readonly tools: readonly Tool[];
  readonly clock: SliceClock;
}

/** One pattern on one tool. */
interface Attempt {
  readonly tool: Tool;
  readonly query: string;
  readonly texts: FieldTexts;
  readonly matcher: Matcher;
  readonly clock: SliceClock;
  readonly tooMuch: () => Error;
}

/**
 * The best field in which a tool matches. Answers at once unless the slice ends in the middle: most tools need no promise.
 */
function bestMatch(attempt: Attempt): ToolMatch | undefined | Promise<ToolMatch | undefined> {
  return resumeMatch(attempt, { field: 0, index: 0, best: undefined });
}

interface Progress {
  field: number;
  index: number;
  best: ToolMatch | undefined;
}

function resumeMatch(attempt: Attempt, progress: Progress): ToolMatch | undefined | Promise<ToolMatch | undefined> {
  const { texts, matcher, clock } = attempt;
  for (; progress.field < texts.length && progress.best === undefined; progress.field++) {
    const strings = texts[progress.field] ?? [];
    for (; progress.index < strings.length; progress.index++) {
      const text = strings[progress.index] ?? '';
      clock.meter.left -= STEPS_PER_STRING;
      matcher.begin(text);
      const decision = matcher.advance(clock.meter);
      const isTaken =
        decision !== 'paused' && clock.meter.left > 0 && takeDecision(attempt, progress, { text, decision });
      if (!isTaken) return finishLater(attempt, progress, { text, decision });
    }
    progress.index = 0;
  }
  return progress.best;
}

interface Decided {
  readonly text: string;
  readonly decision: ReturnType<Matcher['advance']>;
}

async function finishLater(attempt: Attempt, progress: Progress, first: Decided): Promise<ToolMatch | undefined> {
  const { matcher, clock } = attempt;
  const { text } = first;
  let { decision } = first;
  while (decision === 'paused') {
    await clock.renew();
    decision = matcher.advance(clock.meter);
  }
  while (!takeDecision(attempt, progress, { text, decision })) await clock.renew();
  if (clock.meter.left <= 0) await clock.renew();
  progress.index++;
  return resumeMatch(attempt, progress);
}

/** Keeps the match if it covers more than the one before it in the same field. False for a pause: call again to go on. */
function takeDecision(attempt: Attempt, progress: Progress, { text, decision }: Decided): boolean {
  if (decision === 'out-of-budget') throw attempt.tooMuch();
  if (decision !== 'match') return true;
  const meter = { left: 0 };
  const span = attempt.matcher.span(meter);
  attempt.clock.lend(-meter.left * BACKTRACKING_SLOWNESS);
  if (span === 'paused') return false;
  const match = {
    tool: attempt.tool,
    pattern: attempt.query,
    field: progress.field,
    text,
    covered: span.exact ? span.end - span.start : undefined,
    length: codePointLength(text),
  };
  if (progress.best === undefined || coverage(match) > coverage(progress.best)) progress.best = match;
  return true;
}

function listQueries({ query }: SearchRequest): readonly string[] {
  const queries = typeof query === 'string' ? [query] : query;
  return queries.slice(0, QUERY_LIMITS.queries).filter((each) => each !== '');
}

function notMatched(request: SearchRequest, tool: Tool): string {
  const queries = listQueries(request);
  if (queries.length === 0) return 'The query is empty';
  const patterns = queries.map((query) => JSON.stringify(query)).join(' or ');
  return `Neither the name nor the description nor a parameter of "${tool.id}" matches ${patterns}`;
}
