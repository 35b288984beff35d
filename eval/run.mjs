// `npm run eval [-- FOLDER] [--engine bm25,hybrid] [--backend postgres] [--all] [--json] [--picture out.svg]`: how well queries find their
// tools, on the bundled sample catalog or on every set of a folder, all engines side by side. Definitions are in README.md.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  averageEstimates,
  createSearcher,
  drawComparison,
  ENGINES,
  evaluateQueries,
  findEngines,
  InputError,
  METRICS,
  summariseOutcomes,
} from 'quartermaster';
import { isCalibration, listSets, readSample, readSet, readUnanswerable } from './data-sets.mjs';
import { measureRefusals } from './measure-refusals.mjs';
import { makeMixedCatalogs } from './mixed-catalogs.mjs';
import { compareMeasured, renderMeasured } from './render-measured.mjs';
import { ADDED_STRATA, addStrata, measureReliability, takeOutServers } from './strata.mjs';

/** Whole requests in English. */
const SPOKEN = ['users-words', 'service-named', 'model-written', 'no-service-named'];

/** Where catalogs are searched, if not in memory. */
let database;

try {
  const options = await readOptions();
  const { folder, picture, isJson } = options;
  const measured = folder === undefined ? await measureSample(options) : await measureFolder(options);
  if (picture !== undefined) writeFileSync(picture, drawComparison(compareMeasured(measured)));
  console.log(isJson ? JSON.stringify(measured, null, 2) : renderMeasured(measured));
} catch (error) {
  const isExpected = error instanceof InputError || error.code?.startsWith('ERR_PARSE_ARGS');
  if (!isExpected) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  await database?.stop();
}

async function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', short: 'e' },
      all: { type: 'boolean', default: false },
      cache: { type: 'string', default: join(tmpdir(), 'quartermaster-vectors') },
      backend: { type: 'string', default: 'memory' },
      json: { type: 'boolean', default: false },
      picture: { type: 'string' },
    },
  });
  if (values.backend === 'postgres') database = await openDatabase();
  else if (values.backend !== 'memory') throw new InputError('--backend takes memory or postgres');
  if (positionals.length > 1) throw new InputError('Give one folder of data sets, or none for the sample catalog');
  return {
    folder: positionals[0],
    engines: await chooseEngines(values.engine ?? (values.backend === 'postgres' ? 'hybrid' : undefined), values.cache),
    isWhole: values.all,
    cacheFolder: values.cache,
    isJson: values.json,
    picture: values.picture,
  };
}

/** A PostgreSQL from npm, gone afterwards. */
async function openDatabase() {
  const { startDatabase } = await import('./postgres-searchers.mjs');
  return startDatabase();
}

function searcherFor(engine, snapshot, cacheFolder) {
  if (database === undefined) return createSearcher(engine, snapshot, { cacheFolder });
  if (engine !== 'hybrid') throw new InputError('With --backend postgres the engine is hybrid');
  return database.createSearcher(snapshot);
}

async function chooseEngines(asked, cacheFolder) {
  if (asked === undefined) {
    const { engines, missing } = await findEngines({ cacheFolder });
    if (missing !== undefined) process.stderr.write(`Without the reranker: ${missing}\n`);
    return engines;
  }
  const engines = asked.split(',');
  const unknown = engines.find((engine) => !ENGINES.includes(engine));
  if (unknown !== undefined) throw new InputError(`There is no engine "${unknown}"; there are: ${ENGINES.join(', ')}`);
  return engines;
}

async function measureFolder({ folder, engines, isWhole, cacheFolder }) {
  const measured = engines.map((engine) => ({ engine, rows: [], refusals: undefined }));
  const calibration = engines.map(() => []);
  for (const name of listSets(folder)) {
    const set = await readSet(folder, name);
    const queries = isWhole ? set.queries : set.queries.filter(({ split }) => set.isReported(split));
    await forEachEngine(measured, { ...set, queries, cacheFolder }, (entry, outcomes, at) => {
      const reported = outcomes.filter(({ split }) => set.isReported(split));
      entry.rows.push(describe(set, { split: set.reporting, isReported: set.isMain, outcomes: reported }));
      if (reported.length < outcomes.length)
        entry.rows.push(describe(set, { split: 'all', isReported: false, outcomes }));
      if (isCalibration(set)) calibration[at].push(...reported);
    });
  }
  const asked = engines.map(() => []);
  for (const pair of await readUnanswerable(folder)) {
    await forEachEngine(measured, { ...pair, cacheFolder }, (_, outcomes, at) => {
      asked[at].push({ name: pair.name, outcomes });
    });
  }
  return measured.map((entry, at) => ({
    ...entry,
    refusals: measureRefusals(asked[at], calibration[at]),
    macro: averageRows(entry.rows.filter((row) => row.isReported)),
  }));
}

/** The sample catalog's strata stand where a folder has its sets; what nothing answers stands apart. */
async function measureSample({ engines, cacheFolder }) {
  const bundled = await readSample();
  const sample = { ...bundled, queries: addStrata(bundled.queries) };
  const without = takeOutServers(bundled);
  const english = sample.queries.filter(({ split }) => SPOKEN.includes(split));
  const catalogs = makeMixedCatalogs({ tools: bundled.snapshot.tools, queries: english });
  const measured = engines.map((engine) => ({ engine, rows: [], refusals: undefined }));
  await forEachEngine(measured, { ...sample, cacheFolder }, (entry, outcomes) => {
    const pairs = [];
    for (const split of new Set(outcomes.map((outcome) => outcome.split))) {
      const stratum = outcomes.filter((outcome) => outcome.split === split);
      const isReported = !ADDED_STRATA.includes(split);
      const row = describe(sample, { split, isReported, outcomes: stratum });
      if (row.summary.queries > 0) entry.rows.push(row);
      else pairs.push({ name: split, outcomes: stratum });
    }
    const own = outcomes.filter(({ split }) => !ADDED_STRATA.includes(split));
    entry.rows.push(describe(sample, { split: 'all', isReported: false, outcomes: own }));
    entry.pairs = pairs;
    entry.outcomes = outcomes;
  });
  for (const entry of measured) {
    const { pairs, outcomes } = entry;
    delete entry.pairs;
    delete entry.outcomes;
    const takenOut = [];
    for (const part of without) {
      const searcher = await searcherFor(entry.engine, part.snapshot, cacheFolder);
      takenOut.push(...(await evaluateQueries(part.queries, { searcher, snapshot: part.snapshot })));
    }
    const own = outcomes.filter(({ split }) => !ADDED_STRATA.includes(split));
    entry.refusals = measureRefusals(
      [...pairs, { name: 'service taken out', outcomes: takenOut }],
      own.filter(({ kind }) => kind === 'answerable'),
    );
    const mixed = await measureMixed(entry.engine, catalogs, cacheFolder);
    entry.bySize = mixed.bySize;
    entry.reliability = measureReliability(mixed.outcomes);
  }
  return measured.map((entry) => ({ ...entry, macro: averageRows(entry.rows.filter((row) => row.isReported)) }));
}

/** Requests with and without the service that they are for, in catalogs of several sizes; one setting for all of them. */
async function measureMixed(engine, catalogs, cacheFolder) {
  const parts = [];
  for (const { size, snapshot, requests } of catalogs) {
    process.stderr.write(`${size} tools: ${engine}, ${requests.length} queries …\n`);
    const searcher = await searcherFor(engine, snapshot, cacheFolder);
    const answered = await evaluateQueries(requests, { searcher, snapshot });
    const takenOut = [];
    for (const { query, allow } of requests) {
      const allowed = { ...searcher, search: (request) => searcher.search({ ...request, allow }) };
      takenOut.push(...(await evaluateQueries([{ query, relevant: [] }], { searcher: allowed, snapshot })));
    }
    parts.push({ size, answered, takenOut });
  }
  const answered = parts.flatMap((part) => part.answered);
  const bySize = [...new Set(parts.map(({ size }) => size))].map((size) => {
    const own = parts.filter((part) => part.size === size);
    const pair = { name: `${size} tools`, outcomes: own.flatMap((part) => part.takenOut) };
    const { pairs } = measureRefusals([pair], answered);
    return { ...pairs[0], rightLost: summariseOutcomes(own.flatMap((part) => part.answered)).rightLost };
  });
  return { bySize, outcomes: [...answered, ...parts.flatMap((part) => part.takenOut)] };
}

async function forEachEngine(measured, { snapshot, queries, name, cacheFolder }, use) {
  for (const [at, entry] of measured.entries()) {
    process.stderr.write(`${name}: ${entry.engine}, ${queries.length} queries …\n`);
    const searcher = await searcherFor(entry.engine, snapshot, cacheFolder);
    use(entry, await evaluateQueries(queries, { searcher, snapshot }), at);
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
