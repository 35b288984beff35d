import { METRIC_TITLES, METRICS, renderTable } from 'quartermaster';

/** One table per engine, the macro average last; then the share of refusals where nothing fits. */
export function renderMeasured(measured) {
  return `${measured.map(renderEngine).join('\n\n')}\n\n${FOOTNOTES}`;
}

function renderEngine({ engine, rows, unanswerable, macro }) {
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
    ].map((title) => ({ title, align: 'right' })),
  ];
  const cells = rows.map(({ set, split, tools, isReported, summary }) => [
    isReported ? set : `(${set})`,
    split ?? '',
    String(tools),
    String(summary.queries),
    ...METRICS.map((metric) => percent(summary.scores[metric])),
    (summary.wronglyRefused.mean * 100).toFixed(1),
    `${(summary.overlap * 100).toFixed(0)} %`,
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
    `${(macro.overlap * 100).toFixed(0)} %`,
  ];
  const parts = [renderTable(columns, [...cells, average])];
  if (unanswerable.length > 0) {
    const refusals = unanswerable.map(({ name, queries, refused }) => [name, String(queries), percent(refused)]);
    parts.push(
      renderTable(
        [{ title: 'nothing fits' }, { title: 'queries', align: 'right' }, { title: 'refused', align: 'right' }],
        refusals,
      ),
    );
  }
  return parts.join('\n\n');
}

function percent({ mean, low, high }) {
  return `${(mean * 100).toFixed(1)} ± ${(Math.max(mean - low, high - mean) * 100).toFixed(1)}`;
}

const FOOTNOTES = `Percent with 95 % intervals: Wilson for hits and refusals, bootstrap for recall, nDCG and MRR, normal for the macro average.
Rows in brackets are not in the macro average. "refused": answerable queries told that nothing fits.`;
