import { gunzipSync } from 'node:zlib';
import { createSnapshot, parseTools, searchText } from '@quartermaster/core';
import { drawBars } from './draw-bars.mjs';
import { LIBRARIES } from './libraries/index.mjs';
import { cpuTime, heldBytes, median, percentile } from './statistics.mjs';
import { loadTools, synthesiseQueries, synthesiseTools } from './synthesise-tools.mjs';

const FIELDS = ['name', 'server', 'description', 'parameterNames', 'parameterDescriptions', 'enumValues'];
/** CPU seconds that one library may take to build at one size; past it, fewer than the wanted runs are made. */
const BUILD_SECONDS = 8;
/** CPU seconds of builds that come before those that count. */
const WARM_UP_SECONDS = 1.5;
const MOST_WARM_UPS = 12;
/** What would take longer than this to build once is left out, and named. */
const LONGEST_BUILD_SECONDS = 20;
/** Wall seconds that the queries of one library may take at one size. */
const QUERY_SECONDS = 5;
const QUERIES = 200;
/** Asked even when that takes longer. */
const LEAST_QUERIES = 12;

/** Build, query and size of every library at every size. */
export async function measureIndex(options) {
  const tables = [];
  const pictures = {};
  const earlier = new Map();
  for (const size of options.sizes) {
    const { rows, parse, jsonBytes } = await measureSize(size, options, earlier);
    tables.push(renderSize({ size, rows, parse, jsonBytes }));
    pictures[`index-${size}.svg`] = drawPicture(size, rows, parse);
    console.log(`\n${tables[tables.length - 1]}`);
  }
  const source =
    options.toolsFolder === undefined
      ? 'synthetic tools'
      : 'real tools, repeated under other server names where too few';
  return {
    markdown: `# Index against libraries\n\n${NOTES.replace('SOURCE', source)}\n\n${tables.join('\n\n')}`,
    pictures,
  };
}

async function measureSize(size, options, earlier) {
  const chunks =
    options.toolsFolder === undefined ? synthesiseTools(size) : loadTools(options.toolsFolder, size, gunzipSync);
  const jsonBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / size;
  const parseAll = () => chunks.map((chunk) => JSON.parse(chunk));
  const parse = await repeat(parseAll, { runs: options.runs });
  const parsed = parseTools(parse.value.flat());
  parse.value = undefined;
  const snapshot = createSnapshot(parsed.tools, { maxTools: size, onDuplicate: 'first' });
  chunks.length = 0;
  const source = { snapshot, fields: FIELDS, documents: snapshot.tools.map(toDocument) };
  const queries = synthesiseQueries(snapshot.tools, QUERIES);
  const rows = [];
  for (const library of LIBRARIES) {
    if (options.only !== undefined && !options.only.includes(library.name) && library !== LIBRARIES[0]) continue;
    const before = earlier.get(library.name);
    const expected = before === undefined ? 0 : (before.seconds * size) / before.size;
    if (expected > LONGEST_BUILD_SECONDS && !options.all) {
      rows.push({ name: library.name, left: `left out: about ${Math.round(expected)} s a build (--all has it)` });
      continue;
    }
    process.stderr.write(`${library.name} at ${size} …\n`);
    const row = await measureLibrary(library, source, queries, options.runs);
    earlier.set(library.name, { seconds: row.build, size });
    rows.push(row);
  }
  return { rows, parse: parse.seconds, jsonBytes };
}

async function measureLibrary(library, source, queries, runs) {
  const close = (index) => library.close?.(index);
  const before = await heldBytes();
  const first = await cpuTime(() => library.build(source));
  const bytes = library.bytes === undefined ? (await heldBytes()) - before : await library.bytes(first.value);
  let built = { seconds: first.seconds, runs: 1, value: first.value };
  // What is measured for its own sake gets all its runs, however long they take.
  const isOurs = library === LIBRARIES[0];
  if (isOurs || first.seconds < BUILD_SECONDS / 2) {
    await close(first.value);
    built = await repeat(() => library.build(source), {
      runs,
      close,
      budget: isOurs ? Number.POSITIVE_INFINITY : BUILD_SECONDS,
    });
  }
  const index = built.value;
  const times = await timeQueries((query) => library.search(index, query), queries, runs);
  const found = await countFound(library, index, queries.slice(0, 10));
  await close(index);
  return {
    name: library.name,
    build: built.seconds,
    runs: built.runs,
    bytes: bytes / source.snapshot.tools.length,
    p50: percentile(times.cpu, 0.5),
    p99: percentile(times.cpu, 0.99),
    wall: percentile(times.wall, 0.5),
    found,
  };
}

/**
 * The median CPU time of several runs, after some that only warm up, as far as the budget (in seconds) allows, and what the last one made.
 * Garbage is collected when the engine wants to: collecting it by force throws optimised code away and would measure the compiler.
 */
async function repeat(work, { runs, close = () => undefined, budget = Number.POSITIVE_INFINITY }) {
  let value;
  const once = async () => {
    if (value !== undefined) await close(value);
    value = undefined;
    const done = await cpuTime(work);
    value = done.value;
    return done.seconds;
  };
  let last = 0;
  let spent = 0;
  for (let run = 0; run < MOST_WARM_UPS && spent < WARM_UP_SECONDS; run += 1) {
    last = await once();
    spent += last;
  }
  const wanted = Math.max(1, Math.min(runs, Math.floor(budget / last)));
  const seconds = [];
  for (let run = 0; run < wanted; run += 1) seconds.push(await once());
  return { seconds: median(seconds), runs: wanted, value };
}

/** Milliseconds of each query, CPU and wall: medians of several runs over all of them, the first not counted, as far as the time allows. */
async function timeQueries(search, queries, runs) {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const times = queries.map(() => ({ cpu: [], wall: [] }));
  let asked = 0;
  for (let run = 0; run <= runs; run += 1) {
    for (const [index, query] of queries.entries()) {
      if (elapsed() > QUERY_SECONDS && asked >= LEAST_QUERIES) return medians(times);
      const before = performance.now();
      const { seconds } = await cpuTime(() => search(query));
      const wall = performance.now() - before;
      asked += 1;
      // Where there is no time for a second run, the first one counts, but for its very beginning.
      if (run === 0 && elapsed() < QUERY_SECONDS / 4) continue;
      times[index].cpu.push(seconds * 1000);
      times[index].wall.push(wall);
    }
  }
  return medians(times);
}

function medians(times) {
  const asked = times.filter(({ cpu }) => cpu.length > 0);
  return { cpu: asked.map(({ cpu }) => median(cpu)), wall: asked.map(({ wall }) => median(wall)) };
}

/** How many of ten an answer has on average: a library that finds little is quick for the wrong reason. */
async function countFound(library, index, queries) {
  let found = 0;
  for (const query of queries) found += (await library.search(index, query)).length;
  return found / queries.length;
}

function toDocument(tool) {
  const text = searchText(tool);
  return {
    id: tool.id,
    name: text.name.replaceAll(/[_-]/g, ' '),
    server: text.server,
    description: text.description,
    parameterNames: text.parameterNames.join(' ').replaceAll(/[_-]/g, ' '),
    parameterDescriptions: text.parameterDescriptions.join('\n'),
    enumValues: text.enumValues.join(' '),
  };
}

function renderSize({ size, rows, parse, jsonBytes }) {
  const ours = rows[0];
  const best = (key) =>
    Math.min(
      ...rows
        .slice(1)
        .filter((row) => row[key] !== undefined)
        .map((row) => row[key]),
    );
  const lines = rows.map((row) => {
    if (row.left !== undefined) return `| ${row.name} | ${row.left} | | | | | | | | |`;
    const cells = [
      row.name,
      `${ms(row.build * 1000)} (${row.runs})`,
      `${ratio(row.build / parse)} ×`,
      ms(row.p50),
      ms(row.p99),
      ms(row.wall),
      row === ours ? '1' : `${ratio(row.p50 / ours.p50)} ×`,
      row === ours ? '1' : `${ratio(row.p99 / ours.p99)} ×`,
      row.found.toFixed(1),
      Math.round(row.bytes).toLocaleString('en-US'),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const summary =
    rows.length > 1
      ? `Against the best library: p50 ${ratio(best('p50') / ours.p50)} × faster, p99 ${ratio(best('p99') / ours.p99)} × faster, build ${ratio(best('build') / ours.build)} × faster.`
      : '';
  return [
    `## ${size.toLocaleString('en-US')} tools`,
    '',
    `\`JSON.parse\` of the same tools (${Math.round(jsonBytes)} bytes each): ${ms(parse * 1000)} ms CPU. ${summary}`,
    '',
    '| | build, ms CPU (runs) | against JSON.parse | p50, ms CPU | p99, ms CPU | p50, ms wall | p50 against ours | p99 against ours | found, of 10 | bytes a tool |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...lines,
  ].join('\n');
}

function drawPicture(size, rows, parse) {
  const measured = rows.filter((row) => row.left === undefined);
  const title = `${size.toLocaleString('en-US')} tools`;
  return drawBars([
    {
      title: `${title}: build, times JSON.parse`,
      bars: measured.map((row) => ({ label: row.name, value: row.build / parse })),
    },
    { title: `${title}: query p50, ms CPU`, bars: measured.map((row) => ({ label: row.name, value: row.p50 })) },
    { title: `${title}: query p99, ms CPU`, bars: measured.map((row) => ({ label: row.name, value: row.p99 })) },
  ]);
}

function ms(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

function ratio(value) {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}

const NOTES = `Times are CPU time of all threads (\`process.cpuUsage\`) unless said otherwise. Build: the median of the runs in brackets, after some to warm up.
Queries: the median of up to five runs for each of ${QUERIES} queries, top ten, any of the words. Ours takes the texts out of the schemas while it builds;
the libraries get them ready-made, six fields each (LanceDB: one). Bytes: growth of the heap for those that live in it, pages for SQLite,
files for LanceDB, both with the texts. Data: SOURCE.`;
