import { averageEstimates, METRIC_TITLES, METRICS, renderComparison, renderTable } from 'quartermaster';
import { HEADLINES } from './data-sets.mjs';

/** All engines side by side, what each refuses where nothing fits, and then each with all of its figures. */
export function renderMeasured(measured) {
  const parts = [
    renderHeadlines(measured),
    renderComparison(compareMeasured(measured)),
    renderRefusals(measured),
    renderBySize(measured),
    renderReliability(measured),
    ...measured.map(renderEngine),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n\n${FOOTNOTES}`;
}

/** The reported rows of all engines, and their average last. */
export function compareMeasured(measured) {
  const [first] = measured;
  const reported = measured.map(({ rows }) => rows.filter((row) => row.isReported));
  const rows = first.rows
    .filter((row) => row.isReported)
    .map((row, at) => ({ label: labelOf(row), summaries: reported.map((own) => own[at].summary) }));
  return {
    engines: measured.map(({ engine }) => engine),
    rows: [...rows, { label: 'macro average', summaries: measured.map(({ macro }) => ({ scores: macro.scores })) }],
  };
}

/** The known sets, each by its own figure, and their average; nothing where a folder has not all of them. */
function renderHeadlines(measured) {
  const estimatesOf = ({ rows }) =>
    Object.entries(HEADLINES).flatMap(([set, metric]) => {
      const row = rows.find((candidate) => candidate.set === set && candidate.isReported);
      return row === undefined ? [] : [row.summary.scores[metric]];
    });
  const estimates = measured.map(estimatesOf);
  if (estimates.some((own) => own.length < Object.keys(HEADLINES).length)) return '';
  const engines = measured.map(({ engine }) => ({ title: engine, align: 'right' }));
  const rows = Object.entries(HEADLINES).map(([set, metric], at) => [
    set,
    METRIC_TITLES[metric],
    ...estimates.map((own) => percent(own[at])),
  ]);
  return renderTable(
    [{ title: 'in short' }, { title: 'figure' }, ...engines],
    [...rows, ['average', '', ...estimates.map((own) => percent(averageEstimates(own)))]],
  );
}

function labelOf({ set, split }) {
  if (split === 'all') return set;
  return set === 'sample catalog' ? split : `${set} ${split}`;
}

function renderRefusals(measured) {
  const [first] = measured;
  if (first.refusals.pairs.length === 0) return '';
  const engines = measured.map(({ engine }) => ({ title: engine, align: 'right' }));
  const table = (title, cell) =>
    renderTable(
      [{ title }, { title: 'queries', align: 'right' }, ...engines],
      first.refusals.pairs.map(({ name, queries }, at) => [
        name,
        String(queries),
        ...measured.map(({ refusals }) => cell(refusals.pairs[at])),
      ]),
    );
  const lost = measured.map(({ refusals }) => percent(refusals.rightLost));
  const least = measured.map(({ refusals }) => refusals.leastConfidence?.toFixed(3) ?? '–');
  return [
    table('nothing fits: refused as set', ({ refused }) => percent(refused)),
    table('refused at 1% of right answers lost', ({ refusedAtLoss }) => percent(refusedAtLoss)),
    renderTable(
      [{ title: 'on the calibration sets' }, ...engines],
      [
        ['right answers lost as set', ...lost],
        ['confidence at 1% lost', ...least],
      ],
    ),
  ].join('\n\n');
}

/** What is refused in catalogs of several sizes where a request's service was taken out, and what is lost where it was not. */
function renderBySize(measured) {
  const judging = measured.filter(({ bySize }) => bySize !== undefined);
  if (judging.length === 0) return '';
  const columns = judging.map(({ engine }) => ({
    title: `${engine}: lost, refused, refused at 1% lost`,
    align: 'right',
  }));
  const rows = judging[0].bySize.map(({ name, queries }, at) => [
    name,
    String(queries),
    ...judging.map(({ bySize }) => {
      const { rightLost, refused, refusedAtLoss } = bySize[at];
      return [rightLost, refused, refusedAtLoss].map(percent).join(', ');
    }),
  ]);
  return renderTable([{ title: 'service taken out of' }, { title: 'queries', align: 'right' }, ...columns], rows);
}

/** Of requests that were judged about as likely, how many have an answer. */
function renderReliability(measured) {
  const judging = measured.filter(({ reliability }) => reliability?.some(({ requests }) => requests > 0));
  if (judging.length === 0) return '';
  const columns = judging.map(({ engine }) => ({ title: `${engine}: said, is`, align: 'right' }));
  const rows = judging[0].reliability.map(({ from }, bin) => [
    `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`,
    ...judging.map(({ reliability }) => {
      const { requests, said, is } = reliability[bin];
      return requests === 0 ? '–' : `${said.toFixed(2)}, ${is.toFixed(2)} (${requests})`;
    }),
  ]);
  return renderTable([{ title: 'reliability of the verdict' }, ...columns], rows);
}

function renderEngine({ engine, rows, macro }) {
  const columns = [
    { title: engine },
    { title: 'split' },
    ...[
      'tools',
      'queries',
      ...METRICS.map((metric) => METRIC_TITLES[metric]),
      'refused',
      'overlap',
      'p50 ms',
      'p99 ms',
      'tokens',
    ].map((title) => ({ title, align: /** @type {const} */ ('right') })),
  ];
  const cells = rows.map(({ set, split, tools, isReported, summary }) => [
    isReported ? set : `(${set})`,
    split ?? '',
    String(tools),
    String(summary.queries),
    ...METRICS.map((metric) => percent(summary.scores[metric])),
    (summary.wronglyRefused.mean * 100).toFixed(1),
    `${(summary.overlap * 100).toFixed(0)}%`,
    summary.latencyMs.p50.toFixed(2),
    summary.latencyMs.p99.toFixed(2),
    summary.answerTokens.toFixed(0),
  ]);
  const average = [
    'macro average',
    '',
    '',
    '',
    ...METRICS.map((metric) => percent(macro.scores[metric])),
    '',
    `${(macro.overlap * 100).toFixed(0)}%`,
  ];
  return renderTable(columns, [...cells, average]);
}

function percent(estimate) {
  if (estimate === undefined || Number.isNaN(estimate.mean)) return '–';
  const { mean, low, high } = estimate;
  return `${(mean * 100).toFixed(1)} ± ${(Math.max(mean - low, high - mean) * 100).toFixed(1)}`;
}

const FOOTNOTES = `Percent with 95% intervals: Wilson for hits and refusals, bootstrap for recall, nDCG and MRR (Wilson where all values are the same), normal for the macro average.
Rows in brackets are not in the macro average. "refused": answerable queries told that nothing fits.`;
