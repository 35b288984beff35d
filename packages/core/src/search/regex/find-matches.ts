import type { Tool } from '../../catalog/index.ts';
import type { MeteredMatcher } from './metered-matcher.ts';
import { codePointLength } from './parse/pattern-source.ts';
import { coverage, type MatchRanking, matchRanking, type ToolMatch } from './rank-matches.ts';
import type { SearchableFields } from './searchable-fields.ts';

/** One pattern over many tools. */
export interface Scan {
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
