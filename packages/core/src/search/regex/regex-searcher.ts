import type { SearchText, Snapshot, Tool } from '../../catalog/index.ts';
import { checkOptionNames } from '../../check-option-names.ts';
import { runInSlices, SLICE_DEFAULTS, type SliceOptions } from '../../slices.ts';
import { queriesOf, resolveLimit, unaskedQueries } from '../query/read-request.ts';
import type { Searcher, SearchRequest, Standing } from '../searcher.ts';
import { compileInSteps } from './compile-pattern.ts';
import { findMatches, meteredMatcher, STEP_LIMITS, type StepLimits, searchableFields } from './find-matches.ts';
import { interleave, type RankedMatch } from './rank-matches.ts';
import { loadCharacterNames } from './unicode/character-names.ts';

/**
 * Other work waits for one slice, plus what can't be interrupted (a few milliseconds at first) and the runtime's garbage collection.
 */
export interface RegexSearcherOptions extends StepLimits, Omit<SliceOptions, 'signal'> {
  /** What a tool is found by. @default the catalog's `searchText` */
  readonly textOf?: (tool: Tool) => SearchText;
}

/** How long a regex search may take, unless the options say otherwise. */
export const REGEX_SEARCH_DEFAULTS: Required<StepLimits> & { readonly sliceMs: number } = {
  ...STEP_LIMITS,
  sliceMs: SLICE_DEFAULTS.sliceMs,
};

/**
 * Finds tools by a pattern of Python's `re`, case-sensitive unless the pattern says otherwise. Names come first, then
 * descriptions, parameter names and parameter descriptions; within a field, the match that covers more of it.
 *
 * All of a search is a generator that yields wherever it may pause, from reading the pattern to ranking what it found:
 * no pattern and no catalog holds up other work for much longer than a slice.
 */
export function createRegexSearcher(snapshot: Snapshot, options: RegexSearcherOptions = {}): Searcher {
  checkOptionNames('createRegexSearcher', options, 'textOf now pause', REGEX_SEARCH_DEFAULTS);
  const settings = { ...REGEX_SEARCH_DEFAULTS, ...options };
  const fields = searchableFields(snapshot, options.textOf);

  function* allowedTools({ allow }: SearchRequest): Generator<void, readonly Tool[]> {
    if (allow === undefined) return snapshot.tools;
    const tools: Tool[] = [];
    for (const tool of snapshot.tools) {
      if (allow(tool)) tools.push(tool);
      yield;
    }
    return tools;
  }

  /** All that match, in order. */
  function* rank(request: SearchRequest): Generator<void, Generator<RankedMatch>> {
    const tools = yield* allowedTools(request);
    const lists: Generator<RankedMatch>[] = [];
    for (const query of listQueries(request)) {
      const pattern = yield* compileInSteps(query);
      const matcher = meteredMatcher(query, yield* pattern.matcherInSteps(), settings);
      const ranking = yield* findMatches({ query, matcher, tools, fields });
      lists.push(ranking.inOrder());
      yield;
    }
    return interleave(lists);
  }

  async function inSlices<Result>(steps: Generator<void, Result>, request: SearchRequest): Promise<Result> {
    if (listQueries(request).some((query) => query.includes('\\N'))) await loadCharacterNames();
    return runInSlices(steps, { ...settings, signal: request.signal });
  }

  function* bestMatches(request: SearchRequest, limit: number): Generator<void, readonly RankedMatch[]> {
    const best: RankedMatch[] = [];
    for (const match of yield* rank(request)) {
      best.push(match);
      if (best.length === limit) break;
    }
    return best;
  }

  /** A tool's rank among all that match; undefined if it doesn't. */
  function* placeOf(request: SearchRequest, id: string): Generator<void, Place | undefined> {
    let place = 0;
    for (const match of yield* rank(request)) {
      place++;
      if (match.tool.id === id) return { place, match };
      yield;
    }
    return undefined;
  }

  return {
    engine: 'regex',
    async search(request) {
      const matches = await inSlices(bestMatches(request, resolveLimit(request.limit)), request);
      const hits = matches.map(({ tool, score, explain }) =>
        request.explain === true ? { tool, score, explanation: explain() } : { tool, score },
      );
      return { hits, verdict: hits.length > 0 ? 'match' : 'none', ...unaskedQueries(request.query) };
    },
    async explain(request, tool): Promise<Standing> {
      const limit = resolveLimit(request.limit);
      const own = snapshot.get(tool.id);
      if (own === undefined) return { kind: 'not-in-catalog' };
      if (request.allow !== undefined && !request.allow(own)) return { kind: 'not-allowed' };
      const found = await inSlices(placeOf(request, tool.id), request);
      if (found === undefined) return { kind: 'not-matched', reason: notMatched(request, tool) };
      const kind = found.place <= limit ? 'listed' : 'below-limit';
      return { kind, rank: found.place, explanation: found.match.explain() };
    },
    byteLength: () => fields.byteLength(),
  };
}

interface Place {
  readonly place: number;
  readonly match: RankedMatch;
}

function listQueries(request: SearchRequest): readonly string[] {
  return queriesOf(request).filter((query) => query !== '');
}

function notMatched(request: SearchRequest, tool: Tool): string {
  const queries = listQueries(request);
  if (queries.length === 0) return 'The query is empty';
  const patterns = queries.map((query) => JSON.stringify(query)).join(' or ');
  return `Neither the name nor the description nor a parameter of "${tool.id}" matches ${patterns}`;
}
