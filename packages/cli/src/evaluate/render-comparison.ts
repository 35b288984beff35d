import { columnsOf, oneLine, renderTable, right } from '../terminal/index.ts';
import type { Estimate } from './estimate.ts';
import { METRIC_TITLES, type Summary } from './summarise-outcomes.ts';

/** Engines side by side: their results on the same queries. */
export interface Comparison {
  readonly engines: readonly string[];
  readonly rows: readonly ComparedRow[];
}

/** One row of a comparison of engines. */
export interface ComparedRow {
  /** The set, split or stratum. */
  readonly label: string;
  /** One for each engine, in their order; all for the same queries. */
  readonly summaries: readonly ComparedSummary[];
}

/** The part of a summary that is compared. An average over sets has only scores. */
export type ComparedSummary = Pick<Summary, 'scores'> & Partial<Summary>;

/** What is compared and drawn. */
export const COMPARED_METRICS = ['hit1', 'hit5', 'recall5'] as const;

/** Labels come from a file of queries; longer ones are cut in tables. */
export const LABEL_CHARACTERS = 40;

/**
 * A table per figure, with the engines as columns; then what is refused, rightly and wrongly, and what a search costs.
 * @param width columns; a table that does not fit has no intervals
 */
export function renderComparison({ engines, rows }: Comparison, width: number = Number.POSITIVE_INFINITY): string {
  const renderFigure = (...figure: Parameters<typeof figureOf>): string => fitting(figureOf(...figure), width);
  const scored = rows.filter(({ summaries }) => summaries[0]?.queries !== 0);
  const parts = COMPARED_METRICS.map((metric) =>
    renderFigure(METRIC_TITLES[metric], engines, scored, ({ scores }, percent) => percent(scores[metric])),
  );
  const counted = scored.filter(({ summaries }) => summaries[0]?.rightLost !== undefined);
  parts.push(
    renderFigure('right answers refused', engines, counted, ({ rightLost }, percent) => percent(rightLost)),
    renderTimes({ engines, rows: counted }, width),
  );
  const refusable = rows.filter(({ summaries }) => (summaries[0]?.unanswerable?.queries ?? 0) > 0);
  if (refusable.length > 0) {
    const refusals = refusable.map(({ label, summaries }) => ({
      label,
      summaries: summaries.map((summary) => ({ ...summary, queries: summary.unanswerable?.queries ?? 0 })),
    }));
    parts.push(
      renderFigure('nothing fits: refused', engines, refusals, ({ unanswerable }, percent) => {
        return percent(unanswerable?.refused);
      }),
    );
  }
  return parts.join('\n\n');
}

/** `63.1 (60.7–65.4)`: the mean and the ends of its interval in percent, which never leave 0 to 100. */
export function renderPercent(estimate: Estimate | undefined): string {
  if (estimate === undefined || Number.isNaN(estimate.mean)) return '–';
  const { mean, low, high } = estimate;
  const percent = (value: number): string => (Math.min(1, Math.max(0, value)) * 100).toFixed(1);
  return `${percent(mean)} (${percent(low)}–${percent(high)})`;
}

/** Without the interval, for a terminal that has no room for it. */
function renderMean(estimate: Estimate | undefined): string {
  return renderPercent(estimate).replace(/ \(.*/, '');
}

/** A table with intervals if it fits the width, otherwise without. */
export function fitting(render: (percent: RenderEstimate) => string, width: number): string {
  const table = render(renderPercent);
  return fits(table, width) ? table : render(renderMean);
}

function fits(table: string, width: number): boolean {
  return table.split('\n').every((line) => columnsOf(line) <= width);
}

function renderTimes({ engines, rows }: Comparison, width: number): string {
  const render = (title: string, ...percentiles: readonly ('p50' | 'p99')[]): string =>
    figureOf(title, engines, rows, ({ latencyMs }) =>
      latencyMs === undefined ? '' : percentiles.map((one) => latencyMs[one].toFixed(2)).join(', '),
    )(renderPercent);
  const both = render('p50, p99 in ms', 'p50', 'p99');
  return fits(both, width) ? both : render('p50 in ms', 'p50');
}

export type RenderEstimate = (estimate: Estimate | undefined) => string;

function figureOf(
  title: string,
  engines: readonly string[],
  rows: readonly ComparedRow[],
  cell: (summary: ComparedSummary, percent: RenderEstimate) => string,
): (percent: RenderEstimate) => string {
  return (percent) =>
    renderTable(
      [title, right('queries'), ...engines.map(right)],
      rows.map(({ label, summaries }) => [
        oneLine(label, LABEL_CHARACTERS),
        summaries[0]?.queries?.toLocaleString('en-US') ?? '',
        ...summaries.map((summary) => cell(summary, percent)),
      ]),
    );
}
