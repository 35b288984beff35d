import { count, counted, oneLine, renderTable, right, wrap } from '../terminal/index.ts';
import { fitting, LABEL_CHARACTERS, type RenderEstimate, renderPercent } from './render-comparison.ts';
import { METRIC_TITLES, METRICS, type Report, type Summary } from './summarise-outcomes.ts';

/**
 * A report as tables: the scores of all queries and of each split, then what one search costs.
 * @param width columns; a table that does not fit has no intervals
 */
export function renderReport(report: Report, width: number = Number.POSITIVE_INFINITY): string {
  const rows = [['all', report.all] as const, ...Object.entries(report.splits)].map(
    ([split, summary]) => [oneLine(split, LABEL_CHARACTERS), summary] as const,
  );
  const scored = rows.filter(([, summary]) => summary.queries > 0);
  const parts: string[] = [];
  if (scored.length > 0) parts.push(fitting((percent) => renderScores(scored, percent), width));
  const refusable = rows.filter(([, summary]) => summary.unanswerable.queries > 0);
  if (refusable.length > 0) parts.push(renderRefusals(refusable));
  parts.push(renderCosts(report.all, width));
  return parts.join('\n\n');
}

function renderScores(rows: readonly (readonly [string, Summary])[], percent: RenderEstimate): string {
  const figures = ['queries', ...METRICS.map((metric) => METRIC_TITLES[metric]), 'refused', 'overlap'];
  const cells = rows.map(([split, summary]) => [
    split,
    count(summary.queries),
    ...METRICS.map((metric) => percent(summary.scores[metric])),
    percent(summary.wronglyRefused),
    `${(summary.overlap * 100).toFixed(0)}%`,
  ]);
  return renderTable(['split', ...figures.map(right)], cells);
}

function renderRefusals(rows: readonly (readonly [string, Summary])[]): string {
  return renderTable(
    ['nothing fits', right('queries'), right('refused')],
    rows.map(([split, { unanswerable }]) => [split, count(unanswerable.queries), renderPercent(unanswerable.refused)]),
  );
}

function renderCosts(summary: Summary, width: number): string {
  const lines = [
    `One search takes ${summary.latencyMs.p50.toFixed(2)} ms (p50), ${summary.latencyMs.p99.toFixed(2)} ms (p99).`,
    'Percent with 95% intervals, if the terminal is wide enough: Wilson for hits and refusals, bootstrap (1,000 resamples, fixed seed) for the rest, Wilson again where all values are the same.',
  ];
  if (summary.queries > 0) {
    lines.splice(
      1,
      0,
      `An answer of five tools has ${count(Math.round(summary.answerTokens))} tokens of definitions (characters / 4).`,
    );
  }
  return [...lines, ...renderCaveats([{ all: summary }])].map((line) => wrap(line, Math.min(width, 120))).join('\n');
}

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
