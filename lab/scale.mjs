// How catalogs grow: the time to build, to search and the bytes, in memory and in PostgreSQL. Fails where a search in PostgreSQL takes
// longer than it may. With --write, what was measured takes its place in bench/results/scale.json, and docs/images has the pictures of
// all that is there: a million tools take long enough to be measured on their own.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseTools } from '@quartermaster/core';
import { createPostgresSearcher } from '@quartermaster/host/search';
import { openStore } from '@quartermaster/host/store';
import { embeddedModel } from '@quartermaster/semantic';
import { percentile } from '../bench/statistics.mjs';
import { streamTools, synthesiseQueries } from '../bench/synthesise-tools.mjs';
import { drawGrowth } from './processes/draw-growth.mjs';
import { startPostgres } from './processes/postgres.mjs';

/** What a server for a large catalog is given: a quarter of a small machine's memory, and no compilation of short queries. */
const SETTINGS = ['shared_buffers=2GB', 'maintenance_work_mem=512MB', 'work_mem=32MB', 'max_wal_size=8GB', 'jit=off'];
/** Half of all searches have to be faster. */
const MOST_MS = 60;
const QUERIES = 200;
const WARM = 40;

const RESULTS = fileURLToPath(new URL('../bench/results/scale.json', import.meta.url));

/**
 * `npm run lab -- scale [SIZES] [--million] [--no-memory] [--no-postgres] [--keep FOLDER] [--write]`
 *
 * With --keep, the databases stay in the folder. What is built there is not built again: the searches can be timed later, when nothing
 * else runs.
 */
export async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      million: { type: 'boolean', default: false },
      'no-memory': { type: 'boolean', default: false },
      'no-postgres': { type: 'boolean', default: false },
      keep: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const sizes = (positionals[0] ?? '1000,10000,100000').split(',').map(Number);
  if (values.million) sizes.push(1_000_000);
  const rows = [];
  const problems = [];
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
  for (const size of sizes) {
    const postgres = values['no-postgres'] ? undefined : await measurePostgres(size, values.keep);
    const memory = values['no-memory'] ? undefined : measureMemory(size);
    rows.push({ size, postgres, memory });
    if (postgres?.p50 > MOST_MS) problems.push(`${size} tools: half of the searches take more than ${MOST_MS} ms`);
  }
  const all = values.write ? keep(rows) : rows;
  console.log(`\n${render(all)}`);
  if (values.write) {
    for (const [name, svg] of Object.entries(drawPictures(all))) {
      writeFileSync(fileURLToPath(new URL(`../docs/images/${name}.svg`, import.meta.url)), svg);
    }
  }
  return problems;
}

/** Puts rows in the place of those of the same size and backend that were measured before. Gives all of them. */
function keep(rows) {
  const kept = new Map(
    (existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : []).map((row) => [row.size, row]),
  );
  // What was not measured now is not in JSON, and stays as it was.
  for (const row of rows) kept.set(row.size, { ...kept.get(row.size), ...JSON.parse(JSON.stringify(row)) });
  const all = [...kept.values()].sort((left, right) => left.size - right.size);
  writeFileSync(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

async function measurePostgres(size, kept) {
  const folder = kept === undefined ? undefined : resolve(kept, String(size));
  const server = await startPostgres(SETTINGS, { keep: folder });
  const store = await openStore({ url: server.url });
  try {
    const index = await store.openToolIndex({ embedder: embeddedModel() });
    const file = folder === undefined ? undefined : join(folder, 'built.json');
    const samples = [];
    let built;
    if (file !== undefined && existsSync(file)) {
      built = JSON.parse(readFileSync(file, 'utf8'));
      for (const _ of sampleTools(size, samples));
    } else {
      built = await buildPostgres({ size, server, index, samples });
      if (file !== undefined) writeFileSync(file, JSON.stringify(built));
    }
    const relisted = samples
      .filter((_, at) => at % 2 === 0)
      .map((tool) => ({ ...tool, description: `${tool.description} Once more, at ${Date.now()}.` }));
    const changed = await timed(() => index.update('bench', { put: parseTools(relisted).tools }));
    const times = await searchAll(createPostgresSearcher(index, 'bench'), samples, () => serverCpuMs(server));
    const figures = { ...built, change: (changed.seconds * 1000) / relisted.length, ...times };
    console.log(`PostgreSQL, ${size} tools: ${JSON.stringify(figures)}`);
    return figures;
  } finally {
    await store.close();
    await server.stop();
  }
}

async function buildPostgres({ size, server, index, samples }) {
  const tools = parsed(sampleTools(size, samples));
  // An interrupted build continues, but its time is not that of a whole one.
  const isNew = (await index.figures('bench')) === undefined;
  const { seconds, cpuSeconds } = await timed(
    () => index.sync('bench', tools, { onProgress: (done) => report('PostgreSQL', done, size) }),
    () => serverCpuMs(server),
  );
  const held = process.memoryUsage().rss;
  await server.query('VACUUM ANALYZE');
  const [{ bytes }] = await server.query(
    "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c WHERE relkind = 'r' AND relname IN ('tool_catalogs', 'catalog_tools', 'tool_words', 'tool_names', 'tool_vectors', 'tool_terms')",
  );
  return { ...(isNew && { build: seconds, buildCpu: cpuSeconds }), bytes: Number(bytes), held };
}

/** A process of its own, so that what it holds is that of the catalog. */
function measureMemory(size) {
  const file = fileURLToPath(new URL('processes/memory-search.mjs', import.meta.url));
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=14336', file, String(size)],
    { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8', maxBuffer: 1 << 20 },
  );
  if (status !== 0) {
    console.log(`In memory, ${size} tools: not built (exit status ${status})`);
    return undefined;
  }
  console.log(`In memory, ${size} tools: ${stdout.trim()}`);
  return JSON.parse(stdout);
}

/** The catalog in parts. Puts some of its tools among the samples. */
function* sampleTools(size, samples) {
  const every = Math.max(1, Math.floor(size / 400));
  let at = 0;
  for (const chunk of streamTools(size)) {
    for (const tool of chunk) if (at++ % every === 0) samples.push(tool);
    yield chunk;
  }
}

function* parsed(chunks) {
  for (const chunk of chunks) yield* parseTools(chunk).tools;
}

/** One search at a time, in the words of tools of the catalog. */
async function searchAll(searcher, samples, readServerMs) {
  const queries = synthesiseQueries(samples, WARM + QUERIES);
  const times = [];
  let before;
  for (const [at, query] of queries.entries()) {
    if (at === WARM) before = { here: process.cpuUsage(), there: await readServerMs() };
    const started = performance.now();
    await searcher.search({ query });
    if (at >= WARM) times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before.here);
  const cpu = (user + system) / 1000 / QUERIES;
  const serverCpu = ((await readServerMs()) - before.there) / QUERIES;
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99), cpu, serverCpu };
}

/** The processor time of the server's processes for our connections so far: unlike the clock, it does not depend on who else is at work. */
async function serverCpuMs(server) {
  const rows = await server.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'quartermaster'");
  return rows.reduce((sum, { pid }) => sum + processCpuMs(pid), 0);
}

/** As Linux tells it, in hundredths of a second. */
function processCpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** By the clock, and the processor time of this process and of the server together. */
async function timed(work, readServerMs = async () => 0) {
  const [started, cpu, server] = [performance.now(), process.cpuUsage(), await readServerMs()];
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 + ((await readServerMs()) - server) / 1000 };
}

let reportedAt = 0;

function report(what, done, size) {
  if (performance.now() - reportedAt < 10_000) return;
  reportedAt = performance.now();
  process.stderr.write(`${what}: ${done} of ${size} tools\n`);
}

function render(rows) {
  const lines = [
    '| tools | | build | CPU | bytes | query p50 | p95 | p99 | CPU |',
    '|---:|---|---:|---:|---:|---:|---:|---:|---:|',
  ];
  for (const { size, postgres, memory } of rows) {
    for (const [name, one] of [
      ['in memory', memory],
      ['PostgreSQL', postgres],
    ]) {
      if (one === undefined) continue;
      const times = [one.p50, one.p95, one.p99, one.cpu + (one.serverCpu ?? 0)].map((value) =>
        value === undefined ? '' : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`,
      );
      const builds = [one.build, one.buildCpu].map((value) => (value === undefined ? '' : `${value.toFixed(1)} s`));
      const bytes = `${(one.bytes / 2 ** 20).toFixed(one.bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`;
      lines.push(
        `| ${size.toLocaleString('en')} | ${name} | ${builds.join(' | ')} | ${bytes} | ${times.join(' | ')} |`,
      );
    }
  }
  return lines.join('\n');
}

function drawPictures(rows) {
  const lines = (read) =>
    /** @type {const} */ (['memory', 'postgres']).map((place) => ({
      label: place === 'memory' ? 'in memory' : 'PostgreSQL',
      points: rows.flatMap((row) => {
        const { size, [place]: one } = /** @type {{ size: number, memory?: any, postgres?: any }} */ (row);
        const value = one === undefined ? undefined : read(one);
        return value === undefined ? [] : [[size, value]];
      }),
    }));
  return {
    'scale-query': drawGrowth({
      title: 'Processor time of a search',
      unit: 'ms',
      lines: lines(({ cpu, serverCpu = 0 }) => cpu + serverCpu),
    }),
    'scale-build': drawGrowth({
      title: 'Processor time of building the index',
      unit: 's',
      lines: lines(({ buildCpu }) => buildCpu),
    }),
    'scale-bytes': drawGrowth({
      title: 'Definitions and index take',
      unit: 'MiB',
      lines: lines(({ bytes }) => bytes / 2 ** 20),
    }),
  };
}
