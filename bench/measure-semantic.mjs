import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { createBm25Searcher, createSnapshot, parseTools } from '@quartermaster/core';
import { createHybridSearcher, createSemanticSearcher } from '@quartermaster/core/search';
import { embeddedModel } from '@quartermaster/semantic';
import { drawBars } from './draw-bars.mjs';
import { cpuTime, heldBytes, median, percentile } from './statistics.mjs';
import { loadTools, synthesiseQueries, synthesiseTools } from './synthesise-tools.mjs';

/** The engines that are compared, the one that the others are measured by first. */
const ENGINES = {
  bm25: (snapshot) => createBm25Searcher(snapshot),
  semantic: (snapshot) => createSemanticSearcher(snapshot, { embedder: embeddedModel() }),
  hybrid: (snapshot) => createHybridSearcher(snapshot, { embedder: embeddedModel() }),
};

/** What is to be reached with the embedded model; sizes that are not named have no mark. */
const TARGETS = { p50: { 10000: 1, 100000: 5 }, build: { 10000: 6 }, bytes: 900, startMs: 50 };

const QUERIES = 200;
/** Asked before the times count, so that they are those of a process that has been running. */
const WARM_UP_QUERIES = 600;
/** How often each query is asked; its median counts. */
const ROUNDS = 3;
const STARTS = 5;
/** From this size on a build takes so long that two runs have to do. */
const LARGE = 50_000;

/** The embedded model's engines beside BM25: build, query and size at every size, and what the model takes to start. */
export async function measureSemantic(options) {
  const start = measureStart();
  const sizes = [];
  for (const size of options.sizes) {
    process.stderr.write(`${size} tools …\n`);
    sizes.push(await measureSize(size, options));
  }
  return { markdown: render({ sizes, start, isReal: options.toolsFolder !== undefined }), pictures: draw(sizes) };
}

async function measureSize(size, { toolsFolder, ...options }) {
  const runs = size < LARGE ? options.runs : Math.min(2, options.runs);
  const chunks = toolsFolder === undefined ? synthesiseTools(size) : loadTools(toolsFolder, size, gunzipSync);
  const parse = median(await repeat(runs, () => chunks.map((chunk) => JSON.parse(chunk))));
  const { tools } = parseTools(chunks.flatMap((chunk) => JSON.parse(chunk)));
  const snapshot = createSnapshot(tools, { maxTools: size, onDuplicate: 'first' });
  const queries = {
    short: synthesiseQueries(snapshot.tools, QUERIES),
    wordy: synthesiseRequests(snapshot.tools, QUERIES),
  };
  // The model is the same for all catalogs: neither its time nor its bytes are a catalog's.
  embeddedModel();
  const rows = [];
  for (const [engine, create] of Object.entries(ENGINES)) {
    process.stderr.write(`  ${engine} …\n`);
    rows.push({ engine, ...(await measureEngine(snapshot, create, { queries, runs, parse })) });
  }
  return { size, parse, rows };
}

async function measureEngine(snapshot, create, { queries, runs, parse }) {
  // Index and vectors are made for the first search, which is part of the build here.
  const build = async () => {
    const searcher = create(snapshot);
    await searcher.search({ query: 'x' });
    return searcher;
  };
  const before = await heldBytes();
  const searcher = await build();
  const bytes = ((await heldBytes()) - before) / snapshot.tools.length;
  const seconds = median(await repeat(runs, build));
  const times = {};
  for (const [kind, list] of Object.entries(queries)) times[kind] = await timeQueries(searcher, list);
  return { build: seconds * 1000, ratio: seconds / parse, bytes, times };
}

/** CPU seconds of each run, after one that only warms up. */
async function repeat(runs, work) {
  const seconds = [];
  for (let run = 0; run <= runs; run += 1) seconds.push((await cpuTime(work)).seconds);
  return seconds.slice(1);
}

/** Milliseconds of CPU of each query: this process does nothing else, and what others do on the machine does not count. */
async function timeQueries(searcher, queries) {
  for (let asked = 0; asked < WARM_UP_QUERIES; asked += 1) {
    await searcher.search({ query: queries[asked % queries.length] });
  }
  const times = queries.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, query] of queries.entries()) {
      times[at].push((await cpuTime(() => searcher.search({ query }))).seconds * 1000);
    }
  }
  const medians = times.map(median);
  return { p50: percentile(medians, 0.5), p99: percentile(medians, 0.99) };
}

/** What reading the model takes in a process that has done nothing else yet: CPU milliseconds. */
function measureStart() {
  const script = `
    const { embeddedModel } = await import('@quartermaster/semantic');
    const before = process.cpuUsage();
    embeddedModel();
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const times = Array.from({ length: STARTS }, () => {
    const args = ['--input-type=module', '--eval', script];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The model could not be started: ${stderr}`);
    return Number(stdout);
  });
  return median(times);
}

/** Requests as people write them to a model: two to four sentences around what some tools do, some thirty to sixty words. */
function synthesiseRequests(tools, count) {
  return Array.from({ length: count }, (_, number) => {
    const parts = Array.from({ length: 2 + (number % 3) }, (_, part) => {
      const tool = tools[(number * 7919 + part * 104_729) % tools.length];
      const words = tool.description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['list'];
      return words.slice(0, 9 + ((number + part) % 5)).join(' ');
    });
    const asked = parts.map((part, at) => `${FRAMES[(number + at) % FRAMES.length]} ${part}`);
    return `${OPENINGS[number % OPENINGS.length]} ${asked.join('. ')}?`;
  });
}

const OPENINGS = [
  "Hi, I'm preparing for a meeting with my team tomorrow morning.",
  'We moved to a new office last week and things are a bit messy.',
  "I'm planning something for my friends!",
];
const FRAMES = ['Could you please', 'I would also like to', 'And then I need to', 'It would be great to'];

function render({ sizes, start, isReal }) {
  const head = [
    '# Search with the embedded model',
    '',
    `${isReal ? 'Real tools, repeated under other server names where too few' : 'Synthetic tools'}. Times are CPU time of the process. Build: with the vectors, the median of the runs, against \`JSON.parse\` of the same tools. Queries: the median of ${ROUNDS} rounds for each of ${QUERIES} queries, top five; short ones have two to seven words, wordy ones two to four sentences. Bytes: growth of the heap and of buffers, without the model, which all catalogs share.`,
    '',
    `Loading the model, once per process on first use: ${ms(start)} ms (${verdict(start, TARGETS.startMs, 'ms')}).`,
  ];
  return [...head, ...sizes.flatMap(renderSize)].join('\n');
}

function renderSize({ size, parse, rows }) {
  const [reference] = rows;
  const hybrid = rows.find((row) => row.engine === 'hybrid');
  const columns = ['engine', 'build, ms', '× JSON.parse', 'bytes per tool'];
  const perKind = ['p50, ms', '× bm25', 'p99, ms', '× bm25'];
  const titles = [...columns, ...['short', 'wordy'].flatMap((kind) => perKind.map((title) => `${kind} ${title}`))];
  const lines = rows.map((row) => {
    const times = ['short', 'wordy'].flatMap((kind) =>
      ['p50', 'p99'].flatMap((key) => [
        ms(row.times[kind][key]),
        (row.times[kind][key] / reference.times[kind][key]).toFixed(1),
      ]),
    );
    return [row.engine, ms(row.build), row.ratio.toFixed(2), String(Math.round(row.bytes)), ...times];
  });
  const most = TARGETS.p50[size];
  const marks = [
    ...(most === undefined
      ? []
      : ['short', 'wordy'].map(
          (kind) => `${kind} p50 ${ms(hybrid.times[kind].p50)} ms (${verdict(hybrid.times[kind].p50, most, 'ms')})`,
        )),
    ...(TARGETS.build[size] === undefined
      ? []
      : [`build ${hybrid.ratio.toFixed(2)} × (${verdict(hybrid.ratio, TARGETS.build[size], '×')})`]),
    `${Math.round(hybrid.bytes)} bytes per tool (${verdict(hybrid.bytes, TARGETS.bytes, 'bytes')})`,
  ];
  return [
    '',
    `## ${size.toLocaleString('en-US')} tools`,
    '',
    `\`JSON.parse\`: ${ms(parse * 1000)} ms. Hybrid: ${marks.join(', ')}.`,
    '',
    `| ${titles.join(' | ')} |`,
    `|---|${titles
      .slice(1)
      .map(() => '---:')
      .join('|')}|`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}

function draw(sizes) {
  const groups = sizes.flatMap(({ size, rows }) =>
    ['short', 'wordy'].map((kind) => ({
      title: `${size.toLocaleString('en-US')} tools: ${kind} queries, p50 in ms CPU`,
      bars: rows.map((row) => ({ label: row.engine, value: row.times[kind].p50 })),
    })),
  );
  return { 'semantic.svg': drawBars(groups) };
}

function verdict(value, most, unit) {
  return `target ≤ ${most} ${unit}: ${value <= most ? 'met' : 'missed'}`;
}

function ms(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 1 ? value.toFixed(1) : value.toFixed(3);
}
