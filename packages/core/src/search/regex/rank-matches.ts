import type { Tool } from '../../catalog/index.ts';
import type { Explanation } from '../searcher.ts';
import { FIELDS } from './searchable-fields.ts';

/** Where a pattern matches a tool best. */
export interface ToolMatch {
  readonly tool: Tool;
  readonly pattern: string;
  /** An index into `FIELDS`. */
  readonly field: number;
  /** The string that matches, and how much of it does, in code points; undefined where finding that took too long. */
  readonly text: string;
  readonly covered: number | undefined;
  readonly length: number;
}

export interface RankedMatch {
  readonly tool: Tool;
  readonly score: number;
  /** Made when asked for: most of what matches is never explained. */
  explain(): Explanation;
}

/** The share of its string that a match covers, 0 to 1; 0 where it isn't known. */
export function coverage({ covered, length }: Pick<ToolMatch, 'covered' | 'length'>): number {
  return length === 0 || covered === undefined ? 0 : covered / length;
}

/** Best first: by field, then by the share covered; equals stay in catalog order. */
export function rankMatches(matches: readonly ToolMatch[]): RankedMatch[] {
  return matches
    .toSorted((left, right) => left.field - right.field || coverage(right) - coverage(left))
    .map((match) => ({ tool: match.tool, score: scoreOf(match), explain: () => explainMatch(match) }));
}

/** Serves each list in turn. A tool stands where it comes first; the score is one over its place. */
export function interleave(lists: readonly (readonly RankedMatch[])[]): readonly RankedMatch[] {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  const merged = new Map<string, RankedMatch>();
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let place = 0; place < longest; place++) {
    for (const list of lists) {
      const match = list[place];
      if (match === undefined || merged.has(match.tool.id)) continue;
      const score = 1 / (merged.size + 1);
      const what = `place ${merged.size + 1} in a list that serves ${lists.length} patterns in turn`;
      const explain = (): Explanation => ({ value: score, what, details: [match.explain()] });
      merged.set(match.tool.id, { tool: match.tool, score, explain });
    }
  }
  return [...merged.values()];
}

/** 4 for the name, 3 for the description, 2 or 1 for a parameter's, plus half the share covered. */
function scoreOf(match: ToolMatch): number {
  return FIELDS.length - match.field + coverage(match) / 2;
}

function explainMatch(match: ToolMatch): Explanation {
  const field = FIELDS[match.field] ?? FIELDS[0];
  const weight = FIELDS.length - match.field;
  const share = coverage(match) / 2;
  return {
    value: scoreOf(match),
    what: `pattern ${JSON.stringify(match.pattern)} in ${field} ${quoteText(match.text)}`,
    details: [
      { value: weight, what: `weight of a ${field}`, details: [] },
      { value: share, what: describeShare(match), details: [] },
    ],
  };
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
