import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { searchText } from '@quartermaster/core/catalog';
import { drawBars } from './draw-bars.mjs';
import { LIBRARIES } from './libraries/index.mjs';
import { measureKept } from './measure-kept-index.mjs';
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
/** Wall seconds that the queries of one library may take at one size, and how many of them come before those that count. */
const QUERY_SECONDS = 5;
const QUERY_WARM_UP_SECONDS = 1.25;
/** Wall seconds after which a library that does not come back is given up at one size, and at those after it. */
const LONGEST_WAIT_SECONDS = 180;
const QUERIES = 200;
/** Asked even when that takes longer. */
const LEAST_QUERIES = 12;

/** Build, query and size of every library at every size. */
export async function measureIndex(options) {
  const tables = [];
  const pictures = {};
  const earlier = new Map();
  for (const size of options.sizes) {
    const measured = await measureSize(size, options, earlier);
    tables.push(renderSize({ size, ...measured }));
    pictures[`index-${size}.svg`] = drawPicture({ size, ...measured });
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
  const before = performance.now();
  const { value: contentKey, seconds: cpu } = await cpuTime(() => hashOf(chunks));
  const hashing = { cpu, wall: (performance.now() - before) / 1000 };
  chunks.length = 0;
  const source = { snapshot, fields: FIELDS };
  const queries = synthesiseQueries(snapshot.tools, QUERIES);
  const rows = [];
  let ours;
  for (const library of LIBRARIES) {
    if (options.only !== undefined && !options.only.includes(library.name) && library !== LIBRARIES[0]) continue;
    const before = earlier.get(library.name);
    const expected = before === undefined ? 0 : (before.seconds * size) / before.size;
    if (before?.isGone) {
      rows.push({ name: library.name, left: `left out: no answer at ${before.size.toLocaleString('en-US')}` });
      continue;
    }
    if (expected > LONGEST_BUILD_SECONDS && !options.all) {
      rows.push({ name: library.name, left: `left out: about ${Math.round(expected)} s a build (--all has it)` });
      continue;
    }
    process.stderr.write(`${library.name} at ${size} …\n`);
    // Made when they are needed: until then they would only be more for the garbage collector to go through.
    if (library !== LIBRARIES[0]) source.documents ??= snapshot.tools.map(toDocument);
    const work = measureLibrary(library, source, { queries, runs: options.runs, ours });
    const row = await waitFor(work, LONGEST_WAIT_SECONDS);
    ours ??= row?.index;
    earlier.set(library.name, row === undefined ? { isGone: true, size } : { seconds: row.build, size });
    rows.push(row ?? { name: library.name, left: `no answer within ${LONGEST_WAIT_SECONDS} s` });
  }
  process.stderr.write(`kept indexes at ${size} …\n`);
  const kept = await measureKept(snapshot.tools, { runs: options.runs, contentKey, hashing });
  return { rows, parse: parse.seconds, jsonBytes, kept };
}

/**
 * What a piece of work gives, or undefined when it takes longer. It can't be ended in the same process: what works in threads of
 * its own and does not come back is let be, what holds this thread is bounded by {@link LONGEST_BUILD_SECONDS}.
 */
async function waitFor(work, seconds) {
  let timer;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param ours our index, which answers in turn with the library, so that both meet the same machine; undefined for itself */
async function measureLibrary(library, source, { queries, runs, ours }) {
  const close = (index) => library.close?.(index);
  let before = await heldBytes();
  const first = await cpuTime(() => library.build(source));
  let built = { seconds: first.seconds, runs: 1, value: first.value };
  // What is measured for its own sake gets all its runs, however long they take.
  const isOurs = ours === undefined;
  if (isOurs || first.seconds < BUILD_SECONDS / 2) {
    await close(first.value);
    first.value = undefined;
    built.value = undefined;
    built = await repeat(() => library.build(source), {
      runs,
      close,
      budget: isOurs ? Number.POSITIVE_INFINITY : BUILD_SECONDS,
      // By now the code is compiled, so that what is held from here on is the index.
      beforeLast: async () => {
        before = await heldBytes();
      },
    });
  }
  const index = built.value;
  const bytes = library.bytes === undefined ? (await heldBytes()) - before : await library.bytes(index);
  const searches = [(query) => library.search(index, query)];
  if (!isOurs) searches.push((query) => LIBRARIES[0].search(ours, query));
  const [times, oursTimes] = await timeQueries(searches, queries, runs);
  const found = await countFound(library, index, queries.slice(0, 10));
  if (!isOurs) await close(index);
  return {
    name: library.name,
    index: isOurs ? index : undefined,
    build: built.seconds,
    runs: built.runs,
    bytes: bytes / source.snapshot.tools.length,
    ...times,
    slower: oursTimes === undefined ? undefined : { p50: times.p50 / oursTimes.p50, p99: times.p99 / oursTimes.p99 },
    found,
  };
}

/**
 * The median CPU time of several runs, after some that only warm up, as far as the budget (in seconds) allows, and what the last one made.
 * Garbage is collected when the engine wants to: collecting it by force throws optimised code away and would measure the compiler.
 */
async function repeat(
  work,
  { runs, close = (_made) => undefined, budget = Number.POSITIVE_INFINITY, beforeLast = undefined },
) {
  let value;
  const once = async (isLast) => {
    if (value !== undefined) await close(value);
    value = undefined;
    if (isLast) await beforeLast?.();
    const done = await cpuTime(work);
    value = done.value;
    return done.seconds;
  };
  let last = 0;
  let spent = 0;
  for (let run = 0; run < MOST_WARM_UPS && spent < WARM_UP_SECONDS; run += 1) {
    last = await once(false);
    spent += last;
  }
  const wanted = Math.max(1, Math.min(runs, Math.floor(budget / last)));
  const seconds = [];
  for (let run = 0; run < wanted; run += 1) seconds.push(await once(run === wanted - 1));
  return { seconds: median(seconds), runs: wanted, value };
}

/**
 * Milliseconds of each query, for each of the searches: medians of several rounds over all queries, after some time to warm up, as far as the
 * time allows. The searches take turns, a round each.
 */
async function timeQueries(searches, queries, runs) {
  const askers = searches.map((search) => createAsker(search, queries));
  for (const asker of askers) await asker.warmUp();
  for (let run = 0; run < runs; run += 1) {
    for (const asker of askers) await asker.ask();
  }
  return askers.map((asker) => asker.percentiles());
}

function createAsker(search, queries) {
  const times = queries.map(() => ({ cpu: [], wall: [] }));
  let spent = 0;
  let counted = 0;
  const timeOne = async (query) => {
    const before = performance.now();
    const { seconds } = await cpuTime(() => search(query));
    const wall = performance.now() - before;
    spent += wall / 1000;
    return { cpu: seconds * 1000, wall };
  };
  return {
    async warmUp() {
      for (let asked = 0; spent < QUERY_WARM_UP_SECONDS; asked += 1) await timeOne(queries[asked % queries.length]);
    },
    async ask() {
      for (const [number, query] of queries.entries()) {
        if (spent > QUERY_SECONDS && counted >= LEAST_QUERIES) return;
        const { cpu, wall } = await timeOne(query);
        times[number].cpu.push(cpu);
        times[number].wall.push(wall);
        counted += 1;
      }
    },
    percentiles() {
      const asked = times.filter(({ cpu }) => cpu.length > 0);
      const cpu = asked.map((time) => median(time.cpu));
      const wall = asked.map((time) => median(time.wall));
      return { p50: percentile(cpu, 0.5), p99: percentile(cpu, 0.99), wall: percentile(wall, 0.5) };
    },
  };
}

/** How many of ten an answer has on average: a library that finds little is quick for the wrong reason. */
async function countFound(library, index, queries) {
  let found = 0;
  for (const query of queries) found += (await library.search(index, query)).length;
  return found / queries.length;
}

function hashOf(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
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

function renderSize({ size, rows, parse, jsonBytes, kept }) {
  const ours = rows[0];
  const others = rows.slice(1).filter((row) => row.left === undefined);
  const lines = rows.map((row) => {
    if (row.left !== undefined) return `| ${row.name} | ${row.left} | | | | | | | | |`;
    const cells = [
      row.name,
      `${ms(row.build * 1000)} (${row.runs})`,
      `${ratio(row.build / parse)} ×`,
      ms(row.p50),
      ms(row.p99),
      ms(row.wall),
      row === ours ? '1' : `${ratio(row.slower.p50)} ×`,
      row === ours ? '1' : `${ratio(row.slower.p99)} ×`,
      row.found.toFixed(1),
      Math.round(row.bytes).toLocaleString('en-US'),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const least = (measure) => ratio(Math.min(...others.map(measure)));
  const summary =
    others.length > 0
      ? `Against the best library: p50 ${least((row) => row.slower.p50)} × faster, p99 ${least((row) => row.slower.p99)} × faster, build ${least((row) => row.build / ours.build)} × faster.`
      : '';
  return [
    `## ${size.toLocaleString('en-US')} tools`,
    '',
    `\`JSON.parse\` of the same tools (${Math.round(jsonBytes).toLocaleString('en-US')} bytes each): ${ms(parse * 1000)} ms CPU. ${summary}`,
    '',
    '| library | build, ms CPU (runs) | against JSON.parse | p50, ms CPU | p99, ms CPU | p50, ms wall | p50 against ours | p99 against ours | found, of 10 | bytes per tool |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...lines,
    '',
    `| hybrid index with its vectors | ms CPU (${kept.runs}) | ms wall | CPU against building |`,
    '|---|---:|---:|---:|',
    ...KEPT_WAYS.map(({ way, label }) => {
      const { cpu, wall } = kept[way];
      return `| ${label} | ${ms(cpu * 1000)} | ${ms(wall * 1000)} | ${(cpu / kept.build.cpu).toFixed(2)} × |`;
    }),
  ].join('\n');
}

const KEPT_WAYS = [
  { way: 'build', label: 'built' },
  { way: 'load', label: 'loaded from disk' },
  { way: 'change', label: 'changed: one server of fifty' },
];

function drawPicture({ size, rows, parse, kept }) {
  const measured = rows.filter((row) => row.left === undefined);
  const title = `${size.toLocaleString('en-US')} tools`;
  return drawBars(
    [
      {
        title: `${title}: build, times JSON.parse`,
        bars: measured.map((row) => ({ label: row.name, value: row.build / parse })),
      },
      { title: `${title}: query p50, ms CPU`, bars: measured.map((row) => ({ label: row.name, value: row.p50 })) },
      { title: `${title}: query p99, ms CPU`, bars: measured.map((row) => ({ label: row.name, value: row.p99 })) },
      {
        title: `${title}: hybrid index with its vectors, times building`,
        bars: KEPT_WAYS.map(({ way, label }) => ({ label, value: kept[way].cpu / kept.build.cpu })),
      },
    ],
    { labelWidth: 190 },
  );
}

function ms(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

function ratio(value) {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}

const NOTES = `Times are CPU time of all threads (\`process.cpuUsage\`) unless stated otherwise. Everything is measured in
one process and one run, one library after the other.

- **Build**: the median of the runs in brackets, after some to warm up.
- **Queries**: the median of up to five rounds for each of ${QUERIES} queries, top ten, any of the words,
  after ${QUERY_WARM_UP_SECONDS} s to warm up. Our index runs again in alternating rounds with each library, and "against
  ours" compares these two.
- **Input**: our index extracts the texts from the schemas while it builds. The libraries get them
  ready to index, in six fields each (LanceDB: one).
- **Bytes**: the growth of the heap and its buffers by the last build; pages for SQLite and files for
  LanceDB, both with the texts.
- A library that would take more than ${LONGEST_BUILD_SECONDS} s to build is left out at that size. One that does not
  finish within ${LONGEST_WAIT_SECONDS} s is stopped.
- **Data**: SOURCE.

The hybrid index with its vectors is built, loaded and changed in turn. *Loading* includes hashing the
text that the tools were read from, reading, checking, and everything else until a search can begin.
*Changed* means that one server of fifty lists other tools while the earlier index is still in use,
and the parts of the other servers' tools are reused.`;
