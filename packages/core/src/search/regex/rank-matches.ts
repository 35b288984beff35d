import { addToList } from '../../add-to-list.ts';
import type { Tool } from '../../catalog/index.ts';
import { type Explanation, explained } from '../searcher.ts';
import { FIELDS } from './find-matches.ts';

/** The place where a pattern matches a tool best. */
export interface ToolMatch {
  readonly tool: Tool;
  readonly pattern: string;
  /** An index into `FIELDS`. */
  readonly field: number;
  /** The string that matches, and how many of its code points do; undefined if finding that took too long. */
  readonly text: string;
  readonly covered: number | undefined;
  readonly length: number;
}

export interface RankedMatch {
  readonly tool: Tool;
  readonly score: number;
  /** Created on demand: most matches are never explained. */
  explain(): Explanation;
}

/** The share of its string that a match covers, 0 to 1; 0 if it isn't known. */
export function coverage({ covered, length }: Pick<ToolMatch, 'covered' | 'length'>): number {
  return length === 0 || covered === undefined ? 0 : covered / length;
}

/** The matches of one pattern, to be added in catalog order. */
export interface MatchRanking {
  add(match: ToolMatch): void;
  /** Best first: by field, then by the share covered, which is the order of the scores; equals stay in catalog order. */
  inOrder(): Generator<RankedMatch>;
}

/** Matches are sorted into places as they are added, so that little is left to do at the end, where nothing can pause. */
export function matchRanking(): MatchRanking {
  const places = new Map<number, ToolMatch[]>();
  return {
    add: (match) => void addToList(places, scoreOf(match), match),
    inOrder: () => walkPlaces(Float64Array.from(places.keys()).sort().reverse(), places),
  };
}

function* walkPlaces(scores: Float64Array, places: ReadonlyMap<number, readonly ToolMatch[]>): Generator<RankedMatch> {
  for (const score of scores) {
    for (const match of places.get(score) ?? []) yield { tool: match.tool, score, explain: () => explainMatch(match) };
  }
}

/** Serves each list in turn. A tool takes the first position that it gets; its score is 1 / position. */
export function* interleave(lists: readonly Generator<RankedMatch>[]): Generator<RankedMatch> {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) {
    yield* only;
    return;
  }
  const served = new Set<string>();
  let pending = lists;
  while (pending.length > 0) {
    const unfinished: Generator<RankedMatch>[] = [];
    for (const list of pending) {
      const { value: match, done } = list.next();
      if (done === true) continue;
      unfinished.push(list);
      if (served.has(match.tool.id)) continue;
      served.add(match.tool.id);
      yield inTurn(match, served.size, lists.length);
    }
    pending = unfinished;
  }
}

function inTurn(match: RankedMatch, place: number, patterns: number): RankedMatch {
  const score = 1 / place;
  const what = `place ${place} in a list that serves ${patterns} patterns in turn`;
  return { tool: match.tool, score, explain: () => explained(score, what, [match.explain()]) };
}

/** 4 for the name, 3 for the description, 2 or 1 for a parameter's, plus half the share covered. */
function scoreOf(match: ToolMatch): number {
  return FIELDS.length - match.field + coverage(match) / 2;
}

function explainMatch(match: ToolMatch): Explanation {
  const field = FIELDS[match.field] ?? FIELDS[0];
  const weight = FIELDS.length - match.field;
  const share = coverage(match) / 2;
  return explained(scoreOf(match), `pattern ${JSON.stringify(match.pattern)} in ${field} ${quoteText(match.text)}`, [
    explained(weight, `weight of a ${field}`),
    explained(share, describeShare(match)),
  ]);
}

function describeShare({ covered, length }: ToolMatch): string {
  if (covered === undefined) return 'share covered not found within its budget';
  return `half of the share covered, ${covered} of ${length} characters`;
}

/** Long descriptions are cut, so that an explanation stays readable. */
function quoteText(text: string): string {
  const characters = Array.from(text.slice(0, 2 * LONGEST_QUOTE));
  return JSON.stringify(characters.length <= LONGEST_QUOTE ? text : `${characters.slice(0, LONGEST_QUOTE).join('')}…`);
}

const LONGEST_QUOTE = 80;
