import { counted } from '../terminal/index.ts';
import type { Summary } from './summarise-outcomes.ts';

/** What was measured; engines are named if there are several. */
interface Measured {
  readonly engine?: string;
  readonly all: Pick<Summary, 'invalidQueries' | 'unknownRelevant'>;
}

/** What the figures alone don't show, one sentence each: queries that an engine rejected, and labels that match no tool. */
export function renderCaveats(reports: readonly Measured[]): readonly string[] {
  const malformed = reports
    .filter(({ all }) => all.invalidQueries > 0)
    .map(({ engine, all: { invalidQueries } }) => {
      const queries = counted(invalidQueries, 'query', 'queries');
      const [were, count] = invalidQueries === 1 ? ['was', 'counts'] : ['were', 'count'];
      const by = engine === undefined ? 'the engine' : `the engine ${engine}`;
      return `${queries} ${were} refused by ${by} as malformed and ${count} as nothing found.`;
    });
  // The labels are the same for every engine.
  const unknown = reports[0]?.all.unknownRelevant ?? 0;
  if (unknown === 0) return malformed;
  const what = unknown === 1 ? 'is not in the catalog and counts' : 'are not in the catalog and count';
  return [...malformed, `${counted(unknown, 'relevant tool')} ${what} as not found.`];
}
