// `npm run eval [-- FOLDER] [--engine bm25,regex] [--json] [--picture out.svg]`: how well queries find their tools, on the bundled sample
// catalog or on every set of a folder. Definitions are in README.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  averageEstimates,
  createSearcher,
  ENGINES,
  evaluateQueries,
  InputError,
  METRICS,
  summariseOutcomes,
} from 'quartermaster';
import { listSets, readSample, readSet, readUnanswerable } from './data-sets.mjs';
import { drawPicture } from './draw-picture.mjs';
import { renderMeasured } from './render-measured.mjs';

try {
  const { folder, engines, isJson, picture } = readOptions();
  const measured = folder === undefined ? await measureSample(engines) : await measureFolder(folder, engines);
  if (picture !== undefined) writeFileSync(picture, drawPicture(measured));
  console.log(isJson ? JSON.stringify(measured, null, 2) : renderMeasured(measured));
} catch (error) {
  const isExpected = error instanceof InputError || error.code?.startsWith('ERR_PARSE_ARGS');
  if (!isExpected) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', short: 'e', default: ENGINES.join(',') },
      json: { type: 'boolean', default: false },
      picture: { type: 'string' },
    },
  });
  const engines = values.engine.split(',');
  const unknown = engines.find((engine) => !ENGINES.includes(engine));
  if (unknown !== undefined) throw new InputError(`There is no engine "${unknown}"; there are: ${ENGINES.join(', ')}`);
  if (positionals.length > 1) throw new InputError('Give one folder of data sets, or none for the sample catalog');
  return { folder: positionals[0], engines, isJson: values.json, picture: values.picture };
}

async function measureFolder(folder, engines) {
  const names = listSets(folder);
  const measured = engines.map((engine) => ({ engine, rows: [], unanswerable: [] }));
  for (const name of names) {
    const set = await readSet(folder, name);
    await measureSet(set, measured);
  }
  for (const pair of await readUnanswerable(folder)) {
    await forEachEngine(measured, pair, (entry, outcomes) => {
      entry.unanswerable.push({
        name: pair.name,
        queries: outcomes.length,
        refused: summariseOutcomes(outcomes).unanswerable.refused,
      });
    });
  }
  return measured.map((entry) => ({ ...entry, macro: averageRows(entry.rows.filter((row) => row.isReported)) }));
}

async function measureSet(set, measured) {
  await forEachEngine(measured, set, (entry, outcomes) => {
    const reported = outcomes.filter(({ split }) => set.isReported(split));
    entry.rows.push(describe(set, { split: set.reporting, isReported: set.isMain, outcomes: reported }));
    if (reported.length < outcomes.length)
      entry.rows.push(describe(set, { split: 'all', isReported: false, outcomes }));
  });
}

/** The sample catalog's strata stand where a folder has its sets; what nothing answers stands apart. */
async function measureSample(engines) {
  const sample = await readSample();
  const measured = engines.map((engine) => ({ engine, rows: [], unanswerable: [] }));
  await forEachEngine(measured, sample, (entry, outcomes) => {
    for (const split of new Set(outcomes.map((outcome) => outcome.split))) {
      const stratum = outcomes.filter((outcome) => outcome.split === split);
      const row = describe(sample, { split, isReported: true, outcomes: stratum });
      if (row.summary.queries > 0) entry.rows.push(row);
      else entry.unanswerable.push({ name: split, ...row.summary.unanswerable });
    }
    entry.rows.push(describe(sample, { split: 'all', isReported: false, outcomes }));
  });
  return measured.map((entry) => ({ ...entry, macro: averageRows(entry.rows.filter((row) => row.isReported)) }));
}

/** Two names may stand for the same engine; it is measured once then. */
async function forEachEngine(measured, { snapshot, queries, name }, use) {
  const done = new Map();
  for (const entry of measured) {
    const searcher = await createSearcher(entry.engine, snapshot);
    process.stderr.write(`${name}: ${entry.engine} …\n`);
    const outcomes = done.get(searcher.engine) ?? (await evaluateQueries(queries, { searcher, snapshot }));
    done.set(searcher.engine, outcomes);
    use(entry, outcomes);
  }
}

function describe(set, { split, isReported, outcomes }) {
  return { set: set.name, split, tools: set.snapshot.tools.length, isReported, summary: summariseOutcomes(outcomes) };
}

function averageRows(rows) {
  const scores = METRICS.map((metric) => [metric, averageEstimates(rows.map((row) => row.summary.scores[metric]))]);
  const overlap = rows.reduce((sum, row) => sum + row.summary.overlap, 0) / rows.length;
  return { sets: rows.length, scores: Object.fromEntries(scores), overlap };
}
